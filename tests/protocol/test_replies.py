"""How long a reply says that it is, and what an error does not repeat."""

from __future__ import annotations

import pytest

from tests.support.wire import elements, send

decision = pytest.mark.decision


@pytest.mark.parametrize(
    ("method", "target", "length"),
    [
        ("GET", "/cat.jpg", "4"),
        ("HEAD", "/cat.jpg", "4"),
        ("PUT", "/?acl", "0"),
        ("DELETE", "/?policy", None),
        ("DELETE", "/cat.jpg", "0"),
    ],
)
def test_reply_has_the_length_of_its_body(store, method, target, length):
    store["photos"].put("cat.jpg", b"meow")
    answer = send(store, method, "photos", target, {"x-svc-acl": "private"} if target == "/?acl" else {})
    assert answer.headers.get("Content-Length") == length


@decision("continuation-token")
@pytest.mark.parametrize("token", ["secret", "Zm9v", ""])
def test_error_about_a_wrong_token_does_not_repeat_it(store, token):
    answer = send(store, "GET", "photos", f"/?list-type=2&continuation-token={token}")
    document = elements(answer)
    assert (document["Code"], document["ArgumentName"]) == ("InvalidArgument", "continuation-token")
    assert "ArgumentValue" not in document
