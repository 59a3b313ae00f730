"""What the journal holds is bounded, whatever the requests hold: counted by tracemalloc."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from fakestore import FakeStore
from fakestore.journal import KEPT_FIELD_TEXT, KEPT_FIELDS, KEPT_TEXT
from fakestore.wire.messages import Headers, Request

MIB = 1024 * 1024
#: Of one exchange whose every text is too long to be kept, in bytes.
A_KEPT_EXCHANGE = MIB // 8
FIELDS = [("x-own", "v"), ("date", "d")]


def long() -> str:
    """A text of 1 MiB that nobody else holds."""
    return "".join(["long"] * (MIB // 4))


LONG_REQUESTS = {
    "value": lambda: Request("GET", "http", "photos.objects.test", "/a", Headers([("x-own", long())])),
    "name": lambda: Request("GET", "http", "photos.objects.test", "/a", Headers([(long(), "v")])),
    "fields": lambda: Request(
        "GET", "http", "photos.objects.test", "/a", Headers((f"x-{number}", "v" * 50) for number in range(MIB // 64))
    ),
    "path": lambda: Request("GET", "http", "photos.objects.test", f"/{long()}", Headers()),
    "query": lambda: Request("GET", "http", "photos.objects.test", f"/a?versionId={long()}", Headers()),
    "host": lambda: Request("GET", "http", f"{long()}.objects.test", "/a", Headers()),
    "method": lambda: Request(long(), "http", "photos.objects.test", "/%FF", Headers()),
    "explained": lambda: Request("GET", "http", "photos.objects.test", "/a", Headers([("authorization", long())])),
}


def exchange_of(request: Request, store: FakeStore | None = None):
    store = FakeStore(buckets=["photos"]) if store is None else store
    store._service.handle(request)
    return store.exchanges[-1]


@pytest.mark.parametrize("request_with_long", LONG_REQUESTS.values(), ids=list(LONG_REQUESTS))
def test_the_journal_lets_go_of_long_text_in_a_request(request_with_long):
    store = FakeStore(buckets=["photos"])
    exchange_of(LONG_REQUESTS["value"](), store)
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(3):
            exchange_of(request_with_long(), store)
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 3 * A_KEPT_EXCHANGE


def test_a_long_header_of_a_reply_loses_its_end_and_says_so():
    store = FakeStore(buckets=["photos"])
    store["photos"].put("a", content_type=long())
    session = store.session()
    session.mount("http://", store.adapter())
    session.get(store.url("photos", "a"))
    assert store.exchanges[-1].reply.headers["Content-Type"] == f"{long()[:KEPT_FIELD_TEXT]}... (1,048,576 characters)"


def test_a_request_that_is_not_too_long_is_kept_whole():
    bare = Request("GET", "http", "photos.objects.test", "/a", Headers([*FIELDS, ("x-long", "")]))
    room = KEPT_TEXT - len("GETphotos.objects.test/a") - bare.headers.size
    fields = [*FIELDS, ("x-long", "v" * room)]
    assert list(exchange_of(bare._replace(headers=Headers(fields))).request.headers.items()) == fields


def test_of_a_longer_header_section_a_long_value_loses_its_end_and_says_so():
    headers = Headers([*FIELDS, ("x-long", "v" * KEPT_TEXT)])
    kept = exchange_of(Request("GET", "http", "photos.objects.test", "/a", headers)).request.headers
    assert list(kept.items()) == [*FIELDS, ("x-long", "v" * KEPT_FIELD_TEXT + "... (8,192 characters)")]


def test_of_a_longer_header_section_the_first_fields_are_kept():
    fields = [(f"x-{number:02}", "v" * 200) for number in range(KEPT_FIELDS + 1)]
    kept = exchange_of(Request("GET", "http", "photos.objects.test", "/a", Headers(fields))).request.headers
    assert list(kept.items()) == fields[:-1]


def test_of_a_longer_path_and_query_the_begin_is_kept():
    target = "/a?versionId=".ljust(KEPT_TEXT + 1, "p")
    url = exchange_of(Request("GET", "http", "photos.objects.test", target, Headers())).request.url
    assert url == f"http://photos.objects.test{target[:KEPT_TEXT]}... (8,193 characters)"


def test_the_rest_of_an_exchange_is_cut_as_well():
    exchange = exchange_of(Request("GET", "http", "photos.objects.test", f"/{long()}?versionId={long()}", Headers()))
    cut = f"{long()[:KEPT_TEXT]}... (1,048,576 characters)"
    assert (exchange.bucket, exchange.key, exchange.version_id) == ("photos", cut, cut)
