"""MFA Delete protects the null version from a simple DELETE, too."""

from __future__ import annotations

import pytest

from fakestore import DeleteMarker, MfaDevice
from tests.support.documents import delete_document
from tests.support.wire import request

RIGHT = {"x-svc-mfa": "20899872 301749"}

pytestmark = pytest.mark.decision("mfa-delete")


@pytest.fixture
def fakestore_options():
    return {"base_url": "https://objects.test"}


@pytest.fixture
def photos(fakestore):
    """A bucket with MFA Delete that holds a null version."""
    bucket = fakestore.create_bucket("photos")
    bucket.put("cat.jpg", b"null version")
    bucket.set_versioning("enabled", mfa_device=MfaDevice("20899872", "301749"))
    return bucket


def history(photos):
    """The contents of the versions, and DeleteMarker for a marker, newest first."""
    return [DeleteMarker if isinstance(entry, DeleteMarker) else entry.content for entry in photos.versions("cat.jpg")]


def test_simple_delete_without_mfa_keeps_the_null_version(fakestore, photos):
    reply = request(fakestore, "DELETE", "photos", "cat.jpg")
    assert (reply.status, reply.headers["x-svc-delete-marker"]) == (204, "true")
    assert history(photos) == [DeleteMarker, b"null version"]


def test_simple_delete_of_many_without_mfa_keeps_the_null_version(fakestore, photos):
    assert request(fakestore, "POST", "photos", body=delete_document("cat.jpg"), delete=None).status == 200
    assert history(photos) == [DeleteMarker, b"null version"]


def test_simple_delete_with_mfa_removes_the_null_version(fakestore, photos):
    assert request(fakestore, "DELETE", "photos", "cat.jpg", headers=RIGHT).status == 204
    assert history(photos) == [DeleteMarker]
