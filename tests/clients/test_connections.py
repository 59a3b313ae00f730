"""Connections that fail. `requests` sees them exactly as the same failure of a real socket."""

from __future__ import annotations

import errno
import io
import itertools
import time
from http.client import HTTPException
from typing import NamedTuple

import httpx
import pytest
import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.exceptions import MaxRetryError, ProxyError, ResponseError, SSLError, UnrewindableBodyError
from urllib3.util import Retry, Timeout

from fakestore import FakeStore, fake_store, faults
from tests.support.cases import each

KEY = "cat.jpg"
REAL_SEND = HTTPAdapter.send

no_retry = Retry(0, read=False)
one_retry = Retry(1, backoff_factor=0)
no_read_retry = Retry(1, read=False, backoff_factor=0)
retried_status = Retry(1, status_forcelist=[503], backoff_factor=0)
retried_status_answered = Retry(1, status_forcelist=[503], raise_on_status=False, backoff_factor=0)
RETRIES = {
    "no retry": no_retry,
    "Retry(1)": one_retry,
    "read=False": no_read_retry,
    "status_forcelist": retried_status,
    "raise_on_status=False": retried_status_answered,
}
every_retry = pytest.mark.parametrize("retries", RETRIES.values(), ids=RETRIES)


class Outcome(NamedTuple):
    """What a client sees of a request: what it raised, or the status, and the body or what reading it raised.

    `failed` is the method of the request that the error has.
    """

    sending: type | int
    reading: type | bytes | None = None
    failed: str | None = None


def outcome(session, method, url, **options):
    try:
        response = session.request(method, url, stream=True, **options)
    except (requests.RequestException, UnrewindableBodyError, ValueError) as error:
        request = getattr(error, "request", None)  # an error of requests has the request
        return Outcome(type(error), failed=request and request.method)
    with response:
        try:
            content = response.content
        except requests.RequestException as error:
            return Outcome(response.status_code, type(error))
    return Outcome(response.status_code, content if response.ok else None)


def session_with(retries, session=None):
    session = session or requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retries))
    return session


def faked(fault, retries, operation="GET Object", method="GET", key=KEY, **options):
    """Return what a client sees of a request that always meets the fault, and how often it was sent."""
    with fake_store(buckets=["photos"]) as store:
        store["photos"].put(KEY, b"only this" + b"x" * 91)
        store.fail(operation, fault, times=None)
        seen = outcome(session_with(retries, store.session()), method, store.url("photos", key), **options)
        return seen, len(store.exchanges)


FAULTS = {
    "/reset": faults.ConnectionReset(),
    "/silent": faults.ReadTimeout(),
    "/503": faults.ServiceError("SlowDown"),
    "/503-later": faults.ServiceError("SlowDown", retry_after=0),
    "/cut": faults.TruncatedBody(9),
}
BODIES = {"PUT": {"data": b"meow"}}


@pytest.fixture
def real(loopback, monkeypatch):
    """Return a function like `outcome` for the loopback server, without the store in the way."""

    def real(path, retries, method="GET", **options):
        monkeypatch.setattr(HTTPAdapter, "send", REAL_SEND)
        before = len(loopback.bodies)
        with session_with(retries) as session:
            seen = outcome(session, method, loopback.url + path, timeout=0.15, **options)
        monkeypatch.undo()
        return seen, len(loopback.bodies) - before

    return real


@pytest.mark.parametrize("path", ["/reset", "/silent", "/503", "/503-later"])
def test_a_fault_is_seen_and_retried_as_on_a_socket(real, path):
    # No status arrives from /silent, and each attempt waits for its timeout, so retries of a status are left out.
    different = [each for name, each in RETRIES.items() if path != "/silent" or "status" not in name]
    for case in each(*itertools.product(("GET", "PUT", "HEAD"), different)):
        with case as (method, retries):
            options = BODIES.get(method, {})
            seen = faked(FAULTS[path], retries, f"{method} Object", method, **options)
            assert seen == real(path, retries, method, **options)


def test_a_truncated_body_is_seen_as_on_a_socket(real):
    source = {"headers": {"x-svc-copy-source": f"/photos/{KEY}"}}
    for case in each(*RETRIES.items()):
        with case as (_, retries):
            assert faked(FAULTS["/cut"], retries) == real("/cut", retries)
            chunked = faked(FAULTS["/cut"], retries, "PUT Object Copy", "PUT", key="copy", **source)
            assert chunked == real("/cut-chunked", retries, "PUT")


@every_retry
def test_a_connect_timeout_is_seen_as_on_a_socket(full_queue, monkeypatch, retries):
    seen, _ = faked(faults.ConnectTimeout(), retries)
    monkeypatch.setattr(HTTPAdapter, "send", REAL_SEND)
    assert seen == outcome(session_with(retries), "GET", full_queue, timeout=0.1)


@pytest.mark.parametrize(
    ("fault", "retries"),
    [
        (faults.ReadTimeout(), one_retry),
        (faults.ConnectionReset(), one_retry),
        (faults.ConnectTimeout(), no_read_retry),
        (faults.ServiceError("SlowDown"), retried_status),
    ],
)
def test_a_retry_after_the_fault_succeeds(fakestore, photos, fault, retries):
    fakestore.fail("PUT Object", fault)
    answer = session_with(retries, fakestore.session()).put(fakestore.url("photos", "new"), data=b"meow")
    assert (answer.status_code, photos["new"].content, len(fakestore.calls("PUT Object"))) == (200, b"meow", 2)


def test_a_method_that_may_not_be_retried_is_sent_once(fakestore, photos):
    fakestore.fail("PUT Object", faults.ReadTimeout())
    session = session_with(Retry(3, allowed_methods=["GET"]), fakestore.session())
    with pytest.raises(requests.ReadTimeout, match="fault"):
        session.put(fakestore.url("photos", "new"), data=b"meow", timeout=None)
    assert (len(fakestore.exchanges), "new" in photos) == (1, False)


# -- waiting


def test_the_store_waits_by_the_function_of_its_option(monkeypatch):
    waited = []
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("waited really"))
    with fake_store(buckets=["photos"], sleep=waited.append) as store:
        store["photos"].put(KEY)
        session = session_with(Retry(3, status_forcelist=[503], backoff_factor=10), store.session())
        store.fail("GET Object", faults.ConnectionReset(), times=2)
        store.fail("GET Object", faults.ServiceError("SlowDown", retry_after=7))
        store.fail("GET Object", faults.Latency(3))
        assert session.get(store.url("photos", KEY)).status_code == 200
        store.fail("GET Object", faults.Latency(30))
        with pytest.raises(requests.ReadTimeout):
            store.session().get(store.url("photos", KEY), timeout=4)
    assert waited == [20, 7, 3, 4]


def test_a_mounted_adapter_waits_by_the_function_too():
    waited = []
    store = FakeStore(buckets=["photos"], sleep=waited.append)
    session = store.session()
    session.mount("http://", store.adapter(max_retries=one_retry))
    store.fail("GET Bucket", faults.Latency(3))
    assert (session.get(store.url("photos")).status_code, waited) == (200, [3])


def test_without_the_option_the_store_really_waits(fakestore, photos):
    fakestore.fail("GET Object", faults.Latency(0.05))
    started = time.perf_counter()
    status = fakestore.session().get(fakestore.url("photos", KEY)).status_code
    assert (status, time.perf_counter() - started >= 0.05) == (200, True)


def test_retries_that_ignore_retry_after_wait_by_their_own_rule_only():
    waited = []
    with fake_store(buckets=["photos"], sleep=waited.append) as store:
        store.fail("GET Bucket", faults.ServiceError("SlowDown", retry_after=7))
        session = session_with(Retry(1, status_forcelist=[503], respect_retry_after_header=False), store.session())
        assert (session.get(store.url("photos")).status_code, waited) == (200, [])


def test_timeout_that_an_adapter_gets_by_position_counts(fakestore, photos):
    fakestore.fail("GET Object", faults.Latency(30))
    prepared = requests.Request("GET", fakestore.url("photos", KEY), auth=fakestore.auth()).prepare()
    with pytest.raises(requests.ReadTimeout):
        HTTPAdapter().send(prepared, False, 0.01)


@pytest.mark.parametrize("number", [errno.ECONNRESET, errno.EPIPE])
def test_body_that_loses_its_own_connection_is_a_protocol_error_of_urllib3(number):
    def body():
        yield b"me"
        raise OSError(number, "lost")

    with fake_store(dialect="s3", buckets=["photos"]) as store:
        url = store.presign("PUT", "photos", "new", expires_in=9)
        with pytest.raises(urllib3.exceptions.ProtocolError):
            urllib3.request("PUT", url, body=body(), headers={"Content-Length": "4"}, retries=False)
        assert list(store["photos"]) == []


@pytest.mark.parametrize("seconds", [0.01, 30])
@pytest.mark.parametrize("timeout", [0.01, (9, 0.01), Timeout(read=0.01), Timeout(0.01)])
def test_a_latency_of_the_read_timeout_or_more_becomes_one(fakestore, photos, seconds, timeout):
    fakestore.fail("PUT Object", faults.Latency(seconds))
    with pytest.raises(requests.ReadTimeout):
        fakestore.session().put(fakestore.url("photos", "new"), data=b"meow", timeout=timeout)
    assert photos["new"].content == b"meow"  # the operation was done


@pytest.mark.parametrize("timeout", [None, 9, (0.001, None), (0.001, 9), Timeout(connect=0.001, read=9), Timeout(9)])
def test_a_latency_under_the_read_timeout_is_an_answer(fakestore, photos, timeout):
    fakestore.fail("GET Object", faults.Latency(0.01))
    assert fakestore.session().get(fakestore.url("photos", KEY), timeout=timeout).status_code == 200


# -- bodies


def test_a_connect_timeout_sends_nothing_of_a_file(fakestore, photos):
    fakestore.fail("PUT Object", faults.ConnectTimeout())
    body = io.BytesIO(bytes(200_000))
    with pytest.raises(requests.ConnectTimeout):
        fakestore.session().put(fakestore.url("photos", "new"), data=body)
    assert (body.tell(), "new" in photos) == (0, False)


@pytest.mark.parametrize("fault", [faults.ConnectionReset(), faults.ReadTimeout(), faults.ConnectTimeout()])
def test_a_file_is_sent_again_from_where_it_was(fakestore, photos, fault):
    fakestore.fail("PUT Object", fault, times=2)
    body = io.BytesIO(b"not this, but this")
    body.seek(10)
    session_with(Retry(2, backoff_factor=0), fakestore.session()).put(fakestore.url("photos", "new"), data=body)
    assert photos["new"].content == b"but this"


class TellsOnly:
    """A file-like body that tells its position and cannot change it."""

    def __init__(self):
        self._rest = io.BytesIO(b"whole")

    def __len__(self):
        return len(b"whole")

    def read(self, size=-1):
        return self._rest.read(size)

    def tell(self):
        return self._rest.tell()


class Broken(TellsOnly):
    """A body that raises an error whenever it is read."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def read(self, size=-1):
        raise self.error

    def seek(self, position):
        self._rest.seek(position)


class CannotTell(TellsOnly):
    def tell(self):
        raise OSError("a pipe")

    def seek(self, position):
        self._rest.seek(position)


class CannotSeek(TellsOnly):
    def seek(self, position):
        raise OSError("a pipe")


@pytest.mark.parametrize("body", [TellsOnly, CannotTell, CannotSeek])
def test_a_body_that_cannot_be_rewound_is_seen_as_on_a_socket(real, body):
    for case in each(*itertools.product(("/reset", "/503"), RETRIES.items())):
        with case as (path, (_, retries)):
            seen = faked(FAULTS[path], retries, "PUT Object", "PUT", data=body())
            assert seen == real(path, retries, "PUT", data=body())


@pytest.mark.fakestore(allow_network=True)  # for the real connection, if urllib3 is served, too
def test_an_os_error_of_the_body_is_seen_as_on_a_socket(fakestore, photos, real):
    def body():
        yield b"begun"
        raise OSError("the disk is full")

    headers = {"Content-Length": "100"}
    seen = outcome(fakestore.session(), "PUT", fakestore.url("photos", "new"), data=body(), headers=headers)
    assert seen == real("/ok", no_retry, "PUT", data=body(), headers=headers)[0]
    assert "new" not in photos


def test_an_error_of_a_body_without_a_length_reaches_the_caller(fakestore, photos):
    def body():
        yield b"begun"
        raise ValueError("my source is broken")

    url = fakestore.url("photos", "new")
    for case in each(
        lambda: fakestore.session().put(url, data=body()),
        lambda: urllib3.request("PUT", url, body=body(), retries=False),
        lambda: httpx.put(url, content=body()),
    ):
        with case as send, pytest.raises(ValueError, match="my source is broken"):
            send()


@pytest.mark.fakestore(allow_network=True)  # for the real connection, if urllib3 is served, too
@every_retry
def test_an_urllib3_error_of_the_body_is_seen_as_on_a_socket(fakestore, photos, real, retries):
    for case in each(
        MaxRetryError(None, "/", ResponseError("of a request that the body sends")),
        SSLError("of a request that the body sends"),
        ProxyError("of a request that the body sends", OSError()),
        HTTPException("of a request that the body sends"),
    ):
        with case as error:
            session = session_with(retries, fakestore.session())
            seen = outcome(session, "PUT", fakestore.url("photos", "new"), data=Broken(error))
            assert seen == real("/ok", retries, "PUT", data=Broken(error))[0]


@pytest.mark.parametrize("fault", [faults.AfterCommit(faults.ConnectionReset()), faults.Latency(0)])
def test_an_error_of_the_body_passes_and_the_fault_waits(fakestore, photos, fault):
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


@pytest.mark.fakestore(allow_network=True)  # for the real connection, if urllib3 is served, too
def test_a_method_with_control_characters_is_refused_as_by_requests(fakestore, loopback, monkeypatch):
    seen = outcome(fakestore.session(), "GET\n::error::x", fakestore.url("photos", KEY))
    monkeypatch.setattr(HTTPAdapter, "send", REAL_SEND)
    assert seen == outcome(requests.Session(), "GET\n::error::x", loopback.url + "/ok") == Outcome(ValueError)


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
def test_after_commit_the_work_is_done_and_the_client_sees_a_failure(fakestore, photos, fault, seen):
    fakestore.fail("PUT Object", faults.AfterCommit(fault))
    fakestore.fail("DELETE Object", faults.AfterCommit(fault))
    session = fakestore.session()
    put = outcome(session, "PUT", fakestore.url("photos", "new"), data=b"meow")
    delete = outcome(session, "DELETE", fakestore.url("photos", KEY))
    assert (put.sending, delete.sending, list(photos)) == (seen, seen, ["new"])


def test_a_retry_after_commit_writes_a_second_version(fakestore, photos):
    photos.versioning = "enabled"
    fakestore.fail("PUT Object", faults.AfterCommit(faults.ConnectionReset()))
    session_with(one_retry, fakestore.session()).put(fakestore.url("photos", "new"), data=b"meow")
    assert [version.content for version in photos.versions("new")] == [b"meow", b"meow"]


def test_after_commit_waits_for_a_request_that_is_not_refused(fakestore, photos):
    fakestore.fail("PUT Object", faults.AfterCommit(faults.ServiceError("InternalError")))
    session, url = fakestore.session(), fakestore.url("photos", "new")
    refused = session.put(url, data=b"meow", headers={"Content-MD5": "AAAA"})
    committed = session.put(url, data=b"meow")
    assert (refused.status_code, committed.status_code, photos["new"].content) == (400, 500, b"meow")
