"""The store is free for other threads after a request that found no bucket."""

from __future__ import annotations

from threading import Thread

import pytest

from tests.corrections.arrange import outcome


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.parametrize(
    ("method", "bucket", "headers", "body"),
    [
        ("GET", "films", [], b""),
        ("PUT", "films", [("Content-Length", "4")], b"meow"),
        ("PUT", "photos", [("x-svc-copy-source", "/films/cat.jpg")], b""),
    ],
)
def test_a_request_without_a_bucket_leaves_the_store_unlocked(fakestore, method, bucket, headers, body):
    url = fakestore.url(bucket, "cat.jpg")
    assert outcome(fakestore, method, url, headers, body) == (404, "NoSuchBucket")

    written: list[int] = []

    def write() -> None:
        written.append(fakestore.session().put(fakestore.url("photos", "dog.jpg"), data=b"woof").status_code)

    other = Thread(target=write, daemon=True)  # daemon: it never ends if the store stays locked
    other.start()
    other.join(timeout=30)
    assert written == [200]
