"""GET and HEAD, which the specification does not describe: conditions and ranges."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from fakestore import UnsupportedRequest
from tests.spec.arrange import elements, etag_of, wire

CONTENT = b"0123456789"


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.fixture
def noon():
    with freeze_time("2026-11-21 12:00:00") as clock:
        yield clock


@pytest.fixture(params=["GET", "HEAD"])
def read(request, fakestore, noon):
    """Reads what was written at noon, half an hour later."""
    fakestore["photos"].put("cat.jpg", CONTENT)
    noon.tick(1800)

    def ask(*fields):
        return wire(fakestore, request.param, "photos", "/cat.jpg", fields)

    ask.method = request.param
    return ask


EARLIER, EXACTLY, LATER, FUTURE = (
    f"Sat, 21 Nov 2026 {time} GMT" for time in ("11:59:59", "12:00:00", "12:10:00", "12:45:00")
)
RIGHT, WRONG = etag_of(CONTENT), etag_of(b"another")
MATCH, NONE_MATCH = "If-Match", "If-None-Match"
MODIFIED, UNMODIFIED = "If-Modified-Since", "If-Unmodified-Since"


@pytest.mark.parametrize(
    ("conditions", "status", "failed"),
    [
        ({MATCH: RIGHT}, 200, None),
        ({MATCH: RIGHT.strip('"')}, 200, None),
        ({MATCH: "*"}, 200, None),
        ({MATCH: f"{WRONG}, {RIGHT}"}, 200, None),
        ({MATCH: WRONG}, 412, MATCH),
        ({UNMODIFIED: EARLIER}, 412, UNMODIFIED),
        ({UNMODIFIED: EXACTLY}, 200, None),
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
    ],
)
def test_conditions_of_a_read_are_asked_in_the_order_of_a_copys(read, conditions, status, failed):
    answer = read(*conditions.items())
    told = elements(answer.body)["Condition"] if failed and read.method == "GET" else failed
    assert (answer.status, told) == (status, failed)
    assert answer.body or status == 304 or read.method == "HEAD"


@pytest.mark.parametrize("name", [MODIFIED, UNMODIFIED])
def test_a_condition_whose_date_is_none_is_an_invalid_argument(fakestore, read, name):
    assert (read((name, "yesterday")).status, fakestore.exchanges[-1].error_code) == (400, "InvalidArgument")


@pytest.mark.parametrize(("method", "target"), [("GET", "/cat.jpg?acl"), ("GET", "/"), ("DELETE", "/cat.jpg")])
def test_a_condition_of_another_operation_is_not_modelled(fakestore, method, target):
    fakestore["photos"].put("cat.jpg", CONTENT)
    with pytest.raises(UnsupportedRequest, match="the header 'if-match' is not modelled"):
        wire(fakestore, method, "photos", target, [(MATCH, RIGHT)])
    fakestore.unhandled_requests.clear()
    assert fakestore["photos"]["cat.jpg"].content == CONTENT


@pytest.mark.parametrize(
    ("asked", "bytes_told", "content"),
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
def test_one_range_is_answered_with_these_bytes(read, asked, bytes_told, content):
    answer = read(("Range", asked))
    assert (answer.status, answer.headers["Content-Range"]) == (206, f"bytes {bytes_told}/10")
    assert answer.headers["Content-Length"] == str(len(content))
    assert answer.body == (content if read.method == "GET" else b"")


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,3-4", "bytes=4-2", "bytes=", "bytes=-", "bytes=a-b", "lines=0-1", "0-1", ""]
)
def test_a_range_of_another_form_is_answered_with_the_whole_object(read, asked):
    answer = read(("Range", asked))
    assert (answer.status, answer.headers["Content-Length"], "Content-Range" in answer.headers) == (200, "10", False)


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=10-11", "bytes=-0", "bytes=" + "9" * 400 + "-"])
def test_a_range_of_none_of_the_bytes_is_an_invalid_range(fakestore, read, asked):
    assert (read(("Range", asked)).status, fakestore.exchanges[-1].error_code) == (416, "InvalidRange")
