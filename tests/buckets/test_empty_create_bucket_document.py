"""An empty document of PUT Bucket is accepted, as if there were none."""

from __future__ import annotations

import pytest

from fakestore import FakeStore
from tests.support.wire import outcome, request


@pytest.mark.decision("create-bucket-document")
@pytest.mark.parametrize(
    "body", [b"<CreateBucketConfiguration/>", b"<CreateBucketConfiguration>\n</CreateBucketConfiguration>"]
)
def test_empty_create_bucket_configuration_creates_the_bucket(body):
    store = FakeStore()
    assert outcome(request(store, "PUT", "photos", body=body)) == (200, None)
    assert list(store.buckets) == ["photos"]
