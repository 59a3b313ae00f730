"""MFA Delete protects the null version as it protects every other version."""

from __future__ import annotations

import pytest
from lxml import etree

from fakestore import DeleteMarker, MfaDevice
from tests.corrections.arrange import ask, outcome, stack

RIGHT, WRONG, MALFORMED = "20899872 301749", "20899872 301740", "20899872"
NEVER_ISSUED = "x" * 32


@pytest.fixture
def fakestore_options():
    return {"base_url": "https://objects.test", "buckets": ["photos"]}


@pytest.fixture(params=["enabled", "suspended"])
def photos(request, fakestore):
    """A bucket with MFA Delete whose only version is the null version of `cat.jpg`."""
    bucket = fakestore["photos"]
    bucket.put("cat.jpg", b"null version")
    bucket.set_versioning(request.param, mfa_device=MfaDevice("20899872", "301749"))
    return bucket


def mfa_header(value):
    return [] if value is None else [("x-svc-mfa", value)]


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.usefixtures("photos")
@pytest.mark.parametrize("mfa", [None, WRONG, MALFORMED])
def test_simple_delete_without_valid_mfa_keeps_the_null_version(fakestore, mfa):
    url = fakestore.url("photos", "cat.jpg")

    deleted = ask(fakestore, "DELETE", url, mfa_header(mfa))

    assert (deleted.status, deleted.headers["x-svc-delete-marker"]) == (204, "true")
    assert stack(fakestore, "photos", "cat.jpg") == [DeleteMarker, b"null version"]
    # The marker can be addressed by its id, and the null version by "null".
    assert deleted.headers["x-svc-version-id"] != "null"
    assert outcome(fakestore, "GET", url) == (404, "NoSuchKey")
    assert ask(fakestore, "GET", fakestore.url("photos", "cat.jpg", versionId="null")).body == b"null version"


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.usefixtures("photos")
def test_simple_delete_with_valid_mfa_removes_the_null_version(fakestore):
    url = fakestore.url("photos", "cat.jpg")
    assert outcome(fakestore, "DELETE", url, mfa_header(RIGHT)) == (204, None)
    assert stack(fakestore, "photos", "cat.jpg") == [DeleteMarker]


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.usefixtures("photos")
@pytest.mark.parametrize(("mfa", "left"), [(None, [DeleteMarker, b"null version"]), (RIGHT, [DeleteMarker])])
def test_delete_of_many_removes_null_versions_only_with_mfa(fakestore, mfa, left):
    document = b"<Delete><Object><Key>cat.jpg</Key></Object></Delete>"
    url = fakestore.url("photos", delete=None)
    assert outcome(fakestore, "POST", url, mfa_header(mfa), document) == (200, None)
    assert stack(fakestore, "photos", "cat.jpg") == left


@pytest.mark.decision("mfa-before-version-id")
@pytest.mark.parametrize("named", ["a version", "one that is gone", "an id never issued"])
@pytest.mark.parametrize(
    ("mfa", "refused"), [(None, "AccessDenied"), (WRONG, "AccessDenied"), (MALFORMED, "x-svc-mfa"), (RIGHT, None)]
)
def test_mfa_is_checked_before_the_version_id(fakestore, photos, named, mfa, refused):
    photos.set_versioning("enabled")
    version, gone = photos.put("cat.jpg", b"kept"), photos.put("cat.jpg", b"gone")
    photos.delete_version("cat.jpg", gone.version_id)
    version_id = {"a version": version.version_id, "one that is gone": gone.version_id}.get(named, NEVER_ISSUED)

    reply = ask(fakestore, "DELETE", fakestore.url("photos", "cat.jpg", versionId=version_id), mfa_header(mfa))

    code = fakestore.exchanges[-1].error_code
    argument = etree.fromstring(reply.body).findtext("ArgumentName") if reply.body else None
    if refused == "AccessDenied":
        assert (reply.status, code) == (403, "AccessDenied")
    elif refused is not None:
        assert (reply.status, code, argument) == (400, "InvalidArgument", refused)
    elif version_id == NEVER_ISSUED:
        assert (reply.status, code, argument) == (400, "InvalidArgument", "versionId")
    else:
        assert (reply.status, code) == (204, None)
