"""Bodies of requests: an empty Content-Length, a body sent with HEAD, and an empty configuration of a bucket."""

from __future__ import annotations

import pytest

from tests.corrections.arrange import outcome, stack


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.decision("empty-content-length")
@pytest.mark.parametrize(
    ("bucket", "key", "query", "headers"),
    [
        ("photos", "new.jpg", {}, []),
        ("photos", "copy.jpg", {}, [("x-svc-copy-source", "/photos/cat.jpg")]),
        ("photos", "cat.jpg", {"acl": None}, [("x-svc-acl", "public-read")]),
        ("photos", "", {"acl": None}, [("x-svc-acl", "public-read")]),
        ("films", "", {}, []),
    ],
)
def test_a_put_with_an_empty_content_length_is_refused(fakestore, bucket, key, query, headers):
    fakestore["photos"].put("cat.jpg", b"meow")
    before = fakestore.describe()

    url = fakestore.url(bucket, key, **query)
    assert outcome(fakestore, "PUT", url, [*headers, ("Content-Length", "")]) == (400, "InvalidArgument")
    assert fakestore.describe() == before


@pytest.mark.decision("unexpected-body")
@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_a_head_with_a_body_is_answered_as_one_without(fakestore, key):
    fakestore["photos"].put("cat.jpg", b"meow")
    url = fakestore.url("photos", key)
    assert fakestore.session().head(url, data=b"a body").status_code == 200
    assert outcome(fakestore, "HEAD", url, body=b"a body") == (200, None)
    assert stack(fakestore, "photos", "cat.jpg") == [b"meow"]


@pytest.mark.decision("empty-create-bucket-configuration")
@pytest.mark.parametrize(
    "document",
    [
        b"<CreateBucketConfiguration/>",
        b"<CreateBucketConfiguration>\n</CreateBucketConfiguration>",
        b'<?xml version="1.0"?><CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>',
    ],
)
def test_an_empty_create_bucket_configuration_makes_a_bucket(fakestore, document):
    assert outcome(fakestore, "PUT", fakestore.url("films"), body=document) == (200, None)
    assert "films" in fakestore
