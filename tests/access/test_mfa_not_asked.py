"""When the code of an MFA device is not asked for, and when the header means nothing."""

from __future__ import annotations

import pytest

from fakestore import MfaDevice

DEVICE = MfaDevice("20899872", "301749")
DOCUMENT = "<Delete>{}</Delete>"


@pytest.fixture
def fakestore_options():
    return {"base_url": "https://objects.test"}


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos", acl="public-read-write")
    bucket.put("cat", b"null version")
    bucket.set_versioning("enabled", mfa_device=DEVICE)
    return bucket


def test_a_simple_delete_that_takes_the_null_version_needs_no_code(fakestore, photos):
    assert fakestore.session().delete(fakestore.url("photos", "cat")).status_code == 204
    assert [type(entry).__name__ for entry in photos.versions("cat")] == ["DeleteMarker"]


@pytest.mark.parametrize("value", ["20899872 301749", "20899872 000000", "no", ""])
@pytest.mark.parametrize(("method", "query"), [("GET", {}), ("HEAD", {}), ("GET", {"acl": None}), ("DELETE", {})])
def test_over_https_the_header_means_nothing_where_no_code_is_asked_for(fakestore, photos, method, query, value):
    url = fakestore.url("photos", "cat", **query)
    answer = fakestore.session().request(method, url, headers={"x-svc-mfa": value})
    assert answer.status_code == (204 if method == "DELETE" else 200)


def delete_many(fakestore, account, *objects):
    body = DOCUMENT.format("".join(f"<Object>{each}</Object>" for each in objects))
    answer = fakestore.session(account).post(fakestore.url("photos", delete=None), data=body)
    return answer.status_code, fakestore.exchanges[-1].error_code, answer.text


def test_of_many_no_code_is_asked_of_who_may_not_delete_versions_at_all(fakestore, photos):
    bob = fakestore.create_account("bob")
    photos.put("dog", b"woof")
    status, code, body = delete_many(fakestore, bob, "<Key>cat</Key><VersionId>null</VersionId>", "<Key>dog</Key>")
    assert (status, code) == (200, None)
    assert "<Error><Key>cat</Key><VersionId>null</VersionId><Code>AccessDenied</Code>" in body
    assert "<Deleted><Key>dog</Key>" in body
    assert [entry.version_id for entry in photos.versions("cat")] == ["null"]


def test_of_many_the_code_is_asked_of_the_owner(fakestore, photos):
    status, code, _ = delete_many(fakestore, None, "<Key>cat</Key><VersionId>null</VersionId>")
    assert (status, code) == (403, "AccessDenied")
