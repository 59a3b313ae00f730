"""GET and HEAD, which the specification does not describe: conditions and ranges."""

from __future__ import annotations

import pytest

from fakestore import UnsupportedRequest
from tests.support.wire import elements, etag_of, own_headers, send

decision = pytest.mark.decision

CONTENT = b"0123456789"
EARLIER, EXACTLY, LATER, FUTURE = (
    f"Sat, 21 Nov 2026 {time} GMT" for time in ("11:59:59", "12:00:00", "12:10:00", "12:45:00")
)
RIGHT, WRONG = etag_of(CONTENT), etag_of(b"another")
MATCH, NONE_MATCH = "If-Match", "If-None-Match"
MODIFIED, UNMODIFIED = "If-Modified-Since", "If-Unmodified-Since"


@pytest.fixture(autouse=True)
def cat(store, noon):
    """An object that was written at noon and is read half an hour later."""
    store["photos"].put("cat.jpg", CONTENT)
    noon.tick(1800)


def read(store, headers):
    """Send a GET and a HEAD, and return the reply to GET, to which that to HEAD must be equal without the body."""
    get, head = (send(store, method, "photos", "/cat.jpg", headers) for method in ("GET", "HEAD"))
    assert (head.status, head.body) == (get.status, b"")
    if get.status < 400:
        assert own_headers(head) == own_headers(get)
    return get


@decision("conditional-requests")
@pytest.mark.parametrize(
    ("conditions", "status", "failed"),
    [
        ({MATCH: RIGHT}, 200, None),
        ({MATCH: RIGHT.strip('"')}, 200, None),
        ({MATCH: "*"}, 200, None),
        ({MATCH: f"{WRONG}, {RIGHT}"}, 200, None),
        ({MATCH: WRONG}, 412, MATCH),
        ({UNMODIFIED: EARLIER}, 412, UNMODIFIED),
        ({UNMODIFIED: "Sat, 21 Nov 2026 12:00:01 +0200"}, 412, UNMODIFIED),
        ({UNMODIFIED: EXACTLY}, 200, None),
        ({UNMODIFIED: "Sat, 21 Nov 2026 14:00:01 +0200"}, 200, None),
        ({NONE_MATCH: WRONG}, 200, None),
        ({NONE_MATCH: RIGHT}, 304, None),
        ({NONE_MATCH: "*"}, 304, None),
        ({MODIFIED: EARLIER}, 200, None),
        ({MODIFIED: EXACTLY}, 304, None),
        ({MODIFIED: LATER}, 304, None),
        ({MODIFIED: FUTURE}, 200, None),
        ({MATCH: RIGHT, UNMODIFIED: EARLIER}, 200, None),
        ({MATCH: WRONG, NONE_MATCH: RIGHT}, 412, MATCH),
        ({UNMODIFIED: EARLIER, NONE_MATCH: RIGHT}, 412, UNMODIFIED),
        ({NONE_MATCH: RIGHT, MODIFIED: EARLIER}, 304, None),
        pytest.param({NONE_MATCH: WRONG, MODIFIED: LATER}, 200, None),
        pytest.param({NONE_MATCH: f"W/{RIGHT}"}, 304, None),
    ],
)
def test_conditions_decide_what_a_read_answers(store, conditions, status, failed):
    answer = read(store, conditions)
    assert (answer.status, elements(answer)["Condition"] if failed else None) == (status, failed)
    if status == 200:
        assert answer.body == CONTENT
    if status == 304:
        assert own_headers(answer) == {"etag": RIGHT, "last-modified": EXACTLY}


@decision("conditional-requests")
@pytest.mark.parametrize("name", [MODIFIED, UNMODIFIED])
@pytest.mark.parametrize("value", ["yesterday", f"{EARLIER},{EARLIER}", f"-1,{EARLIER}", ""])
def test_condition_with_an_invalid_date_is_ignored(store, name, value):
    assert read(store, {name: value}).status == 200


@decision("conditional-requests")
@pytest.mark.parametrize(("method", "target"), [("GET", "/cat.jpg?acl"), ("GET", "/"), ("PUT", "/cat.jpg?acl")])
def test_condition_of_another_operation_is_unsupported(store, method, target):
    with pytest.raises(UnsupportedRequest, match="if-match"):
        send(store, method, "photos", target, {MATCH: RIGHT})
    store.unhandled_requests.clear()
    assert store["photos"]["cat.jpg"].content == CONTENT


@decision("range")
@pytest.mark.parametrize(
    ("requested", "answered", "content"),
    [
        ("bytes=0-0", "0-0", b"0"),
        ("bytes=2-4", "2-4", b"234"),
        ("bytes=2-", "2-9", b"23456789"),
        ("bytes=8-99", "8-9", b"89"),
        ("bytes=-3", "7-9", b"789"),
        ("bytes=-99", "0-9", CONTENT),
        ("bytes=0-" + "9" * 400, "0-9", CONTENT),
    ],
)
def test_one_range_is_answered_with_its_bytes(store, requested, answered, content):
    answer = read(store, {"Range": requested})
    assert (answer.status, answer.headers["Content-Range"]) == (206, f"bytes {answered}/10")
    assert (answer.headers["Content-Length"], answer.body) == (str(len(content)), content)


@decision("range")
@pytest.mark.parametrize("requested", ["bytes=0-1,3-4", "bytes=4-2", "bytes=", "bytes=-", "bytes=a-b", "lines=0-1", ""])
def test_range_of_another_form_is_answered_with_the_whole_object(store, requested):
    answer = read(store, {"Range": requested})
    assert (answer.status, answer.body, "Content-Range" in answer.headers) == (200, CONTENT, False)


@decision("range")
@pytest.mark.parametrize("requested", ["bytes=10-", "bytes=10-11", "bytes=-0", "bytes=" + "9" * 400 + "-"])
def test_range_outside_of_the_object_is_refused(store, requested):
    assert read(store, {"Range": requested}).status == 416
    assert store.exchanges[-1].error_code == "InvalidRange"
