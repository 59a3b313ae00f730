"""What the journal keeps of a request, and which exchanges a question finds."""

from __future__ import annotations

import pytest
import requests

from tests.corrections.arrange import outcome


@pytest.fixture
def fakestore_options():
    return {"buckets": {"photos": "enabled", "photos-2026": "never"}}


def test_a_refused_request_keeps_the_version_id_of_its_query(fakestore):
    version = fakestore["photos"].put("cat.jpg", b"meow")
    url = fakestore.url("photos", "cat.jpg", versionId=version.version_id)

    assert requests.get(url).status_code == 403
    assert outcome(fakestore, "GET", url, account=fakestore.create_account("bob")) == (403, "AccessDenied")
    assert [exchange.version_id for exchange in fakestore.exchanges] == [version.version_id] * 2


def test_calls_matches_whole_names_of_operations_and_keys(fakestore):
    session = fakestore.session()
    for bucket, key in [("photos", "cat"), ("photos", "cat.jpg"), ("photos", "a/cat"), ("photos-2026", "cat")]:
        session.put(fakestore.url(bucket, key), data=b"meow")
    session.put(fakestore.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat"})

    def found(*args, **criteria):
        return [(each.bucket, each.key) for each in fakestore.calls(*args, **criteria)]

    assert found(key="cat") == [("photos", "cat"), ("photos-2026", "cat")]
    assert found(bucket="photos-2026") == [("photos-2026", "cat")]
    assert found(bucket="photos", key="cat") == [("photos", "cat")]
    assert found("PUT Object Copy") == [("photos", "copy")]
    assert ("photos", "copy") not in found("PUT Object")
