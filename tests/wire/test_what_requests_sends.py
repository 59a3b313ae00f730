"""From what `requests` has prepared to what arrives: as its own adapter, and urllib3, would have sent it."""

from __future__ import annotations

import io

import pytest
import requests

from tests.spec.arrange import holdings, refusal, stack


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


def prepared(store, method, url, body, headers=None):
    """Signed, and without what `requests` says of the body's length."""
    request = requests.Request(method, url, data=body, headers=headers, auth=store.auth()).prepare()
    request.headers.pop("Content-Length", None)
    request.headers.pop("Transfer-Encoding", None)
    return request


# -- the length of a body


@pytest.mark.parametrize(
    ("method", "headers"),
    [("DELETE", {}), ("PUT", {"x-svc-copy-source": "/photos/cat.jpg"})],
    ids=["delete", "copy"],
)
@pytest.mark.parametrize("kind", [bytes, io.BytesIO, lambda body: iter([body])], ids=["bytes", "file", "iterator"])
def test_a_body_without_any_length_is_sent_chunked_and_noticed_where_none_belongs(fakestore, method, headers, kind):
    fakestore["photos"].put("cat.jpg", b"meow")
    before = holdings(fakestore)
    request = prepared(fakestore, method, fakestore.url("photos", "dog.jpg"), kind(b"meow"), headers)
    assert refusal(requests.Session().send(request)) == (400, "UnexpectedContent")
    assert fakestore.exchanges[-1].request.headers.get("transfer-encoding") == "chunked"
    assert holdings(fakestore) == before


def test_without_a_body_nothing_is_said_of_its_length(fakestore):
    requests.Session().send(prepared(fakestore, "DELETE", fakestore.url("photos", "dog.jpg"), None))
    headers = fakestore.exchanges[-1].request.headers
    assert (headers.get("transfer-encoding"), headers.get("content-length")) == (None, None)


# -- a body is sent whatever the answer will be


@pytest.fixture
def parts():
    """An iterator of three parts, and those of it that were taken."""
    taken = []

    def body():
        for part in (b"me", b"ow", b"!!"):
            taken.append(part)
            yield part

    return body(), taken


def test_a_file_is_sent_to_a_service_that_refuses_it(fakestore):
    body = io.BytesIO(b"meow")
    answer = fakestore.session().put(fakestore.url("nosuch", "cat.jpg"), data=body)
    assert (refusal(answer), body.tell()) == ((404, "NoSuchBucket"), 4)


def test_an_iterator_is_sent_to_a_service_that_refuses_it_as_far_as_its_length_says(fakestore, parts):
    body, taken = parts
    answer = fakestore.session().put(fakestore.url("nosuch", "cat.jpg"), data=body, headers={"Content-Length": "4"})
    assert (refusal(answer), taken) == ((404, "NoSuchBucket"), [b"me", b"ow"])


def test_a_client_that_waits_for_100_continue_sends_nothing_to_a_service_that_refuses(fakestore, parts):
    body, taken = parts
    headers = {"Content-Length": "6", "Expect": "100-continue"}
    answer = fakestore.session().put(fakestore.url("nosuch", "cat.jpg"), data=body, headers=headers)
    assert (refusal(answer), taken) == ((404, "NoSuchBucket"), [])


def test_a_body_that_was_stored_is_not_read_again(fakestore, parts):
    body, taken = parts
    fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=body, headers={"Content-Length": "6"})
    assert (stack(fakestore, "photos", "cat.jpg"), taken) == ([b"meow!!"], [b"me", b"ow", b"!!"])


# -- the path


@pytest.mark.parametrize(
    ("path", "key"),
    [("//a", "a"), ("///a", "a"), ("//a//b", "a//b"), ("/a//b", "a//b"), ("/a//", "a//"), ("/%2Fa", "/a")],
)
def test_slashes_in_front_of_a_path_are_sent_as_one_for_more_look_like_a_host(fakestore, path, key):
    fakestore.session().put(f"http://photos.objects.test{path}", data=b"meow").raise_for_status()
    assert list(fakestore["photos"]) == [key]
