"""Faults that a test asks for: which requests meet them, which cannot be, and those that never fired."""

from __future__ import annotations

import pytest

from fakestore import fake_store, faults

KEY = "cat.jpg"


def statuses(store, count, method="GET", key=KEY, bucket="photos"):
    session = store.session()
    return [session.request(method, store.url(bucket, key)).status_code for _ in range(count)]


def test_a_fault_fires_once_by_default(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"))
    assert statuses(fakestore, 3) == [503, 200, 200]


def test_a_fault_fires_as_often_as_it_is_told(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"), times=2)
    assert statuses(fakestore, 3) == [503, 503, 200]


def test_a_fault_lets_the_first_requests_pass(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"), after=2)
    assert statuses(fakestore, 4) == [200, 200, 503, 200]


def test_an_outage_of_everything_is_one_line(fakestore, photos):
    fakestore.fail(None, faults.ServiceError("ServiceUnavailable"), times=None)
    seen = [statuses(fakestore, 1, method)[0] for method in ("GET", "PUT", "HEAD", "DELETE")]
    seen += statuses(fakestore, 1, key="")
    assert seen == [503] * 5


def test_a_fault_for_another_operation_is_not_met(fakestore, photos):
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown"), times=None)
    assert statuses(fakestore, 1) == [200]


def test_a_fault_for_one_bucket_is_met_there_alone(fakestore, photos):
    fakestore.create_bucket("films").put(KEY)
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"), bucket="films", times=None)
    assert statuses(fakestore, 1) + statuses(fakestore, 1, bucket="films") == [200, 503]


def test_a_fault_for_one_key_is_met_there_alone(fakestore, photos):
    photos.put("a b/é")
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"), key="a b/é", times=None)
    assert statuses(fakestore, 1) + statuses(fakestore, 1, key="a b/é") == [200, 503]


def test_faults_that_match_one_request_fire_in_the_order_they_were_asked_for(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"))
    fakestore.fail("GET Object", faults.ServiceError("InternalError"))
    assert statuses(fakestore, 3) == [503, 500, 200]


def test_calls_on_a_handle_meet_no_fault(fakestore, photos):
    fakestore.fail(None, faults.ServiceError("SlowDown"), times=None)
    photos.put("new", b"meow")
    assert photos["new"].content == b"meow"


# -- what cannot be


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: faults.ServiceError("OurOwn"), "'OurOwn' is not in the error table, so it needs a status"),
        (lambda: faults.TruncatedBody(-1), "a body is cut after 0 bytes or more, not -1"),
        (lambda: faults.EmbeddedError("OurOwn"), "'OurOwn' is not in the error table"),
        (lambda: faults.ServiceError("SlowDown", status=204), "the status of an error is a number from 400 to 599"),
        (lambda: faults.ServiceError("OurOwn", status=99999), "from 400 to 599, not 99999"),
        (lambda: faults.ServiceError("SlowDown", retry_after=-1), "retry_after is 0 seconds or more, not -1"),
        (lambda: faults.Latency(-1), "a latency is 0 seconds or more, and at most .*, not -1"),
        (lambda: faults.Latency(float("nan")), "a latency is .* not nan"),
        (lambda: faults.Latency(float("inf")), "a latency is .* not inf"),
        (lambda: faults.AfterCommit(faults.TruncatedBody(1)), "lets the operation be done anyway; AfterCommit takes"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_when_it_is_made(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: faults.ServiceError(503), "the code and the message of an error are text, not 503"),
        (lambda: faults.ServiceError("SlowDown", message=b"m"), "are text, not 'SlowDown' and b'm'"),
        (lambda: faults.ServiceError("SlowDown", status="503"), "the status of an error is a whole number, not '503'"),
        (lambda: faults.ServiceError("SlowDown", retry_after=1.5), "retry_after is a whole number of seconds, not 1.5"),
        (lambda: faults.EmbeddedError(500), "the code and the message of an error are text, not 500"),
        (lambda: faults.TruncatedBody(1.5), "a body is cut after a whole number of bytes, not 1.5"),
        (lambda: faults.TruncatedBody(True), "a body is cut after a whole number of bytes, not True"),
        (lambda: faults.Latency("1"), "a latency is a number of seconds, not '1'"),
        (lambda: faults.AfterCommit("reset"), r"AfterCommit takes a fault, such as ConnectionReset\(\), not 'reset'"),
    ],
)
def test_a_fault_of_something_else_is_a_type_error_when_it_is_made(make, sentence):
    with pytest.raises(TypeError, match=sentence):
        make()


@pytest.mark.parametrize("counts", [{"times": 1.5}, {"times": True}, {"times": "2"}, {"after": 0.5}, {"after": None}])
def test_a_count_that_is_no_whole_number_is_a_type_error(fakestore, counts):
    with pytest.raises(TypeError, match="a fault fires, and lets pass, a whole number of requests; not times="):
        fakestore.fail("GET Object", faults.ConnectionReset(), **counts)


@pytest.mark.parametrize("what", ["operation", "bucket", "key"])
def test_a_name_that_is_no_text_is_a_type_error(fakestore, what):
    with pytest.raises(TypeError, match=f"{what} is a name, or None for every one, not 5"):
        fakestore.fail(**{"operation": "GET Object", "fault": faults.ConnectionReset(), what: 5})


@pytest.mark.parametrize("counts", [{"times": 0}, {"times": -1}, {"after": -1}])
def test_a_count_that_cannot_be_is_refused(fakestore, counts):
    with pytest.raises(ValueError, match="a fault fires 1 time or more, after 0 requests or more"):
        fakestore.fail("GET Object", faults.ConnectionReset(), **counts)


def test_a_fault_for_an_operation_that_there_is_not_is_refused_with_those_there_are(fakestore):
    with pytest.raises(ValueError, match=r"there is no operation 'PutObject'; there are .*PUT Object Copy"):
        fakestore.fail("PutObject", faults.ConnectionReset())


def test_what_is_no_fault_is_refused(fakestore):
    with pytest.raises(TypeError, match=r"a fault is one of fakestore\.faults, .* not 503"):
        fakestore.fail("GET Object", 503)


@pytest.mark.parametrize("operation", ["PUT Object", None])
def test_an_embedded_error_of_another_operation_than_a_copy_is_refused(fakestore, operation):
    with pytest.raises(ValueError, match="an EmbeddedError is for 'PUT Object Copy' alone"):
        fakestore.fail(operation, faults.EmbeddedError())


@pytest.mark.parametrize(
    ("fault", "call"),
    [
        (faults.ServiceError("SlowDown"), "ServiceError('SlowDown')"),
        (faults.ServiceError("X", status=418, message="m"), "ServiceError('X', status=418, message='m')"),
        (faults.AfterCommit(faults.ConnectionReset()), "AfterCommit(fault=ConnectionReset())"),
        (faults.Latency(0.5), "Latency(seconds=0.5)"),
    ],
)
def test_the_repr_of_a_fault_is_the_call_that_makes_it(fault, call):
    assert repr(fault) == call


# -- on leaving


def unfired(arrange, *gets):
    """What is said, line by line, of the faults that were asked for and not met by GETs of these keys of "photos"."""
    with pytest.raises(AssertionError) as left:
        with fake_store(buckets=["photos", "films"]) as store:
            store["photos"].put(KEY)
            arrange(store)
            for key in gets:
                store.session().get(store.url("photos", key))
    return str(left.value).splitlines()


def test_faults_that_never_fired_are_reported_on_leaving():
    def arrange(store):
        store.fail("PUT Object", faults.ServiceError("SlowDown"), bucket="films", times=2)
        store.fail(None, faults.ConnectionReset())

    assert unfired(arrange) == [
        "faults that never fired (one that need not is given times=None):"
        " fail('PUT Object', ServiceError('SlowDown'), bucket='films', times=2):"
        " no request named bucket 'films'; there are 'films', 'photos'",
        "fail(None, ConnectionReset()): no request came",
    ]


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ({"bucket": "photo"}, "no request named bucket 'photo'; there are 'photos', 'films'"),
        ({"key": "cat.jpeg"}, "no request named key 'cat.jpeg'; there are 'dog.jpg', 'cat.jpg'"),
        ({"bucket": "photos", "key": "rat.jpg"}, "no request named key 'rat.jpg'; there are 'dog.jpg', 'cat.jpg'"),
        ({"operation": "PUT Object"}, "no request was a 'PUT Object'; there are 'GET Object'"),
        ({"after": 5}, "2 requests matched, and after=5 let them pass"),
    ],
)
def test_what_is_said_of_a_fault_that_never_fired_tells_why(where, why):
    def arrange(store):
        store.fail(**{"operation": None, "fault": faults.ConnectionReset(), **where})

    assert unfired(arrange, "dog.jpg", "dog.jpg")[0].endswith(f": {why}")


@pytest.mark.parametrize("fault", [faults.TruncatedBody(5), faults.CorruptedBody()])
def test_a_fault_of_a_body_that_no_reply_had_is_reported(fault):
    with pytest.raises(
        AssertionError, match="2 requests matched, and were refused, or had no reply that the fault could harm"
    ):
        with fake_store(buckets=["photos"]) as store:
            store.fail(None, fault)
            session = store.session()
            session.put(store.url("photos", KEY), data=b"only this")
            session.head(store.url("photos", KEY))
            assert [each.fault for each in store.exchanges] == [None, None]


def test_of_many_keys_some_are_said_of_a_fault_that_never_fired():
    keys = [f"{number:02}" for number in range(20)]
    (line,) = unfired(lambda store: store.fail(None, faults.ConnectionReset(), key="20"), *keys)
    assert line.endswith("there are '00', '01', '02', '03', '04', '05', '06', '07' and more")


def test_a_fault_that_was_asked_for_too_late_says_so():
    with pytest.raises(AssertionError, match="no request that matched came to it"):
        with fake_store(buckets=["photos"]) as store:
            statuses(store, 1)
            store.fail("GET Object", faults.ConnectionReset())


def test_a_fault_that_fired_less_often_than_it_might_is_not_reported():
    with fake_store(buckets=["photos"]) as store:
        store.fail("GET Object", faults.ServiceError("SlowDown"), times=5)
        statuses(store, 1)


def test_a_fault_that_was_to_stand_by_until_the_end_is_not_reported():
    with fake_store() as store:
        store.fail("GET Object", faults.ConnectionReset(), times=None)


def test_an_unfired_fault_never_replaces_an_exception_that_is_leaving():
    with pytest.raises(ZeroDivisionError):
        with fake_store() as store:
            store.fail("GET Object", faults.ConnectionReset())
            _ = 1 / 0


def test_a_reset_takes_faults_away():
    with fake_store() as store:
        store.fail("GET Object", faults.ConnectionReset())
        store.reset()
