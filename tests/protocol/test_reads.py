"""GET and HEAD, which the specification does not describe: conditions and ranges."""

from __future__ import annotations

from itertools import product

import pytest

from fakestore import UnsupportedRequest
from tests.support.cases import each
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


def expect(store, conditions, status, failed=None):
    answer = read(store, conditions)
    assert (conditions, answer.status) == (conditions, status)
    if status == 200:
        assert answer.body == CONTENT
    if status == 304:
        assert own_headers(answer) == {"etag": RIGHT, "last-modified": EXACTLY}
    if status == 412:
        assert elements(answer)["Condition"] == failed


@decision("conditional-requests")
def test_conditions_decide_what_a_read_answers(store):
    expect(store, {MATCH: RIGHT}, 200)
    expect(store, {MATCH: RIGHT.strip('"')}, 200)
    expect(store, {MATCH: "*"}, 200)
    expect(store, {MATCH: f"{WRONG}, {RIGHT}"}, 200)
    expect(store, {MATCH: WRONG}, 412, MATCH)
    expect(store, {MATCH: '"X{0}", {0}X, X{0}'.format(RIGHT.strip('"'))}, 412, MATCH)
    expect(store, {UNMODIFIED: EARLIER}, 412, UNMODIFIED)
    expect(store, {UNMODIFIED: "Sat, 21 Nov 2026 12:00:01 +0200"}, 412, UNMODIFIED)
    expect(store, {UNMODIFIED: EXACTLY}, 200)
    expect(store, {UNMODIFIED: "Sat, 21 Nov 2026 14:00:01 +0200"}, 200)
    expect(store, {NONE_MATCH: WRONG}, 200)
    expect(store, {NONE_MATCH: RIGHT}, 304)
    expect(store, {NONE_MATCH: "*"}, 304)
    expect(store, {MODIFIED: EARLIER}, 200)
    expect(store, {MODIFIED: EXACTLY}, 304)
    expect(store, {MODIFIED: LATER}, 304)
    expect(store, {MODIFIED: FUTURE}, 200)


@decision("conditional-requests")
def test_conditions_of_a_read_are_checked_in_order(store):
    expect(store, {MATCH: RIGHT, UNMODIFIED: EARLIER}, 200)
    expect(store, {MATCH: WRONG, NONE_MATCH: RIGHT}, 412, MATCH)
    expect(store, {UNMODIFIED: EARLIER, NONE_MATCH: RIGHT}, 412, UNMODIFIED)


@decision("combined-conditions-of-a-read")
def test_date_is_not_looked_at_beside_if_none_match(store):
    expect(store, {NONE_MATCH: RIGHT, MODIFIED: EARLIER}, 304)
    expect(store, {NONE_MATCH: WRONG, MODIFIED: LATER}, 200)


@decision("combined-conditions-of-a-read")
def test_weak_tag_matches_if_none_match_but_not_if_match(store):
    expect(store, {NONE_MATCH: f"W/{RIGHT}"}, 304)
    expect(store, {NONE_MATCH: f"{WRONG}, W/{RIGHT}"}, 304)
    expect(store, {NONE_MATCH: f"W/{WRONG},W/{RIGHT}"}, 304)
    expect(store, {NONE_MATCH: f"W/{WRONG}"}, 200)
    expect(store, {NONE_MATCH: f"{WRONG}, *"}, 304)
    expect(store, {MATCH: f"W/{RIGHT}"}, 412, MATCH)


@decision("invalid-dates-of-conditions")
def test_condition_with_an_invalid_date_is_ignored(store):
    others = [{}, {NONE_MATCH: RIGHT}, {MATCH: WRONG}]
    for case in each(*product([MODIFIED, UNMODIFIED], ("yesterday", f"{EARLIER},{EARLIER}", f"-1,{EARLIER}", ""))):
        with case as (name, value):
            statuses = [read(store, {name: value, **conditions}).status for conditions in others]
            assert statuses == [200, 304, 412]


@decision("conditional-requests")
def test_condition_of_another_operation_is_unsupported(store):
    every = (MATCH, NONE_MATCH, MODIFIED, UNMODIFIED, "If-Range")
    for method, target, conditions in [
        ("GET", "/cat.jpg?acl", every),
        ("GET", "/", every),
        ("PUT", "/cat.jpg?acl", every),
        ("PUT", "/cat.jpg", every[2:]),
        ("DELETE", "/cat.jpg", every[1:]),
    ]:
        for case in each(*conditions):
            with case as name:
                with pytest.raises(UnsupportedRequest, match=name.lower()):
                    send(store, method, "photos", target, {name: RIGHT})
        store.unhandled_requests.clear()
        assert store["photos"]["cat.jpg"].content == CONTENT


@decision("range")
def test_one_range_is_answered_with_its_bytes(store):
    for case in each(
        ("bytes=0-0", "0-0", b"0"),
        ("bytes=2-4", "2-4", b"234"),
        ("bytes=2-", "2-9", b"23456789"),
        ("bytes=8-99", "8-9", b"89"),
        ("bytes=-3", "7-9", b"789"),
        ("bytes=-99", "0-9", CONTENT),
        ("bytes=0-" + "9" * 400, "0-9", CONTENT),
    ):
        with case as (requested, answered, content):
            answer = read(store, {"Range": requested})
            assert (answer.status, answer.headers["Content-Range"]) == (206, f"bytes {answered}/10")
            assert (answer.headers["Content-Length"], answer.body) == (str(len(content)), content)


@decision("range")
def test_range_of_another_form_is_answered_with_the_whole_object(store):
    for case in each("bytes=0-1,3-4", "bytes=4-2", "bytes=", "bytes=-", "bytes=a-b", "lines=0-1", ""):
        with case as requested:
            answer = read(store, {"Range": requested})
            assert (answer.status, answer.body, "Content-Range" in answer.headers) == (200, CONTENT, False)


@decision("range")
def test_range_outside_of_the_object_is_refused(store):
    for case in each("bytes=10-", "bytes=10-11", "bytes=-0", "bytes=" + "9" * 400 + "-"):
        with case as requested:
            assert read(store, {"Range": requested}).status == 416
            assert store.exchanges[-1].error_code == "InvalidRange"
