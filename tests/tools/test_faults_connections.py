"""Connections that fail, as `requests` sees them: as it sees the same failure of a real socket."""

from __future__ import annotations

import io
import time
from typing import NamedTuple

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import UnrewindableBodyError
from urllib3.util import Retry, Timeout

from fakestore import faults

KEY = "cat.jpg"

no_retry = 0
one_retry = Retry(1, backoff_factor=0)
no_read_retry = Retry(1, read=False, backoff_factor=0)
retried_status = Retry(1, status_forcelist=[503], backoff_factor=0)
retried_status_answered = Retry(1, status_forcelist=[503], raise_on_status=False, backoff_factor=0)

every_retry = pytest.mark.parametrize(
    "retries",
    [no_retry, one_retry, no_read_retry, retried_status, retried_status_answered],
    ids=["no retry", "Retry(1)", "read=False", "status_forcelist", "raise_on_status=False"],
)


class Outcome(NamedTuple):
    """What a client sees of a request: what it raised, and where; or the status."""

    sending: type | int
    reading: type | bytes | None = None


def outcome(session, method, url, **options):
    try:
        response = session.request(method, url, stream=True, **options)
    except (requests.RequestException, UnrewindableBodyError) as error:
        return Outcome(type(error))
    try:
        content = response.content
    except requests.RequestException as error:
        return Outcome(response.status_code, type(error))
    return Outcome(response.status_code, content if response.ok else None)


def session_with(retries, session=None):
    session = session or requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retries))
    return session


def faked(store, fault, retries, operation="GET Object", method="GET", **options):
    """What a client sees of a request that always meets the fault, and how often it was sent."""
    store.fail(operation, fault, times=None)
    url = store.url("photos", KEY)
    seen = outcome(session_with(retries, store.session()), method, url, **options)
    return seen, len(store.exchanges)


PATHS = {
    "/reset": faults.ConnectionReset(),
    "/silent": faults.ReadTimeout(),
    "/503": faults.ServiceError("SlowDown"),
    "/503-later": faults.ServiceError("SlowDown", retry_after=0),
    "/cut": faults.TruncatedBody(9),
}
METHODS = {"GET": {}, "PUT": {"data": b"meow"}, "DELETE": {}, "HEAD": {}}


@pytest.fixture
def real(loopback, monkeypatch):
    """As ``outcome``, of the loopback server: stores are not in the way, and waiting is short."""

    def real(path, retries, method="GET", **options):
        monkeypatch.setattr(HTTPAdapter, "send", REAL_SEND)
        seen = outcome(session_with(retries), method, loopback.url + path, timeout=0.15, **options)
        monkeypatch.undo()
        return seen, len(loopback.bodies)

    return real


REAL_SEND = HTTPAdapter.send


@every_retry
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", ["/reset", "/silent", "/503", "/503-later"])
def test_a_fault_is_seen_and_retried_as_on_a_real_socket(fakestore, photos, real, path, retries, method):
    assert faked(fakestore, PATHS[path], retries, f"{method} Object", method, **METHODS[method]) == real(
        path, retries, method, **METHODS[method]
    )


@every_retry
def test_a_cut_body_is_seen_as_on_a_real_socket(fakestore, photos, real, retries):
    assert faked(fakestore, PATHS["/cut"], retries) == real("/cut", retries)


@every_retry
def test_a_cut_chunked_body_is_seen_as_on_a_real_socket(fakestore, photos, real, retries):
    fakestore.fail("PUT Object Copy", faults.TruncatedBody(9), times=None)
    seen = outcome(
        session_with(retries, fakestore.session()),
        "PUT",
        fakestore.url("photos", "copy.jpg"),
        headers={"x-svc-copy-source": f"/photos/{KEY}"},
    )
    assert (seen, len(fakestore.exchanges)) == real("/cut-chunked", retries, "PUT")


@every_retry
def test_a_connect_timeout_is_seen_as_on_a_real_socket(fakestore, photos, nobody_accepts, monkeypatch, retries):
    seen, _ = faked(fakestore, faults.ConnectTimeout(), retries)
    monkeypatch.setattr(HTTPAdapter, "send", REAL_SEND)
    assert seen == outcome(session_with(retries), "GET", nobody_accepts, timeout=0.1)


@pytest.mark.parametrize(
    ("fault", "retries", "raised", "sent"),
    [
        (faults.ReadTimeout(), no_retry, requests.ReadTimeout, 1),
        (faults.ReadTimeout(), one_retry, requests.ConnectionError, 2),
        (faults.ReadTimeout(), no_read_retry, requests.ReadTimeout, 1),
        (faults.ConnectionReset(), no_retry, requests.ConnectionError, 1),
        (faults.ConnectionReset(), one_retry, requests.ConnectionError, 2),
        (faults.ConnectionReset(), no_read_retry, requests.ConnectionError, 1),
        (faults.ConnectTimeout(), no_retry, requests.ConnectTimeout, 1),
        (faults.ConnectTimeout(), one_retry, requests.ConnectTimeout, 2),
        (faults.ConnectTimeout(), no_read_retry, requests.ConnectTimeout, 2),
        (faults.ServiceError("SlowDown"), one_retry, 503, 1),
        (faults.ServiceError("SlowDown"), retried_status, requests.exceptions.RetryError, 2),
        (faults.ServiceError("SlowDown"), retried_status_answered, 503, 2),
    ],
)
def test_what_a_lasting_fault_becomes(fakestore, photos, fault, retries, raised, sent):
    assert faked(fakestore, fault, retries) == (Outcome(raised), sent)


@pytest.mark.parametrize(
    ("fault", "retries"),
    [
        (faults.ReadTimeout(), one_retry),
        (faults.ConnectionReset(), one_retry),
        (faults.ConnectTimeout(), one_retry),
        (faults.ConnectTimeout(), no_read_retry),
        (faults.ServiceError("SlowDown"), retried_status),
    ],
)
def test_a_retry_that_meets_no_fault_any_more_succeeds(fakestore, photos, fault, retries):
    fakestore.fail("PUT Object", fault)
    answer = session_with(retries, fakestore.session()).put(fakestore.url("photos", "new"), data=b"meow")
    assert (answer.status_code, photos["new"].content, len(fakestore.calls("PUT Object"))) == (200, b"meow", 2)


def test_a_retry_that_may_not_repeat_the_method_does_not(fakestore, photos):
    fakestore.fail("PUT Object", faults.ReadTimeout())
    session = session_with(Retry(3, allowed_methods=["GET"]), fakestore.session())
    with pytest.raises(requests.ReadTimeout):
        session.put(fakestore.url("photos", "new"), data=b"meow")


def test_a_read_timeout_fires_without_a_timeout_of_the_client(fakestore, photos):
    fakestore.fail("GET Object", faults.ReadTimeout())
    with pytest.raises(requests.ReadTimeout, match="a fault that was asked for"):
        fakestore.session().get(fakestore.url("photos", KEY), timeout=None)


@pytest.mark.parametrize("fault", [faults.ConnectionReset(), faults.ConnectTimeout(), faults.ReadTimeout()])
def test_a_connection_that_fails_stores_nothing(fakestore, photos, fault):
    fakestore.fail("PUT Object", fault)
    with pytest.raises(requests.RequestException):
        fakestore.session().put(fakestore.url("photos", "new"), data=b"meow")
    assert "new" not in photos


def test_a_retry_waits_as_long_as_retry_after_says(fakestore, photos):
    fakestore.fail("GET Object", faults.ServiceError("SlowDown", retry_after=1))
    begun = time.perf_counter()
    answer = session_with(one_retry, fakestore.session()).get(fakestore.url("photos", KEY))
    assert (answer.status_code, time.perf_counter() - begun >= 1) == (200, True)


# -- bodies


@pytest.mark.parametrize("fault", [faults.ConnectionReset(), faults.ReadTimeout(), faults.ConnectTimeout()])
def test_a_file_body_is_sent_whole_again_from_where_it_stood(fakestore, photos, fault):
    fakestore.fail("PUT Object", fault, times=2)
    body = io.BytesIO(b"not this, but this")
    body.seek(10)
    session = session_with(Retry(2, backoff_factor=0), fakestore.session())
    session.put(fakestore.url("photos", "new"), data=body)
    assert photos["new"].content == b"but this"


def test_a_file_body_is_sent_whole_again_after_a_status_that_is_retried(fakestore, photos):
    fakestore.fail("PUT Object", faults.AfterCommit(faults.ServiceError("InternalError", status=503)))
    session = session_with(retried_status, fakestore.session())
    session.put(fakestore.url("photos", "new"), data=io.BytesIO(b"whole"))
    assert photos["new"].content == b"whole"


class ToldOnly:
    """A file body that says where it stands and stays there."""

    def __init__(self):
        self._left = io.BytesIO(b"whole")

    def __len__(self):
        return len(b"whole")

    def read(self, size=-1):
        return self._left.read(size)

    def tell(self):
        return self._left.tell()


class Untold(ToldOnly):
    def tell(self):
        raise OSError("a pipe")

    def seek(self, position):
        self._left.seek(position)


class Unsought(ToldOnly):
    def seek(self, position):
        raise OSError("a pipe")


BODIES = {each.__name__: each for each in (ToldOnly, Untold, Unsought)}


@every_retry
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("path", ["/reset", "/503", "/503-later"])
def test_a_body_that_cannot_be_rewound_is_seen_as_on_a_real_socket(fakestore, photos, real, path, body, retries):
    assert faked(fakestore, PATHS[path], retries, "PUT Object", "PUT", data=BODIES[body]()) == real(
        path, retries, "PUT", data=BODIES[body]()
    )


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (Untold, "Unable to record file position for rewinding request body during a redirect/retry."),
        (ToldOnly, "body does not implement seek."),
        (Unsought, "An error occurred when rewinding request body for redirect/retry."),
    ],
)
def test_a_body_that_cannot_be_rewound_is_not_sent_again(fakestore, photos, body, sentence):
    fakestore.fail("PUT Object", faults.ConnectionReset())
    with pytest.raises(UnrewindableBodyError) as raised:
        session_with(one_retry, fakestore.session()).put(fakestore.url("photos", "new"), data=body())
    assert (str(raised.value), len(fakestore.exchanges), "new" in photos) == (sentence, 1, False)


def test_an_os_error_of_the_clients_own_body_is_a_connection_error(fakestore, photos):
    def body():
        yield b"begun"
        raise OSError("the disk is gone")

    with pytest.raises(requests.ConnectionError, match="the disk is gone"):
        fakestore.session().put(fakestore.url("photos", "new"), data=body(), headers={"Content-Length": "100"})
    assert "new" not in photos


def test_an_os_error_of_the_clients_own_body_is_seen_as_on_a_real_socket(fakestore, photos, real):
    def body():
        yield b"begun"
        raise OSError("the disk is gone")

    announced = {"Content-Length": "100"}
    seen = outcome(fakestore.session(), "PUT", fakestore.url("photos", "new"), data=body(), headers=announced)
    assert seen == real("/ok", no_retry, "PUT", data=body(), headers=announced)[0]


def test_any_other_error_of_the_clients_own_body_passes(fakestore, photos):
    def body():
        yield b"begun"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fakestore.session().put(fakestore.url("photos", "new"), data=body(), headers={"Content-Length": "100"})


# -- latency


def test_a_latency_is_waited_for(fakestore, photos):
    fakestore.fail("GET Object", faults.Latency(0.05))
    begun = time.perf_counter()
    status = fakestore.session().get(fakestore.url("photos", KEY)).status_code
    assert (status, time.perf_counter() - begun >= 0.05) == (200, True)


@pytest.mark.parametrize("timeout", [0.01, (9, 0.01), Timeout(read=0.01), Timeout(0.01)])
def test_a_latency_that_reaches_the_read_timeout_becomes_one(fakestore, photos, timeout):
    fakestore.fail("GET Object", faults.Latency(30))
    with pytest.raises(requests.ReadTimeout):
        fakestore.session().get(fakestore.url("photos", KEY), timeout=timeout)


@pytest.mark.parametrize("timeout", [None, 9, (0.001, None), (0.001, 9), Timeout(connect=0.001, read=9), Timeout(9)])
def test_a_latency_under_the_read_timeout_is_an_answer(fakestore, photos, timeout):
    fakestore.fail("GET Object", faults.Latency(0.01))
    assert fakestore.session().get(fakestore.url("photos", KEY), timeout=timeout).status_code == 200


def test_a_latency_ends_in_a_timeout_after_the_operation_was_done(fakestore, photos):
    fakestore.fail("PUT Object", faults.Latency(30))
    with pytest.raises(requests.ReadTimeout):
        fakestore.session().put(fakestore.url("photos", "new"), data=b"meow", timeout=0.01)
    assert photos["new"].content == b"meow"


def test_a_latency_also_delays_a_refusal(fakestore, photos):
    fakestore.fail("GET Object", faults.Latency(30))
    with pytest.raises(requests.ReadTimeout):
        fakestore.session().get(fakestore.url("photos", "none"), timeout=0.01)


# -- done, then failed


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (faults.ConnectionReset(), requests.ConnectionError),
        (faults.ReadTimeout(), requests.ReadTimeout),
        (faults.ConnectTimeout(), requests.ConnectTimeout),
        (faults.ServiceError("InternalError"), 500),
    ],
)
def test_after_commit_the_object_is_stored_and_the_client_sees_the_failure(fakestore, photos, fault, seen):
    fakestore.fail("PUT Object", faults.AfterCommit(fault))
    answer = outcome(fakestore.session(), "PUT", fakestore.url("photos", "new"), data=b"meow")
    assert (answer, photos["new"].content) == (Outcome(seen), b"meow")


def test_after_commit_with_a_retry_a_versioned_bucket_holds_it_twice(fakestore, photos):
    photos.set_versioning("enabled")
    fakestore.fail("PUT Object", faults.AfterCommit(faults.ConnectionReset()))
    session_with(one_retry, fakestore.session()).put(fakestore.url("photos", "new"), data=b"meow")
    assert [version.content for version in photos.versions("new")] == [b"meow", b"meow"]


def test_after_commit_a_delete_is_done(fakestore, photos):
    fakestore.fail("DELETE Object", faults.AfterCommit(faults.ReadTimeout()))
    with pytest.raises(requests.ReadTimeout):
        fakestore.session().delete(fakestore.url("photos", KEY))
    assert list(photos) == []


def test_a_request_that_is_refused_has_committed_nothing_and_the_failure_waits_for_another(fakestore, photos):
    fakestore.fail("PUT Object", faults.AfterCommit(faults.ServiceError("InternalError")))
    session, url = fakestore.session(), fakestore.url("photos", "new")
    refused = session.put(url, data=b"meow", headers={"Content-MD5": "AAAA"})
    committed = session.put(url, data=b"meow")
    assert (refused.status_code, committed.status_code, photos["new"].content) == (400, 500, b"meow")


@pytest.mark.parametrize("fault", [faults.AfterCommit(faults.ConnectionReset()), faults.Latency(0)])
def test_a_fault_waits_for_another_where_the_clients_own_body_raises(fakestore, photos, fault):
    def body():
        yield b"me"
        raise LookupError

    fakestore.fail("PUT Object", fault)
    with pytest.raises(LookupError):
        fakestore.session().put(fakestore.url("photos", "new"), data=body(), headers={"Content-Length": "4"})
    assert fakestore.exchanges[-1].fault is None
    with pytest.raises(AssertionError, match="faults that never fired"):
        fakestore.check()
    fakestore.reset()
