"""Events in a test: handlers and destinations, what became of each event, faults, and handlers that fail."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from threading import Barrier, Thread
from types import NoneType

import aiohttp
import pytest
import requests
from lxml import html

from fakestore import fake_store, faults
from tests.events.arrange import key_of, outcomes, put
from tests.support.aws import client

QUEUE = "arn:aws:sqs:us-east-1:111111111111:uploads"
TOPIC = "arn:aws:sns:us-east-1:111111111111:uploads"
FUNCTION = "arn:aws:lambda:us-east-1:111111111111:function:thumbnails"
BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"


def configure(**configuration):
    client().put_bucket_notification_configuration(Bucket="photos", NotificationConfiguration=configuration)


def test_handler_runs_before_the_client_gets_its_reply_and_may_use_the_store(store, photos):
    def make_thumbnail(event):
        put(key_of(event), "thumbnails")

    photos.on_event(make_thumbnail, events=["s3:ObjectCreated:*"], prefix="in/", suffix=".jpg")
    for key in ("in/cat.jpg", "out/cat.jpg", "in/cat.png"):
        put(key)
    assert list(store["thumbnails"]) == ["in/cat.jpg"]
    (event,) = store.events
    assert (event.name, event.bucket, event.key, event.version_id) == (
        "ObjectCreated:Put",
        "photos",
        "in/cat.jpg",
        "null",
    )
    assert [(each.name, each.outcome) for each in event.destinations] == [("make_thumbnail", "delivered")]
    exchange, following, *_ = store.journal
    assert (following, event.time) == (event, exchange.time)
    store.reset()
    assert store.events == []
    put("in/cat.jpg")
    assert store.events == []  # the handler is gone, too


def test_reset_forgets_handlers_errors_and_late_events(store, photos):
    def broken(event):
        raise ValueError("no jpg")

    photos.on_event(broken)
    store.destinations[QUEUE] = broken
    put("1")
    store.fail("delivery", faults.LateEvent())
    put("2")
    store.reset()
    assert (store.handler_errors, dict(store.destinations)) == ([], {})
    store.check()


def test_two_parameters_make_a_lambda_function_and_coroutines_run_to_their_end(store, photos):
    seen = []

    def function(event, context):
        assert 0 < context.get_remaining_time_in_millis() <= 900_000
        seen.append((context.function_name, context.invoked_function_arn, bool(context.aws_request_id)))

    async def coroutine(event):
        seen.append(key_of(event))

    photos.on_event(coroutine)
    store.destinations[FUNCTION] = function
    configure(LambdaFunctionConfigurations=[{"LambdaFunctionArn": FUNCTION, "Events": ["s3:ObjectCreated:*"]}])
    put()
    assert seen == ["cat.jpg", ("thumbnails", FUNCTION, True)]


class Function:
    def __init__(self):
        self.names = []

    def __call__(self, event, context):
        self.handle("called", event, context)

    def handle(self, way, event, context):
        region, account, kind, name = context.invoked_function_arn.split(":")[3:7]
        assert (region, account.isdigit(), kind) == ("us-east-1", True, "function")
        assert name == context.function_name
        self.names.append(name)


def test_context_names_the_function_of_the_arn_or_the_handler(store, photos):
    function = Function()
    store.destinations[f"{FUNCTION}:PROD"] = partial(function.handle, "alias")
    store.destinations[BUS] = store.destinations[QUEUE] = partial(partial(function.handle), "others")
    photos.on_event(function)
    photos.on_event(partial(function.handle, "handler"))
    configure(
        LambdaFunctionConfigurations=[{"LambdaFunctionArn": f"{FUNCTION}:PROD", "Events": ["s3:ObjectCreated:Put"]}],
        QueueConfigurations=[{"QueueArn": QUEUE, "Events": ["s3:ObjectRemoved:*"]}],
        EventBridgeConfiguration={},
    )
    put()
    assert function.names == ["Function", "handle", "thumbnails", "handle"]
    client().delete_object(Bucket="photos", Key="cat.jpg")
    assert function.names[4:] == ["Function", "handle", "handle", "handle"]
    assert [each.name for each in store.events[0].destinations[:2]] == ["Function", "Function.handle"]


def test_parameters_with_a_default_do_not_hide_the_context(store, photos):
    contexts = []
    photos.on_event(lambda event, context, extra=None: contexts.append(context))
    photos.on_event(lambda event, first=None, second=None: contexts.append(first))
    put()
    assert [context and context.function_name for context in contexts] == ["<lambda>", None]


def test_coroutine_runs_although_the_thread_has_an_event_loop(store, photos):
    seen = []

    async def handler(event):
        await asyncio.sleep(0)
        seen.append(key_of(event))

    async def application():
        put()

    photos.on_event(handler)
    asyncio.run(application())
    assert seen == ["cat.jpg"]


@pytest.mark.decision("notification-destinations")
def test_configuration_sends_to_the_handlers_of_its_arns(store):
    queued, published, bridged = [], [], []
    store.destinations[QUEUE] = queued.append
    store.destinations[TOPIC] = published.append
    store.destinations[BUS] = bridged.append
    rules = [{"Name": "prefix", "Value": "in/"}, {"Name": "suffix", "Value": ".jpg"}]
    configure(
        QueueConfigurations=[
            {
                "Id": "uploads",
                "QueueArn": QUEUE,
                "Events": ["s3:ObjectCreated:Put"],
                "Filter": {"Key": {"FilterRules": rules}},
            }
        ],
        TopicConfigurations=[{"TopicArn": TOPIC, "Events": ["s3:ObjectRemoved:*"]}],
        EventBridgeConfiguration={},
    )
    for key in ("in/cat.jpg", "in/cat.png"):
        put(key)
    client().delete_object(Bucket="photos", Key="in/cat.png")
    assert [(key_of(event), event["Records"][0]["s3"]["configurationId"]) for event in queued] == [
        ("in/cat.jpg", "uploads")
    ]
    assert [key_of(event) for event in published] == ["in/cat.png"]
    assert [event["detail-type"] for event in bridged] == ["Object Created", "Object Created", "Object Deleted"]
    configure()
    put("in/cat.jpg")
    assert len(store.events) == 3


def test_event_without_a_handler_is_recorded_as_not_delivered(store):
    configure(QueueConfigurations=[{"QueueArn": QUEUE, "Events": ["s3:ObjectCreated:*"]}])
    put()
    assert outcomes(store) == [["not delivered: nobody answers"]]
    store.destinations[QUEUE] = print  # the event is not sent again
    assert outcomes(store) == [["not delivered: nobody answers"]]


@pytest.mark.decision("events-of-lifecycle-rules")
def test_travel_sends_the_events_of_rules(store, photos):
    keys = []
    photos.on_event(lambda event: keys.append(key_of(event)))
    photos.expire(rule_id="old", days=1)
    photos.put("cat.jpg")
    store.travel(days=3)
    assert keys == ["cat.jpg"]


@pytest.mark.parametrize("look", ["events", "describe", "to_html"])
def test_looking_at_the_store_sends_the_events_of_rules(store, photos, tmp_path, look):
    photos.on_event(lambda event: None)
    photos.put("cat.jpg")
    store.travel(days=3)
    photos.expire(rule_id="old", days=1)
    if look == "describe":
        store.describe()
    elif look == "to_html":
        store.to_html(tmp_path / "page.html")
    assert [(event.name, *outcomes(store)) for event in store.events] == [("LifecycleExpiration:Delete", ["delivered"])]


def test_bucket_put_sends_an_event_only_if_asked(store, photos):
    photos.on_event(lambda event: None)
    photos.put("cat.jpg", b"meow")
    photos.delete("cat.jpg")
    assert store.events == []
    photos.put("cat.jpg", b"meow", notify=True)
    assert [event.name for event in store.events] == ["ObjectCreated:Put"]
    assert store.events[0].record["userIdentity"]["principalId"] == photos.owner.id


def test_exception_of_a_handler_is_raised_when_the_store_is_left():
    def broken(event):
        raise ValueError("no jpg")

    with pytest.raises(ValueError, match="no jpg") as raised:
        with fake_store(dialect="s3", buckets=["photos"]) as store:
            store["photos"].on_event(broken)
            put()
            assert "cat.jpg" in store["photos"]
            assert outcomes(store) == [["raised ValueError('no jpg')"]]
    assert "store.handler_errors.clear()" in raised.value.__notes__[0]
    assert raised.traceback[-1].name == "broken"


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (lambda: pytest.fail("no jpg"), pytest.fail.Exception),
        (lambda: pytest.skip("no jpg"), pytest.skip.Exception),
        (lambda: sys.exit("no jpg"), SystemExit),
    ],
    ids=["fail", "skip", "exit"],
)
def test_outcome_of_a_test_in_a_handler_is_raised_when_the_store_is_left(end, error):
    seen = []
    with pytest.raises(error, match="no jpg"):
        with fake_store(dialect="s3", buckets=["photos"]) as store:
            store["photos"].on_event(lambda event: end())
            store["photos"].on_event(lambda event: None)
            put()
            seen += store.events[0].destinations
    assert [type(each.error) for each in seen] == [error, NoneType]
    assert ("no jpg" in seen[0].outcome, seen[1].outcome) == (True, "delivered")


def test_cancelled_handler_does_not_cancel_the_client(store, photos):
    async def cancelled(event):
        raise asyncio.CancelledError

    async def application():
        put()

    photos.on_event(cancelled)
    put()
    asyncio.run(application())
    assert outcomes(store) == [["raised CancelledError()"]] * 2
    store.handler_errors.clear()


def test_skip_in_a_handler_does_not_hide_an_exception(store, photos):
    photos.on_event(lambda event: pytest.skip("no jpg"))
    photos.on_event(lambda event: 1 / 0)
    put()
    with pytest.raises(ZeroDivisionError):
        store.check()
    store.handler_errors.clear()


def test_interruption_reaches_the_test(photos):
    def interrupt(event):
        raise KeyboardInterrupt

    photos.on_event(interrupt)
    with pytest.raises(KeyboardInterrupt):
        put()


def test_expected_exception_of_a_handler_is_removed_from_the_list(store, photos):
    def broken(event):
        raise ValueError("no jpg")

    photos.on_event(broken)
    put()
    (error,) = store.handler_errors
    assert store.events[0].destinations[0].error is error
    store.handler_errors.clear()


@pytest.mark.decision("deliveries")
@pytest.mark.parametrize("threads", [False, True], ids=["in its thread", "in other threads"])
def test_handler_that_starts_itself_ends_with_an_error(store, photos, threads):
    seen = []

    def innocent(event):
        seen.append(event)

    def repeat(event):
        for _ in range(2):
            if threads:
                thread = Thread(target=photos.put, args=("cat.jpg", b"meow"), kwargs={"notify": True})
                thread.start()
                thread.join()
            else:
                put()

    photos.on_event(innocent)
    photos.on_event(repeat)
    put()
    (error,) = store.handler_errors
    for part in ("photos/cat.jpg", "repeat", "starts itself", "300 threads" if threads else "16 rounds"):
        assert part in str(error)
    assert {each[0] for each in outcomes(store)} == {"delivered"}
    store.handler_errors.clear()


@pytest.mark.decision("deliveries")
def test_slow_handler_gets_many_parallel_uploads(store, photos):
    everybody = Barrier(300)

    def put_again(event):
        everybody.wait(timeout=60)
        if not key_of(event).startswith("again"):
            photos.put(f"again-{key_of(event)}", notify=True)

    photos.on_event(put_again)
    threads = [Thread(target=photos.put, args=(str(number), b"meow"), kwargs={"notify": True}) for number in range(300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.events) == 600
    assert store.handler_errors == []


async def put_with_aiohttp(store):
    async with aiohttp.ClientSession() as session:
        await session.put(store.presign("PUT", "photos", "cat.jpg", expires_in=60), data=b"meow")


@pytest.mark.decision("deliveries")
@pytest.mark.parametrize("write", [put_with_aiohttp, lambda store: asyncio.to_thread(put)], ids=["aiohttp", "thread"])
def test_coroutine_that_starts_itself_ends_after_16_rounds(store, photos, write):
    async def repeat(event):
        put("other.jpg")
        await write(store)

    photos.on_event(repeat)
    put()
    assert store.handler_errors
    for error in store.handler_errors:
        assert "repeat starts itself: after 16 rounds" in str(error)
    store.handler_errors.clear()


def test_handler_that_was_stopped_may_run_again(store, photos):
    photos.on_event(lambda event: put())
    put()
    put()
    assert ["starts itself" in str(error) for error in store.handler_errors] == [True, True]
    store.handler_errors.clear()


@pytest.mark.decision("deliveries")
def test_handler_may_start_itself_some_times(store, photos):
    def shrink(event):
        if key_of(event) != "1":
            put(str(int(key_of(event)) - 1))

    photos.on_event(shrink)
    put("16")
    assert [event.key for event in store.events] == [str(number) for number in range(16, 0, -1)]
    assert store.handler_errors == []


def test_two_handlers_that_start_each_other_end_with_an_error(store, photos):
    photos.on_event(lambda event: put(bucket="thumbnails"))
    store["thumbnails"].on_event(lambda event: put())
    put()
    assert "starts itself" in str(store.handler_errors[0])
    store.handler_errors.clear()


@pytest.mark.decision("deliveries")
def test_no_lock_is_held_while_a_handler_runs(store, photos):
    """A handler that waits for another thread would wait for ever if its own thread had a turn."""

    def handler(event):
        thread = Thread(target=photos.put, args=("dog.jpg",))
        thread.start()
        thread.join(10)
        assert not thread.is_alive()

    photos.on_event(handler, suffix="cat.jpg")
    put()
    photos.put("cat.jpg", notify=True)
    photos.expire(rule_id="old", days=1)
    store.travel(days=3)
    assert list(photos) == []
    assert outcomes(store) == [["delivered"]] * 3


# -- faults


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (faults.DuplicateEvent(), ["1", "1", "2"]),
        (faults.LostEvent(), ["2"]),
        (faults.LateEvent(), ["2", "1"]),
    ],
    ids=repr,
)
def test_fault_of_a_delivery(store, photos, fault, expected):
    keys = []
    photos.on_event(lambda event: keys.append(key_of(event)))
    store.fail("delivery", fault, key="1")
    put("1")
    put("2")
    assert keys == expected
    assert repr(fault) in store.events[0].destinations[0].outcome


def test_late_event_arrives_at_the_end_if_no_other_follows(photos):
    keys = []
    with fake_store(dialect="s3", buckets=["films"]) as store:
        store["films"].on_event(lambda event: keys.append(key_of(event)))
        store.fail("delivery", faults.LateEvent())
        put("1", "films")
        assert keys == []
    assert keys == ["1"]


@pytest.mark.parametrize("set_environment", [True, False])
def test_late_event_is_delivered_while_the_store_is_entered(monkeypatch, set_environment):
    """Otherwise its handler would reach the service, with the real credentials."""
    replies = []

    def handler(event):
        replies.append(requests.get(store.url("photos", "cat.jpg"), auth=store.auth(), timeout=10).status_code)
        store["thumbnails"].put(os.environ.get("AWS_ACCESS_KEY_ID", ""), notify=True)

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "REAL")
    with fake_store(dialect="s3", buckets=["photos", "thumbnails"], set_environment=set_environment) as store:
        store["photos"].on_event(handler)
        store["thumbnails"].on_event(lambda event: None)
        store.fail("delivery", faults.LateEvent(), times=None)
        store["photos"].put("cat.jpg", notify=True)
        assert replies == []
    assert replies == [200]
    assert ("REAL" in store["thumbnails"]) is not set_environment
    assert outcomes(store) == [["delivered [LateEvent()]"]] * 2


@pytest.mark.decision("deliveries")
def test_event_of_a_store_that_was_left_reaches_no_handler(frozen_clock):
    keys = []
    with fake_store(dialect="s3", buckets=["films"]) as store:
        store["films"].on_event(lambda event: keys.append(key_of(event)))
        store["films"].expire(rule_id="old", days=1)
        store["films"].put("1")
    frozen_clock.move_to("2100-01-01")
    assert (outcomes(store), keys) == ([["not delivered: the store was left"]], [])


def test_interrupted_late_event_leaves_the_store(photos):
    def interrupt(event):
        raise KeyboardInterrupt

    inner = fake_store(dialect="s3", base_url="http://inner.test", buckets=["films"])
    with pytest.raises(KeyboardInterrupt):
        with inner as store:
            store["films"].on_event(interrupt)
            store.fail("delivery", faults.LateEvent())
            store["films"].put("1", notify=True)
    put()
    assert "cat.jpg" in photos


@pytest.mark.parametrize("failing", [0, 1])
def test_failed_copy_of_a_duplicate_event_is_the_outcome(store, photos, failing):
    copies = []

    def handler(event):
        copies.append(event)
        if len(copies) == failing + 1:
            raise ValueError("no jpg")

    photos.on_event(handler)
    store.fail("delivery", faults.DuplicateEvent())
    put()
    assert (len(copies), outcomes(store)) == (2, [["raised ValueError('no jpg') [DuplicateEvent()]"]])
    assert [store.events[0].destinations[0].error] == store.handler_errors
    store.handler_errors.clear()


def test_numbers_of_events_begin_again_with_reset(store, photos):
    sequencers = []
    for _ in range(2):
        store["photos"].on_event(lambda event: None)
        put()
        sequencers.append(store.events[0].record["s3"]["object"]["sequencer"])
        store.reset()
    assert sequencers[0] == sequencers[1]


def test_fault_of_a_request_does_not_count_deliveries(store, photos):
    photos.on_event(lambda event: None)
    store.fail(None, faults.ServiceError("SlowDown"), after=2)
    url = store.url("photos", "cat.jpg")
    statuses = [requests.put(url, data=b"meow", auth=store.auth(), timeout=10).status_code for _ in range(3)]
    assert (statuses, outcomes(store)) == ([200, 200, 503], [["delivered"]] * 2)


def test_late_event_waits_for_the_next_one_to_its_own_destination(store, photos):
    seen = []
    photos.on_event(lambda event: seen.append(f"first {key_of(event)}"), prefix="1")
    photos.on_event(lambda event: seen.append(f"second {key_of(event)}"))
    store.fail("delivery", faults.LateEvent())
    for key in ("1", "2"):  # both handlers have the same name
        put(key)
    assert seen == ["second 1", "second 2"]
    put("1")
    assert seen[2:] == ["first 1", "first 1", "second 1"]


def test_fault_of_a_delivery_that_never_fires_is_reported(store, photos):
    store.fail("delivery", faults.LostEvent(), bucket="photos")
    put()  # no handler wants the event
    with pytest.raises(AssertionError, match=r"fail\('delivery', LostEvent\(\), bucket='photos'\): no event"):
        store.check()
    store.clear_faults()


def test_event_is_sent_although_a_fault_loses_the_reply(store, photos):
    photos.on_event(lambda event: None)
    store.fail("PutObject", faults.AfterCommit(faults.ServiceError("InternalError")))
    store.fail("PutObject", faults.ServiceError("SlowDown"))
    url = store.url("photos", "cat.jpg")
    statuses = [requests.put(url, data=b"meow", auth=store.auth(), timeout=10).status_code for _ in range(2)]
    assert statuses == [500, 503]
    assert len(store.events) == 1


def test_request_in_whose_reply_an_error_is_embedded_sends_no_event(store, photos):
    photos.on_event(lambda event: None)
    photos.put("cat.jpg")
    store.fail("CopyObject", faults.EmbeddedError("InternalError"))
    url, source = store.url("photos", "copy.jpg"), {"x-amz-copy-source": "/photos/cat.jpg"}
    assert b"InternalError" in requests.put(url, headers=source, auth=store.auth(), timeout=10).content
    assert ("copy.jpg" in photos, store.events) == (False, [])


# -- messages


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda store: store["photos"].on_event(print, events=["s3:ObjectCreate:*"]), ValueError, "s3:ObjectCreated:*"),
        (lambda store: store["photos"].on_event(print, events="s3:*"), TypeError, "['s3:*']"),
        (lambda store: store["photos"].on_event(print, 1), TypeError, "invalid events 1: expected a list"),
        (lambda store: store["photos"].on_event(print, events=[None]), TypeError, "invalid event None"),
        (lambda store: store["photos"].on_event(print, events=b"s3:*"), TypeError, "invalid events b's3:*'"),
        (lambda store: store["photos"].on_event(print, events=[]), ValueError, "events is empty"),
        (lambda store: store["photos"].on_event(print, prefix=None), TypeError, "prefix None"),
        (lambda store: store["photos"].on_event(print, suffix=[".jpg"]), TypeError, "suffix ['.jpg']"),
        (lambda store: store["photos"].on_event("print"), TypeError, "'print'"),
        (lambda store: store["photos"].on_event(["s3:*"], print), TypeError, "the handler is the first argument"),
        (lambda store: store["photos"].on_event(lambda a, b, c: None), TypeError, "<lambda>(a, b, c)"),
        (lambda store: store["photos"].on_event(lambda: None), TypeError, "(event) or (event, context)"),
        (lambda store: store["photos"].on_event(Function), TypeError, "Function()"),
        (lambda store: store.destinations.__setitem__("uploads", print), ValueError, "arn:aws:sqs"),
        (lambda store: store.destinations.__setitem__("arn:aws:s3:::photos", print), ValueError, "arn:aws:sqs"),
        (lambda store: store.destinations.__setitem__(QUEUE, None), TypeError, "None"),
        (lambda store: store.fail("delivery", faults.Latency(1)), ValueError, "LostEvent"),
        (lambda store: store.fail("PutObject", faults.LostEvent()), ValueError, "'delivery'"),
        (lambda store: store.fail(None, faults.LostEvent()), ValueError, "'delivery'"),
    ],
)
def test_invalid_argument_is_explained(store, call, error, message):
    with pytest.raises(error) as raised:
        call(store)
    assert message in str(raised.value)


def test_page_says_why_a_destination_got_no_event(store, photos, tmp_path):
    def lines():
        store.to_html(tmp_path / "page.html")
        items = html.parse(tmp_path / "page.html").xpath("//section[h2='Destinations without an event']//li")
        return [item.text_content() for item in items]

    inbox = {"Key": {"FilterRules": [{"Name": "prefix", "Value": "/in/"}]}}
    store.destinations[TOPIC] = store.destinations[BUS] = store.destinations[FUNCTION] = print
    configure(
        QueueConfigurations=[{"QueueArn": QUEUE, "Events": ["s3:ObjectCreated:*"], "Filter": inbox}],
        TopicConfigurations=[{"TopicArn": TOPIC, "Events": ["s3:ObjectRemoved:*"]}],
    )
    put("in/cat.jpg")
    event = "ObjectCreated:Put in/cat.jpg does not match"
    assert lines() == [
        f"{TOPIC} of photos got no event: {event} events=['s3:ObjectRemoved:*']",
        f"{QUEUE} of photos got no event: {event} prefix='/in/'",
        f"the handler of {BUS} got no event: no bucket names it",
        f"the handler of {FUNCTION} got no event: no bucket names it",
    ]
    configure(EventBridgeConfiguration={})
    put()
    assert lines() == [f"the handler of {FUNCTION} got no event: no bucket names it"]


def test_page_shows_which_event_went_where(store, photos, tmp_path):
    def broken(event):
        raise ValueError("no jpg")

    photos.on_event(broken)
    photos.on_event(print, suffix=".png")
    put()
    store.to_html(tmp_path / "page.html")
    page = html.parse(tmp_path / "page.html")
    (row,) = page.xpath("//tr[starts-with(@id, 'event')]")
    assert "failed" in row.get("class")
    for part in ("ObjectCreated:Put photos/cat.jpg", "broken: raised ValueError('no jpg')", "in broken: raise"):
        assert part in row.text_content()
    (line,) = page.xpath("//section[h2='Destinations without an event']//li")
    assert "does not match suffix='.png'" in line.text_content()
    store.handler_errors.clear()


def test_changes_by_a_handler_do_not_reach_others(store, photos):
    names = []
    photos.on_event(lambda event: event.clear())
    photos.on_event(lambda event: names.append(key_of(event)))
    put()
    assert names == ["cat.jpg"]
    assert key_of(store.events[0].destinations[0].document) == "cat.jpg"
