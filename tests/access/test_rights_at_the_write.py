"""Access counts at the moment of the operation: rights are checked again once the body was read."""

from __future__ import annotations

import pytest

from fakestore import FakeStore
from tests.support.access import DENIED, ask
from tests.support.documents import lifecycle, rule
from tests.support.state import state_of
from tests.support.steps import interrupt_at_each_step
from tests.support.wire import request

NO_GRANTS = "<AccessControlPolicy><Owner><ID>{owner}</ID></Owner><AccessControlList/></AccessControlPolicy>"
SUSPENDED = b"<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"
POLICY = (
    b'{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject",'
    b' "Resource": "arn:aws:s3:::photos/*"}]}'
)

pytestmark = pytest.mark.decision("order-of-checks")


@pytest.fixture
def photos(fakestore, ann):
    return fakestore.create_bucket("photos", owner=ann, versioning="enabled")


@pytest.fixture
def put(fakestore):
    """PUTs a body; while it is read, something else happens. Checks that the PUT is denied and changes nothing."""

    def put(account, key, content, meanwhile, headers=None, **query):
        states = []

        def pieces():
            meanwhile()
            states.append(state_of(fakestore))
            yield content

        headers = {"Content-Length": str(len(content)), **(headers or {})}
        arguments = {"headers": headers, "body": pieces(), **query}
        assert ask(fakestore, account, "PUT", "photos", key, **arguments) == DENIED
        assert state_of(fakestore) == states[0]

    return put


def grant_all(fakestore, owner, other, key="", **query):
    """Grant FULL_CONTROL to the other account and to the owner."""
    headers = {"x-svc-grant-full-control": f'id="{owner.id}", id="{other.id}"'}
    reply = request(fakestore, "PUT", "photos", key, account=owner, headers=headers, acl=None, **query)
    assert reply.status == 200


def make_private(bucket):
    bucket.acl = "private"


def test_object_is_not_stored(photos, put, bob):
    photos.acl = "public-read-write"
    put(bob, "cat.jpg", b"meow", lambda: make_private(photos))


def test_object_is_not_stored_with_an_acl_that_is_denied(photos, put, bob):
    photos.acl = "public-read-write"
    headers = {"x-svc-acl": "public-read"}
    put(bob, "cat.jpg", b"meow", lambda: photos.deny(bob, "s3:PutObjectAcl"), headers)


def test_acl_of_an_object_is_not_replaced(fakestore, photos, put, ann, bob):
    photos.put("cat.jpg", b"meow")
    grant_all(fakestore, ann, bob, "cat.jpg")
    body = NO_GRANTS.format(owner=ann.id).encode()
    # The object that is written meanwhile has an ACL of its own.
    put(bob, "cat.jpg", body, lambda: photos.put("cat.jpg", b"new"), acl=None)


def test_acl_of_a_named_version_is_not_replaced(fakestore, photos, put, ann, bob):
    query = {"versionId": photos.put("cat.jpg", b"meow").version_id}
    grant_all(fakestore, ann, bob, "cat.jpg", **query)
    body = NO_GRANTS.format(owner=ann.id).encode()
    put(bob, "cat.jpg", body, lambda: photos.deny(bob, "s3:PutObjectVersionAcl"), acl=None, **query)


def test_acl_of_a_bucket_is_not_replaced(fakestore, photos, put, ann, bob):
    grant_all(fakestore, ann, bob)
    put(bob, "", NO_GRANTS.format(owner=ann.id).encode(), lambda: make_private(photos), acl=None)


def test_versioning_and_lifecycle_are_not_changed(photos, put, bob):
    photos.allow(bob, "s3:PutBucketVersioning", "s3:PutLifeCycleConfiguration")
    put(bob, "", SUSPENDED, lambda: photos.deny(bob, "s3:PutBucketVersioning"), versioning=None)
    body = lifecycle(rule("<Expiration><Days>1</Days></Expiration>"))
    put(bob, "", body, lambda: photos.deny(bob, "s3:PutLifeCycleConfiguration"), lifecycle=None)


def test_policy_is_not_replaced_if_the_bucket_has_a_new_owner(fakestore, photos, put, ann, bob):
    def hand_over():
        assert request(fakestore, "DELETE", "photos", account=ann).status == 204
        fakestore.create_bucket("photos", owner=bob)

    put(ann, "", POLICY, hand_over, policy=None)


def test_reader_never_gets_what_replaced_the_object_they_may_read():
    store = FakeStore()
    photos, bob = store.create_bucket("photos"), store.create_account("bob")
    replies = interrupt_at_each_step(
        lambda: request(store, "GET", "photos", "cat.jpg", account=bob),
        prepare=lambda: photos.put("cat.jpg", b"public", acl="public-read"),
        meanwhile=lambda: photos.put("cat.jpg", b"secret"),
    )
    assert {(reply.status, bytes(reply.body) if reply.status == 200 else None) for reply in replies} == {
        (200, b"public"),
        (403, None),
    }


def test_writer_never_writes_after_losing_the_permission():
    store = FakeStore()
    photos, bob = store.create_bucket("photos"), store.create_account("bob")
    private = []

    def prepare():
        photos.acl = "public-read-write"
        photos.delete("cat.jpg")

    def withdraw():
        photos.acl = "private"
        private.append("cat.jpg" in photos)

    replies = interrupt_at_each_step(
        lambda: request(store, "PUT", "photos", "cat.jpg", account=bob, body=b"meow"), prepare, withdraw
    )
    for reply in replies:
        # Bob's object exists once the permission was withdrawn, or never.
        assert (reply.status == 200) == ("cat.jpg" in photos)
        if private:
            assert private.pop() == ("cat.jpg" in photos)
