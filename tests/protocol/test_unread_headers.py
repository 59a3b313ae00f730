"""Headers and parameters that an operation does not read: each is refused, or a decision says that it is ignored."""

from __future__ import annotations

import hashlib

import pytest

from fakestore import FakeStore, UnsupportedRequest, fake_store
from tests.support.wire import outcome, send

decision = pytest.mark.decision


@pytest.fixture
def store():
    store = FakeStore(dialect="s3", base_url="http://objects.test", buckets=["photos"])
    store["photos"].public_access_block = None
    store["photos"].object_ownership = "ObjectWriter"
    store["photos"].acl = "public-read-write"
    store["photos"].put("cat.jpg", b"meow", acl="public-read")
    return store


@decision("hash-of-an-unsigned-body")
@pytest.mark.parametrize("credentials", [None, "AWS {}:signature"], ids=["anonymous", "2006"])
def test_hash_of_a_body_that_is_not_signed_must_be_right(store, credentials):
    authorization = credentials and credentials.format(store.default_account.access_key_id)
    for method, body in [("GET", b""), ("PUT", b"meow"), ("DELETE", b"")]:
        for right in (hashlib.sha256(body).hexdigest().upper(), "UNSIGNED-PAYLOAD"):
            headers = {"x-amz-content-sha256": right, "Authorization": authorization}
            assert send(store, method, "photos", "/cat.jpg", headers, body).status in (200, 204)
            store["photos"].put("cat.jpg", b"meow", acl="public-read")
        with pytest.raises(UnsupportedRequest, match="x-amz-content-sha256"):
            send(store, method, "photos", "/cat.jpg", headers | {"x-amz-content-sha256": "0" * 64}, body)
    assert store["photos"]["cat.jpg"].content == b"meow"
    store.unhandled_requests.clear()


@decision("hash-of-an-unsigned-body")
def test_signed_hash_of_a_missing_body_must_be_right():
    with fake_store(dialect="s3", signatures="verify", buckets=["photos"]) as store:
        for method in ("GET", "DELETE"):
            headers = {"x-amz-content-sha256": "0" * 64}
            reply = store.session().request(method, store.url("photos", "cat.jpg"), headers=headers)
            assert outcome(reply) == (400, "XAmzContentSHA256Mismatch")


@decision("hash-of-an-unsigned-body")
def test_malformed_hash_is_refused_even_if_signatures_are_not_verified():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        reply = store.session().put(store.url("photos", "cat.jpg"), b"meow", headers={"x-amz-content-sha256": "0"})
        assert outcome(reply) == (400, "InvalidArgument")
