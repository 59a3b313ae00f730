"""Who lost a right while their body was on its way is refused, as if they had asked later."""

from __future__ import annotations

import io

import pytest

GRANTED = "<AccessControlPolicy><Owner><ID>{owner}</ID></Owner><AccessControlList/></AccessControlPolicy>"
RULE = "<Rule><ID>r</ID><Prefix/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>"
DENIED = (403, "AccessDenied")


@pytest.fixture
def photos(fakestore, ann):
    return fakestore.create_bucket("photos", owner=ann, versioning="enabled")


class SlowBody(io.BytesIO):
    """A file that takes so long to be sent that something happens meanwhile."""

    def __init__(self, content, meanwhile):
        super().__init__(content)
        self._meanwhile = [meanwhile]

    def read(self, size=-1):
        while self._meanwhile:
            self._meanwhile.pop()()
        return super().read(size)


def put_slowly(fakestore, account, key, content, meanwhile, *, headers=None, **query):
    """Status and error code of a PUT."""
    body = SlowBody(content, meanwhile)
    fakestore.session(account).put(fakestore.url("photos", key, **query), data=body, headers=headers)
    return fakestore.exchanges[-1].status, fakestore.exchanges[-1].error_code


def give(fakestore, owner, key, **query):
    """Let Ann give Bob all permissions on what is hers, and keep them."""

    def by(bob):
        headers = {"x-svc-grant-full-control": f'id="{owner.id}", id="{bob.id}"'}
        fakestore.session(owner).put(
            fakestore.url("photos", key, acl=None, **query), headers=headers
        ).raise_for_status()

    return by


def test_an_object_is_not_stored(fakestore, photos, bob):
    photos.acl = "public-read-write"

    def take():
        photos.acl = "private"

    assert put_slowly(fakestore, bob, "cat.jpg", b"meow", take) == DENIED
    assert photos.versions() == []


def test_an_object_with_an_acl_is_not_stored_where_to_set_one_is_denied(fakestore, photos, bob):
    photos.acl = "public-read-write"
    answer = put_slowly(
        fakestore,
        bob,
        "cat.jpg",
        b"meow",
        lambda: photos.deny(bob, "s3:PutObjectAcl"),
        headers={"x-svc-acl": "public-read"},
    )
    assert answer == DENIED
    assert photos.versions() == []


def test_the_acl_of_an_object_is_not_replaced(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    give(fakestore, ann, "cat.jpg")(bob)
    private = {"x-svc-acl": "private"}

    def take():
        fakestore.session(ann).put(fakestore.url("photos", "cat.jpg", acl=None), headers=private).raise_for_status()

    assert put_slowly(fakestore, bob, "cat.jpg", GRANTED.format(owner=ann.id).encode(), take, acl=None) == DENIED
    assert str(photos["cat.jpg"].acl) == "ann:FULL_CONTROL"


def test_the_acl_of_a_named_version_is_not_replaced(fakestore, photos, ann, bob):
    version = photos.put("cat.jpg", b"meow").version_id
    give(fakestore, ann, "cat.jpg", versionId=version)(bob)
    document = GRANTED.format(owner=ann.id).encode()
    answer = put_slowly(
        fakestore,
        bob,
        "cat.jpg",
        document,
        lambda: photos.deny(bob, "s3:PutObjectVersionAcl"),
        acl=None,
        versionId=version,
    )
    assert answer == DENIED
    assert str(photos["cat.jpg"].acl) == "ann:FULL_CONTROL, bob:FULL_CONTROL"


def test_the_acl_of_an_object_that_came_on_top_is_not_replaced(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    give(fakestore, ann, "cat.jpg")(bob)
    document = GRANTED.format(owner=ann.id).encode()
    assert put_slowly(fakestore, bob, "cat.jpg", document, lambda: photos.put("cat.jpg", b"new"), acl=None) == DENIED
    assert [str(version.acl) for version in photos.versions()] == [
        "ann:FULL_CONTROL",
        "ann:FULL_CONTROL, bob:FULL_CONTROL",
    ]


def test_the_acl_of_a_bucket_is_not_replaced(fakestore, photos, ann, bob):
    give(fakestore, ann, "")(bob)

    def take():
        photos.acl = "private"

    assert put_slowly(fakestore, bob, "", GRANTED.format(owner=ann.id).encode(), take, acl=None) == DENIED
    assert str(photos.acl) == "ann:FULL_CONTROL"


def test_versioning_is_not_changed(fakestore, photos, bob):
    photos.allow(bob, "s3:PutBucketVersioning")
    document = b"<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"
    answer = put_slowly(
        fakestore, bob, "", document, lambda: photos.deny(bob, "s3:PutBucketVersioning"), versioning=None
    )
    assert (answer, photos.versioning) == (DENIED, "enabled")


def test_lifecycle_rules_are_not_changed(fakestore, photos, bob):
    photos.allow(bob, "s3:PutLifeCycleConfiguration")
    document = f"<LifecycleConfiguration>{RULE}</LifecycleConfiguration>".encode()
    answer = put_slowly(
        fakestore, bob, "", document, lambda: photos.deny(bob, "s3:PutLifeCycleConfiguration"), lifecycle=None
    )
    assert (answer, fakestore._service.state.bucket("photos").lifecycle) == (DENIED, None)


def test_the_policy_of_a_bucket_that_is_anothers_by_now_is_not_replaced(fakestore, photos, ann, bob):
    def hand_over():
        fakestore.session(ann).delete(fakestore.url("photos")).raise_for_status()
        fakestore.create_bucket("photos", owner=bob)

    statement = '{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::photos/*"}'
    document = f'{{"Version": "2012-10-17", "Statement": [{statement}]}}'.encode()
    assert put_slowly(fakestore, ann, "", document, hand_over, policy=None) == DENIED
    assert fakestore._service.state.bucket("photos").policy.statements == ()
