"""Faults that a test plans: which requests they affect, what the reply becomes, and what is said of unused ones."""

from __future__ import annotations

import pytest
import requests

from fakestore import FakeStore, SparseContent, UnsupportedRequest, fake_store, faults
from tests.support.cases import each
from tests.support.cost import count_calls
from tests.support.wire import send

KEY = "cat.jpg"
SLOW = faults.ServiceError("SlowDown")


def statuses(store, count, method="GET", key=KEY, bucket="photos"):
    session = store.session()
    return [session.request(method, store.url(bucket, key)).status_code for _ in range(count)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [503, 200, 200, 200]),
        ({"times": 2}, [503, 503, 200, 200]),
        ({"after": 2}, [200, 200, 503, 200]),
        ({"times": None, "after": 1}, [200, 503, 503, 503]),
    ],
)
def test_times_and_after_choose_the_requests(fakestore, photos, options, expected):
    fakestore.fail("GET Object", SLOW, **options)
    assert statuses(fakestore, 4) == expected


def test_an_outage_of_everything_is_one_line(fakestore, photos):
    fakestore.fail(None, faults.ServiceError("ServiceUnavailable"), times=None)
    seen = [statuses(fakestore, 1, method)[0] for method in ("GET", "PUT", "HEAD", "DELETE")]
    seen += statuses(fakestore, 1, key="")
    photos.put("new", b"meow")  # calls on a handle do not meet it
    assert (seen, photos["new"].content) == ([503] * 5, b"meow")


def test_a_fault_affects_only_its_operation_bucket_and_key(fakestore, photos):
    films = fakestore.create_bucket("films")
    for key in (KEY, "a b/é"):
        films.put(key)
        photos.put(key)
    fakestore.fail("PUT Object", SLOW, times=None)
    fakestore.fail("GET Object", SLOW, bucket="films", key="a b/é", times=None)
    seen = {(bucket, key): statuses(fakestore, 1, key=key, bucket=bucket) for bucket in fakestore for key in films}
    assert [where for where, status in seen.items() if status != [200]] == [("films", "a b/é")]


def test_a_request_that_meets_a_fault_leaves_the_others_alone(fakestore, photos):
    fakestore.fail("GET Object", SLOW)
    fakestore.fail("GET Object", faults.ServiceError("InternalError"), after=1)
    fakestore.fail("GET Object", faults.ServiceError("AccessDenied"))
    # The first request meets the first fault alone. The second is let pass by the second fault, and meets the third.
    # The third meets the second.
    assert statuses(fakestore, 4) == [503, 403, 500, 200]


def test_faults_that_have_fired_cost_later_requests_nothing(fakestore, photos):
    costs = []
    for fired in (1, 100):
        for _ in range(fired):
            fakestore.fail("GET Object", SLOW)
            assert statuses(fakestore, 1) == [503]
        assert statuses(fakestore, 1) == [200]
        costs.append(count_calls(lambda: send(fakestore, "GET", "photos", f"/{KEY}")))
    assert costs[1] <= 1.1 * costs[0]


# -- invalid faults and plans


@pytest.mark.parametrize(
    "make",
    [
        lambda: faults.ServiceError("OurOwn"),
        lambda: faults.ServiceError(["SlowDown"], status=503),
        lambda: faults.ServiceError("SlowDown", status=204),
        lambda: faults.ServiceError("SlowDown", retry_after=-1),
        lambda: faults.EmbeddedError("OurOwn"),
        lambda: faults.TruncatedBody(-1),
        lambda: faults.Latency(-1),
        lambda: faults.Latency(float("nan")),
        lambda: faults.Latency("1"),
        lambda: faults.AfterCommit(faults.TruncatedBody(1)),
        lambda: faults.AfterCommit("reset"),
    ],
)
def test_an_invalid_fault_is_refused_when_it_is_made(make):
    with pytest.raises(ValueError, match=r"invalid|unknown error code .*(OurOwn|SlowDown).*ServiceError with a status"):
        make()


def test_a_fault_with_a_value_of_another_type_is_refused():
    for make, name in (
        (lambda: faults.ServiceError("SlowDown", status="503"), "status '503'"),
        (lambda: faults.ServiceError("SlowDown", retry_after="1"), "retry_after '1'"),
        (lambda: faults.EmbeddedError("SlowDown", 1), "message 1"),
        (lambda: faults.TruncatedBody("1"), "nbytes '1'"),
    ):
        with pytest.raises(TypeError, match=f"invalid {name}: expected"):
            make()


@pytest.mark.parametrize(
    ("arguments", "options", "named"),
    [
        (("GET Object", SLOW), {"times": 0}, "times=0"),
        (("GET Object", SLOW), {"after": -1}, "after=-1"),
        (("GET Object", SLOW), {"times": "2"}, "times='2'"),
        (("PutObjekt", SLOW), {}, "'PutObjekt'.*PutObject"),
        (("GET", SLOW), {}, "'GET'. Did you mean 'GET Object'"),
        ((404, SLOW), {}, "unknown operation 404"),
        ((["GET Object"], SLOW), {}, r"unknown operation \['GET Object'\]"),
        (("PUT Object", faults.EmbeddedError()), {}, "'PUT Object Copy', .*not for 'PUT Object'"),
        ((None, faults.EmbeddedError()), {}, "'PUT Object Copy', .*not for None"),
    ],
)
def test_an_invalid_plan_is_refused(fakestore, arguments, options, named):
    with pytest.raises(ValueError, match=named):
        fakestore.fail(*arguments, **options)


@pytest.mark.parametrize("options", [{}, {"status": 503}])
def test_status_in_place_of_a_code_is_refused_with_its_codes(options):
    with pytest.raises(ValueError, match=r"invalid error code 503: .*'ServiceUnavailable', 'SlowDown'"):
        faults.ServiceError(503, **options)
    with pytest.raises(ValueError, match=r"invalid error code '404': .*'NoSuchKey'"):
        faults.EmbeddedError("404")
    with pytest.raises(ValueError, match=r"invalid error code '299': .*expected a code such as 'SlowDown'"):
        faults.ServiceError("299")


def test_a_plan_without_a_fault_is_a_type_error(fakestore):
    with pytest.raises(TypeError, match=r"one of fakestore\.faults, .* not 503"):
        fakestore.fail("GET Object", 503)


def test_a_fault_is_a_value_whose_repr_is_the_call_that_makes_it():
    for case in each(
        "CorruptedBody()",
        "ServiceError('SlowDown')",
        "ServiceError('X', status=418, message='m')",
        "AfterCommit(fault=ConnectionReset())",
        "Latency(seconds=0.5)",
    ):
        with case as call:
            fault = eval(call, vars(faults))
            assert (fault, repr(fault)) == (eval(call, vars(faults)), call)


# -- on leaving


def unfired(arrange, *sent):
    """Return what is said, line by line, of planned faults that these requests (method, bucket, key) did not meet."""
    with pytest.raises(AssertionError) as left:
        with fake_store(buckets=["photos", "films"]) as store:
            store["photos"].put(KEY)
            arrange(store)
            for method, bucket, key in sent:
                store.session().request(method, store.url(bucket, key))
    return str(left.value).splitlines()


def test_faults_that_never_fired_are_reported_on_leaving():
    def arrange(store):
        store.fail("PUT Object", SLOW, bucket="films", times=2)
        store.fail(None, faults.ConnectionReset())

    first, second = unfired(arrange)
    assert "fail('PUT Object', ServiceError('SlowDown'), bucket='films', times=2): the store got no request" in first
    assert "use times=None" in first
    assert second == "fail(None, ConnectionReset()): the store got no request"


@pytest.mark.parametrize(
    ("criteria", "why"),
    [
        ({"bucket": "photo"}, "no request has bucket 'photo'; known: 'films', 'photos'"),
        ({"key": "cat.jpeg"}, "no request has key 'cat.jpeg'; known: 'dog.jpg', 'rat.jpg', 'cat.jpg'"),
        ({"bucket": "films", "key": "rat.jpg"}, "no request with bucket 'films' has key 'rat.jpg'; known: 'dog.jpg'"),
        ({"operation": "PUT Object"}, "no request has operation 'PUT Object'; requested: 'GET Object', 'HEAD Object'"),
        (
            {"operation": "HEAD Object", "key": "dog.jpg"},
            "no request with key 'dog.jpg' has operation 'HEAD Object'; requested: 'GET Object'",
        ),
        ({"after": 5}, "3 requests matched, but after=5 let them pass"),
        (
            {"fault": faults.TruncatedBody(10_000)},
            "3 requests matched, but the store refused them, or the fault could not change the reply",
        ),
    ],
)
def test_a_fault_that_never_fired_says_why(criteria, why):
    def arrange(store):
        store.fail(**{"operation": None, "fault": faults.ConnectionReset(), **criteria})

    sent = ("GET", "photos", "dog.jpg"), ("GET", "films", "dog.jpg"), ("HEAD", "photos", "rat.jpg")
    assert unfired(arrange, *sent)[0].endswith(f": {why}")


def test_a_fault_that_never_fired_has_the_names_of_the_test_and_the_dialect():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        store.session().get(store.url("photos", list_type=2))
        store.fail("ListObjects", faults.ConnectionReset())
        with pytest.raises(AssertionError) as unfired:
            store.check()
        store.clear_faults()
    assert "fail('ListObjects', ConnectionReset())" in str(unfired.value)
    assert str(unfired.value).endswith("no request has operation 'ListObjects'; requested: 'ListObjectsV2'")


def test_a_fault_that_was_planned_too_late_says_why():
    def arrange(store):
        store.session().get(store.url("photos", KEY))
        store.fail("GET Object", faults.ConnectionReset())

    (line,) = unfired(arrange)
    assert line.endswith(": every matching request came before store.fail(), or an earlier fault fired instead")


def test_of_many_keys_some_are_named():
    sent = [("GET", "photos", f"{number:02}") for number in range(20)]
    (line,) = unfired(lambda store: store.fail(None, faults.ConnectionReset(), key="20"), *sent)
    assert line.endswith("known: '00', '01', '02', '03', '04', '05', '06', '07' and more")


@pytest.mark.parametrize(
    ("size", "why"),
    [(0, "the journal has dropped all requests"), (1, "no recorded request has key 'a'; known: 'b'")],
)
def test_reason_of_a_fault_that_never_fired_depends_on_what_the_journal_keeps(size, why):
    store = FakeStore(buckets=["photos"], journal_size=size)
    for key in ("a", "b"):
        send(store, "GET", "photos", f"/{key}")
    store.fail(None, SLOW, key="a")
    with pytest.raises(AssertionError, match=why):
        store.check()


def test_faults_that_may_be_unused_are_not_reported():
    with fake_store(buckets=["photos"]) as store:
        store.fail("GET Object", SLOW, times=5)
        store.fail("PUT Object", SLOW, times=None)
        statuses(store, 1)
    with fake_store() as store:
        store.fail("GET Object", SLOW)
        store.reset()


def test_cleared_faults_let_requests_pass_and_are_not_reported():
    with fake_store(buckets=["photos"]) as store:
        store.fail(None, SLOW, times=None)
        store.fail("PUT Object", SLOW)
        assert statuses(store, 1) == [503]
        store.clear_faults()
        assert statuses(store, 1) == [404]


def test_a_fault_that_was_put_back_comes_before_those_that_were_planned_later(fakestore, photos):
    photos.put("empty")
    photos.put("cat.jpg", b"meow")
    session = fakestore.session()
    fakestore.fail("GET Object", faults.CorruptedBody())
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"))
    session.get(fakestore.url("photos", "empty"))  # has no body to corrupt
    assert session.get(fakestore.url("photos", "cat.jpg")).content not in (b"", b"meow")
    assert session.get(fakestore.url("photos", "cat.jpg")).status_code == 503


def test_a_fault_that_is_cleared_during_a_request_is_not_put_back():
    with fake_store(buckets=["photos"]) as store:

        def body():
            store.clear_faults()
            yield b"meow"

        store.fail("PUT Object", faults.TruncatedBody(0))  # it cannot affect the reply, which has no body
        url = store.url("photos", KEY)
        assert store.session().put(url, data=body(), headers={"Content-Length": "4"}).status_code == 200


def test_a_fault_stays_planned_while_its_request_is_under_way(fakestore, photos):
    session, url = fakestore.session(), fakestore.url("photos", KEY)
    photos.put(KEY, b"meow")
    fakestore.fail(None, faults.CorruptedBody())
    fakestore.fail("HEAD Object", faults.ServiceError("SlowDown"))

    def body():
        assert session.head(url).status_code == 503
        yield b"meow"

    assert session.put(url, data=body(), headers={"Content-Length": "4"}).status_code == 200  # has no body to corrupt
    assert session.get(url).content not in (b"", b"meow")


def test_an_unfired_fault_does_not_replace_another_exception():
    with pytest.raises(ZeroDivisionError):
        with fake_store() as store:
            store.fail("GET Object", SLOW)
            _ = 1 / 0


# -- replies that a fault changes


def copy(store):
    source = {"x-svc-copy-source": f"/photos/{KEY}"}
    return store.session().put(store.url("photos", "copy.jpg"), headers=source)


def test_a_truncated_body_can_be_read_up_to_the_cut(fakestore, photos):
    fakestore.fail("GET Object", faults.TruncatedBody(9), times=2)
    url = fakestore.url("photos", KEY)
    answer = fakestore.session().get(url, stream=True)
    assert (answer.headers["Content-Length"], next(answer.iter_content(9))) == ("100", b"only this")
    with pytest.raises(requests.exceptions.ChunkedEncodingError, match="IncompleteRead"):
        fakestore.session().get(url)


@pytest.mark.parametrize("nbytes", [0, 30])
def test_a_truncated_chunked_reply_raises_and_the_copy_is_made(fakestore, photos, nbytes):
    fakestore.fail("PUT Object Copy", faults.TruncatedBody(nbytes))
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        copy(fakestore)
    assert "copy.jpg" in photos


def test_a_fault_of_a_body_waits_for_a_reply_that_has_one(fakestore, photos):
    photos.put("empty")
    photos.put("longer", bytes(101))
    session = fakestore.session()
    fakestore.fail("GET Object", faults.TruncatedBody(100))
    session.head(fakestore.url("photos", KEY))
    assert len(session.get(fakestore.url("photos", KEY)).content) == 100
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        session.get(fakestore.url("photos", "longer"))
    fakestore.fail("GET Object", faults.CorruptedBody())
    seen = [session.get(fakestore.url("photos", key)).content[:1] for key in ("empty", KEY, KEY)]
    assert seen == [b"", bytes([ord("o") ^ 0xFF]), b"o"]


def test_a_corrupted_body_keeps_its_headers_and_what_is_stored(fakestore, photos):
    url = fakestore.url("photos", KEY)
    whole = fakestore.session().get(url)
    fakestore.fail("GET Object", faults.CorruptedBody())
    corrupted = fakestore.session().get(url)
    assert (corrupted.content[1:], corrupted.content == whole.content) == (whole.content[1:], False)
    for name in ("ETag", "Content-Length"):
        assert corrupted.headers[name] == whole.headers[name]
    assert photos[KEY].content == whole.content


def test_faults_of_huge_sparse_content_take_no_memory(fakestore, photos):
    photos.put("huge", SparseContent(2**40))
    fakestore.fail("GET Object", faults.TruncatedBody(2**39))
    answer = fakestore.session().get(fakestore.url("photos", "huge"), stream=True)
    assert answer.raw.read(5) == b"\0" * 5
    fakestore.fail("GET Object", faults.CorruptedBody())
    with pytest.raises(UnsupportedRequest, match="CorruptedBody"):
        fakestore.session().get(fakestore.url("photos", "huge"))
    assert len(fakestore.calls("GET Object")) == 1  # the second request had no reply
    fakestore.unhandled_requests.clear()


@pytest.mark.parametrize(
    ("fault", "status", "code", "message"),
    [
        (SLOW, 503, "SlowDown", "Message"),
        (faults.ServiceError("InternalError", status=599), 599, "InternalError", "Message"),
        (faults.ServiceError("OurOwn", status=418, message="short and stout"), 418, "OurOwn", "short and stout"),
    ],
)
def test_a_service_error_is_a_document_and_nothing_is_stored(fakestore, photos, fault, status, code, message):
    fakestore.fail("PUT Object", fault)
    answer = requests.put(fakestore.url("photos", "new"), data=b"meow")  # no valid signature is needed
    assert (answer.status_code, f"<Code>{code}</Code>" in answer.text, message in answer.text) == (status, True, True)
    assert "new" not in photos


def test_a_service_error_may_send_retry_after(fakestore, photos):
    for seconds in (7, 0):
        fakestore.fail("GET Object", faults.ServiceError("SlowDown", retry_after=seconds))
        assert fakestore.session().get(fakestore.url("photos", KEY)).headers["Retry-After"] == str(seconds)


def test_an_embedded_error_is_a_200_and_nothing_is_stored(fakestore, photos):
    fakestore.fail("PUT Object Copy", faults.EmbeddedError("SlowDown", message="half-way"))
    answer = copy(fakestore)
    assert (answer.status_code, "copy.jpg" in photos) == (200, False)
    assert "<Error><Code>SlowDown</Code><Message>half-way</Message>" in answer.text
    exchange = fakestore.exchanges[-1]
    assert (exchange.status, exchange.error_code) == (200, "SlowDown")


def test_an_embedded_error_waits_for_a_copy_that_is_not_refused(fakestore, photos):
    fakestore.fail("PUT Object Copy", faults.EmbeddedError())
    refused = fakestore.session().put(fakestore.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/none"})
    assert (refused.status_code, b"<Error>" in copy(fakestore).content) == (404, True)
