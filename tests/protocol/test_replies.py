"""How long a reply says that it is, and what an error does not repeat or say to HEAD."""

from __future__ import annotations

import pytest

from fakestore import faults
from tests.support.cases import each
from tests.support.wire import elements, own_headers, send

decision = pytest.mark.decision


def test_reply_has_the_length_of_its_body(store):
    store["photos"].put("cat.jpg", b"meow")
    for case in each(
        ("GET", "/cat.jpg", "4"),
        ("HEAD", "/cat.jpg", "4"),
        ("PUT", "/?acl", "0"),
        ("DELETE", "/?policy", None),
        ("DELETE", "/cat.jpg", "0"),
    ):
        with case as (method, target, length):
            answer = send(store, method, "photos", target, {"x-svc-acl": "private"} if target == "/?acl" else {})
            assert answer.headers.get("Content-Length") == length


@decision("continuation-token")
def test_error_about_a_wrong_token_does_not_repeat_it(store):
    for case in each("secret", "Zm9v", ""):
        with case as token:
            answer = send(store, "GET", "photos", f"/?list-type=2&continuation-token={token}")
            document = elements(answer)
            assert (document["Code"], document["ArgumentName"]) == ("InvalidArgument", "continuation-token")
            assert "ArgumentValue" not in document


@decision("errors-to-head")
@pytest.mark.parametrize(
    ("bucket", "target", "headers", "status"),
    [
        ("photos", "/never.jpg", {}, 404),
        ("photos", "/gone.jpg?versionId=null", {}, 405),
        ("photos", "/cat.jpg", {"If-Match": '"another"'}, 412),
        ("photos", "/cat.jpg", {"Range": "bytes=100-"}, 416),
        ("films", "/cat.jpg", {}, 404),
        ("films", "/", {}, 404),
        ("photos", "/dog.jpg", {}, 503),
    ],
)
def test_error_to_head_is_that_to_get_without_a_length_and_a_body(store, bucket, target, headers, status):
    store["photos"].versioning = "suspended"
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].delete("gone.jpg")
    store.fail(None, faults.ServiceError("SlowDown", retry_after=7), key="dog.jpg", times=None)
    get, head = (send(store, method, bucket, target, headers) for method in ("GET", "HEAD"))
    assert (get.status, head.status, head.body, head.chunked) == (status, status, b"", False)
    said = {name: value for name, value in own_headers(get).items() if name not in ("content-length", "content-type")}
    assert {name: value for name, value in own_headers(head).items() if name != "content-type"} == said


@decision("errors-to-head")
def test_requests_finds_no_length_in_an_error_to_head(store):
    missing = store.session().head(store.url("films"))
    assert (missing.status_code, missing.content, "Content-Length" in missing.headers) == (404, b"", False)
