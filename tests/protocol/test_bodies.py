"""Bodies of every kind that requests sends, as urllib3 and http.client put them on a real connection."""

from __future__ import annotations

import io
import mmap
from array import array

import pytest
import requests
from urllib3.util import Timeout

from fakestore import Request
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import outcome, send

decision = pytest.mark.decision


class Reader:
    """A file-like body: what `read` returns is sent, and what iteration yields is not."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def read(self, size=-1):
        return self.pieces.pop(0) if self.pieces else b""

    def __iter__(self):
        return iter([b"not", b"this"])


def put(store, body, length=None):
    """Put a body, and return the error code or the content that was stored."""
    headers = {} if length is None else {"Content-Length": str(length)}
    store.session().put(store.url("photos", "cat"), data=body, headers=headers)
    return store.exchanges[-1].error_code or store["photos"]["cat"].content


# -- kinds of bodies


@decision("requests-that-cannot-be-sent")
def test_body_that_cannot_be_sent_is_a_type_error(store):
    for body in [
        lambda: iter([1, 2, 0]),
        lambda: iter([b"ab", 1]),
        lambda: iter([[1, 2, 3]]),
        lambda: iter([object()]),
        lambda: Reader(b"ab", 3),
    ]:
        with pytest.raises(TypeError):
            put(store, body(), 3)
        assert list(store["photos"]) == []


def test_body_is_stored_as_http_client_sends_it(store):
    for case in each(
        lambda: iter([b"ab", b"", b"c"]),
        lambda: iter([b"ab", None, b"c"]),
        lambda: iter([bytearray(b"ab"), memoryview(b"c")]),
        lambda: iter([array("B", [97, 98, 99])]),
        lambda: iter([[b"ab"], [b"c"]]),
        lambda: iter(["ab", "c"]),
        lambda: Reader(bytearray(b"ab"), "c"),
        lambda: Reader(b"abc", None, b"d"),
        lambda: Reader(b"abc", "", b"d"),
    ):
        with case as body:
            assert put(store, body(), 3) == b"abc"
    assert put(store, iter(["ü", "b"]), 3) == put(store, Reader("ü", "b", ""), 3) == "üb".encode()


@decision("requests-that-cannot-be-sent")
@pytest.mark.parametrize("position", [0, 4])
def test_mapped_file_is_sent_from_its_position(store, tmp_path, position):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as body:
        body.seek(position)
        assert put(store, body) == b"0123456789"[position:]


# -- how much of a body is read


def endless():
    """Yield one byte at a time, and fail if many more than the announced four are requested."""
    for _ in range(8):
        yield b"x"
    raise AssertionError("the body was read too far")


@pytest.mark.parametrize("as_file", [False, True], ids=["iterator", "file"])
def test_endless_body_is_read_little_further_than_announced(store, as_file):
    body = endless()
    if as_file:
        file = Reader()
        file.read = lambda size=-1: next(body)
    assert put(store, file if as_file else body, 4) == "IncompleteBody"
    assert list(store["photos"]) == []


@pytest.fixture
def parts():
    """An iterator of three parts, and the list of those that were read."""
    read = []

    def body():
        for part in (b"me", b"ow", b"!!"):
            read.append(part)
            yield part

    return body(), read


@pytest.mark.parametrize(
    ("bucket", "headers", "read"),
    [
        ("photos", {"Content-Length": "6"}, [b"me", b"ow", b"!!"]),
        ("nosuch", {"Content-Length": "4"}, [b"me", b"ow"]),
        ("nosuch", {"Content-Length": "9"}, [b"me", b"ow", b"!!"]),
        ("nosuch", {"Content-Length": "6", "Expect": "100-continue"}, []),
    ],
    ids=["stored", "refused", "refused and too short", "refused before it is sent"],
)
def test_body_is_sent_once_even_if_it_is_refused(store, parts, bucket, headers, read):
    body, was_read = parts
    answer = store.session().put(store.url(bucket, "cat"), data=body, headers=headers)
    assert (answer.status_code, was_read) == (200 if bucket == "photos" else 404, read)


def test_file_is_sent_to_a_service_that_refuses_it(store):
    stranger = store.create_account("eve")
    for bucket, refused in (("nosuch", (404, "NoSuchBucket")), ("photos", (403, "AccessDenied"))):
        body = io.BytesIO(bytes(200_000))
        answer = store.session(stranger).put(store.url(bucket, "cat"), data=body)
        assert (outcome(answer), body.tell()) == (refused, 200_000)


# -- the length of a body


def without_length(store, method, body, headers=None):
    """Send a signed request without the headers that requests adds for the length of its body."""
    url = store.url("photos", "dog")
    request = requests.Request(method, url, data=body, headers=headers, auth=store.auth()).prepare()
    request.headers.pop("Content-Length", None)
    request.headers.pop("Transfer-Encoding", None)
    answer = requests.Session().send(request)
    return answer, store.exchanges[-1].request.headers


@decision("requests-that-cannot-be-sent")
def test_body_that_cannot_be_iterated_is_not_sent(store):
    with pytest.raises(TypeError, match="not iterable"):
        requests.put(store.url("photos", "cat"), data=12)
    assert list(store.exchanges) == []


@decision("unexpected-body")
def test_body_without_a_length_is_sent_chunked(store):
    store["photos"].put("cat", b"meow")
    for kind in [bytes, io.BytesIO, lambda body: iter([body])]:
        for method, headers in [("DELETE", {}), ("PUT", {"x-svc-copy-source": "/photos/cat"})]:
            answer, sent = without_length(store, method, kind(b"meow"), headers)
            assert outcome(answer) == (400, "UnexpectedContent")
            assert sent.get("transfer-encoding") == "chunked"
            assert stack(store, "photos", "dog") == []


def test_request_without_a_body_has_no_length(store):
    _, sent = without_length(store, "DELETE", None)
    assert (sent.get("transfer-encoding"), sent.get("content-length")) == (None, None)


def test_request_built_by_a_test_has_the_length_of_its_body(store):
    headers = requests.Request("PUT", store.url("photos", "cat"), auth=store.auth()).prepare().headers
    del headers["Content-Length"]
    for content in (b"meow", b""):
        assert store.handle(Request.to_url("PUT", store.url("photos", "cat"), headers, content)).status == 200
        assert store["photos"]["cat"].content == content
    store.handle(Request.to_url("GET", store.url("photos", "cat"), headers))
    assert "content-length" not in store.exchanges[-1].request.headers


def test_request_built_by_a_test_cannot_have_text_as_its_body(store):
    with pytest.raises(TypeError, match=r"not str.*encode"):
        Request.to_url("PUT", store.url("photos", "cat"), body="meow")


@decision("unexpected-body")
def test_body_of_a_head_is_ignored(store):
    store["photos"].put("cat.jpg", b"meow")
    for target in ("/cat.jpg", "/"):
        assert send(store, "HEAD", "photos", target, body=b"a body").status == 200
        assert store.session().head(f"http://photos.objects.test{target}", data=b"a body").status_code == 200
    assert stack(store, "photos", "cat.jpg") == [b"meow"]


@decision("content-length")
def test_empty_content_length_of_a_put_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    before = state_of(store)
    for case in each(
        ("photos", "/new.jpg", {}),
        ("photos", "/copy.jpg", {"x-svc-copy-source": "/photos/cat.jpg"}),
        ("photos", "/cat.jpg?acl", {"x-svc-acl": "public-read"}),
        ("photos", "/?acl", {"x-svc-acl": "public-read"}),
        ("films", "/", {}),
    ):
        with case as (bucket, target, headers):
            answer = send(store, "PUT", bucket, target, {**headers, "Content-Length": ""})
            assert outcome(answer) == (400, "InvalidArgument")
    assert state_of(store) == before


# -- timeouts


def refusal_of_requests(timeout):
    """Return the error that requests itself raises before it connects to a server."""
    prepared = requests.Request("PUT", "http://127.0.0.1:1/").prepare()
    with pytest.raises(ValueError, match="imeout") as refused:
        requests.adapters.HTTPAdapter().send(prepared, timeout=timeout)
    return str(refused.value)


INVALID = [(1, 2, 3), (1,), -1, 0, "x", True, (1, "x"), (1, -1), [1, 2]]
#: Determined before a store is active.
REFUSALS = {repr(timeout): refusal_of_requests(timeout) for timeout in INVALID}


@decision("requests-that-cannot-be-sent")
def test_invalid_timeout_is_refused_like_by_requests(store):
    for timeout in INVALID:
        with pytest.raises(ValueError, match="imeout") as refused:
            store.session().put(store.url("photos", "cat"), timeout=timeout)
        assert (str(refused.value), list(store.exchanges)) == (REFUSALS[repr(timeout)], [])


def test_valid_timeout_is_accepted(store):
    for case in each(None, 0.5, (1, None), Timeout(1, 2, 3)):
        with case as timeout:
            assert store.session().put(store.url("photos", "cat"), timeout=timeout).status_code == 200
