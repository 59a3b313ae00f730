"""MFA Delete: a version is deleted permanently only with a code from the bucket's device."""

from __future__ import annotations

import pytest

from fakestore import DeleteMarker, MfaDevice, UnsupportedRequest
from tests.support.access import DELETED, DENIED, explanation
from tests.support.cases import each
from tests.support.documents import delete_document
from tests.support.state import stack
from tests.support.wire import document, elements, outcome, request

RIGHT, WRONG, MALFORMED = "20899872 30174a", "20899872 30174A", "20899872"


@pytest.fixture
def fakestore_options():
    return {"base_url": "https://objects.test"}


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos")
    bucket.versioning = "enabled"
    bucket.enable_mfa_delete(MfaDevice("20899872", "30174a"))
    return bucket


@pytest.fixture
def cat(photos):
    return photos.put("cat.jpg", b"meow")


def delete(fakestore, entry, mfa=None, account=None, **query):
    """Delete the version or the marker by its id."""
    query = {"versionId": entry.version_id, **query}
    return outcome(
        request(fakestore, "DELETE", "photos", entry.key, account=account, headers={"x-svc-mfa": mfa}, **query)
    )


def delete_many(fakestore, *identifiers, bucket="photos", mfa=None, account=None):
    body = delete_document(*identifiers)
    return request(fakestore, "POST", bucket, account=account, headers={"x-svc-mfa": mfa}, body=body, delete=None)


@pytest.mark.decision("mfa-delete")
def test_null_and_deleted_versions_need_a_code_too(fakestore, photos, cat):
    photos.versioning = "suspended"
    null = photos.put("dog.jpg", b"woof")
    photos.delete_version("cat.jpg", cat.version_id)
    for version in (null, cat):
        assert delete(fakestore, version) == DENIED
        assert delete(fakestore, version, RIGHT) == DELETED


@pytest.mark.decision("mfa-before-version-id")
def test_mfa_is_checked_before_the_version_id(fakestore, photos, cat):
    gone = photos.put("cat.jpg", b"gone")
    photos.delete_version("cat.jpg", gone.version_id)
    answers = {}
    for name, version_id in [("a version", cat.version_id), ("gone", gone.version_id), ("never issued", "x" * 32)]:
        headers = [{"x-svc-mfa": mfa} for mfa in (None, WRONG, MALFORMED, RIGHT)]
        answers[name] = [
            request(fakestore, "DELETE", "photos", "cat.jpg", headers=each, versionId=version_id) for each in headers
        ]
    for case in each(*answers.items()):
        with case as (name, (missing, wrong, malformed, right)):
            assert [outcome(missing), outcome(wrong)] == [DENIED, DENIED]
            assert elements(malformed)["ArgumentName"] == "x-svc-mfa"
            assert outcome(right) == ((400, "InvalidArgument") if name == "never issued" else DELETED)
    assert elements(answers["never issued"][-1])["ArgumentName"] == "versionId"


def test_code_replaces_neither_ownership_nor_permission(fakestore, photos):
    bob = fakestore.create_account("bob")
    photos.acl = "public-read-write"
    photos.allow(bob, "s3:*")
    version = photos.put("cat.jpg", b"meow", account=bob)
    assert delete(fakestore, version, RIGHT, account=bob) == DENIED
    photos.deny(fakestore.default_account, "s3:DeleteObjectVersion")
    assert delete(fakestore, version, RIGHT) == DENIED
    assert photos.versions() == [version]


def test_lifecycle_rules_and_python_need_no_code(fakestore, photos, cat):
    photos.delete_version("cat.jpg", cat.version_id)
    photos.versioning = "suspended"
    photos.put("cat.jpg", b"meow")
    photos.expire(rule_id="soon", days=1)
    fakestore.travel(days=3)
    assert "cat.jpg" not in photos


# The null version


@pytest.fixture(params=["enabled", "suspended"])
def films(request, fakestore):
    """A bucket with MFA Delete that holds a null version."""
    bucket = fakestore.create_bucket("films")
    bucket.put("cat.avi", b"null version")
    bucket.versioning = request.param
    bucket.enable_mfa_delete(MfaDevice(*RIGHT.split()))
    assert bucket.versioning == request.param
    return bucket


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.usefixtures("films")
def test_simple_delete_without_valid_mfa_keeps_the_null_version(fakestore):
    for case in each(None, WRONG, MALFORMED):
        with case as mfa:
            deleted = request(fakestore, "DELETE", "films", "cat.avi", headers={"x-svc-mfa": mfa})
            assert (deleted.status, deleted.headers["x-svc-delete-marker"]) == (204, "true")
            # The marker has an id of its own, and the null version is "null".
            assert deleted.headers["x-svc-version-id"] != "null"
    assert stack(fakestore, "films", "cat.avi") == [DeleteMarker] * 3 + [b"null version"]
    assert outcome(request(fakestore, "GET", "films", "cat.avi")) == (404, "NoSuchKey")
    assert request(fakestore, "GET", "films", "cat.avi", versionId="null").body == b"null version"


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.parametrize("versioning", ["enabled", "suspended"])
def test_null_delete_marker_stays_without_valid_mfa_too(fakestore, versioning):
    films = fakestore.create_bucket("films", versioning="suspended")
    null = films.delete("cat.avi")
    films.versioning = versioning
    films.enable_mfa_delete(MfaDevice(*RIGHT.split()))
    assert request(fakestore, "DELETE", "films", "cat.avi").headers["x-svc-version-id"] != "null"
    assert delete_many(fakestore, "cat.avi", bucket="films").status == 200
    assert films.versions()[2:] == [null]
    assert request(fakestore, "DELETE", "films", "cat.avi", headers={"x-svc-mfa": RIGHT}).status == 204
    assert films.versions()[-1] != null
    assert len(films.versions()) == 3


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.usefixtures("films")
def test_simple_delete_with_valid_mfa_removes_the_null_version(fakestore):
    assert request(fakestore, "DELETE", "films", "cat.avi", headers={"x-svc-mfa": RIGHT}).status == 204
    assert stack(fakestore, "films", "cat.avi") == [DeleteMarker]


@pytest.mark.decision("null-version-under-mfa-delete")
@pytest.mark.usefixtures("films")
def test_delete_of_many_removes_null_versions_only_with_mfa(fakestore):
    kept = {None: [DeleteMarker, b"null version"], RIGHT: [DeleteMarker]}
    before = fakestore.snapshot()
    for case in each(*kept.items()):
        with case as (mfa, expected):
            fakestore.restore(before)
            assert delete_many(fakestore, "cat.avi", bucket="films", mfa=mfa).status == 200
            assert stack(fakestore, "films", "cat.avi") == expected


# Devices


def test_code_of_a_callable_is_requested_once_per_request(fakestore, photos):
    codes = iter(["1", "2", "3"])
    photos.versioning = "enabled"
    photos.enable_mfa_delete(MfaDevice("9", lambda: next(codes)))
    versions = [photos.put(key, b"") for key in "abcd"]
    assert delete(fakestore, versions[0], "9 1") == DELETED
    assert delete(fakestore, versions[1], "9 1") == DENIED
    reply = delete_many(fakestore, *((each.key, each.version_id) for each in versions[1:]), mfa="9 3")
    assert [each.tag for each in document(reply)] == ["Deleted"] * 3
    assert photos.versions() == []


@pytest.mark.decision("delete-many-mfa")
def test_one_code_removes_the_null_versions_of_all_keys(fakestore):
    films = fakestore.create_bucket("films")
    for key in "ab":
        films.put(key, b"null version")
    codes = iter(["1", "2"])
    films.versioning = "enabled"
    films.enable_mfa_delete(MfaDevice("9", lambda: next(codes)))
    assert delete_many(fakestore, "a", "b", bucket="films", mfa="9 1").status == 200
    assert [stack(fakestore, "films", key) for key in "ab"] == [[DeleteMarker]] * 2
    assert next(codes) == "2"


@pytest.mark.parametrize("mfa", ["1", "9 2", None], ids=["no code", "another serial number", "no header"])
def test_code_of_a_callable_is_not_requested_in_vain(fakestore, photos, mfa):
    codes = []
    photos.versioning = "enabled"
    photos.enable_mfa_delete(MfaDevice("1", lambda: codes.append("2") or "2"))
    delete(fakestore, photos.put("cat.jpg"), mfa)
    assert codes == []


# DELETE of many objects


@pytest.mark.decision("delete-many-mfa")
@pytest.mark.parametrize(
    ("mfa", "error"), [(None, DENIED), (WRONG, DENIED), (MALFORMED, (400, "InvalidArgument")), (RIGHT, (200, None))]
)
def test_delete_of_many_with_a_version_needs_the_right_code(fakestore, photos, cat, mfa, error):
    assert outcome(delete_many(fakestore, "dog.jpg", ("cat.jpg", cat.version_id), mfa=mfa)) == error
    assert stack(fakestore, "photos", "cat.jpg") == ([] if mfa == RIGHT else [b"meow"])
    assert stack(fakestore, "photos", "dog.jpg") == ([DeleteMarker] if mfa == RIGHT else [])
    assert ("x-svc-mfa" in explanation(fakestore)) is (mfa != RIGHT)


@pytest.mark.decision("delete-many-mfa")
def test_simple_deletions_of_many_need_no_code_but_no_wrong_one(fakestore, photos, cat):
    assert outcome(delete_many(fakestore, "cat.jpg", mfa=WRONG)) == DENIED
    assert photos.versions() == [cat]
    assert [each.tag for each in document(delete_many(fakestore, "cat.jpg"))] == ["Deleted"]
    assert photos.versions()[1:] == [cat]


@pytest.mark.decision("delete-many-mfa")
def test_code_is_not_checked_if_the_requester_lacks_permission(fakestore, photos, cat):
    photos.acl = "public-read-write"
    bob = fakestore.create_account("bob")
    reply = delete_many(fakestore, ("cat.jpg", cat.version_id), "dog.jpg", account=bob)
    assert [(each.tag, each.findtext("Code")) for each in document(reply)] == [
        ("Error", "AccessDenied"),
        ("Deleted", None),
    ]
    assert photos.versions("cat.jpg") == [cat]


# Switching MFA Delete over HTTP


@pytest.fixture
def switched_off(photos, fakestore):
    """The bucket with its device, and MFA Delete disabled."""
    assert put_versioning(fakestore, "Enabled", "Disabled", RIGHT) == 200
    return photos


def put_versioning(fakestore, status, mfa_delete=None, mfa=None, account=None):
    element = "" if mfa_delete is None else f"<MfaDelete>{mfa_delete}</MfaDelete>"
    body = f"<VersioningConfiguration><Status>{status}</Status>{element}</VersioningConfiguration>".encode()
    headers = {"x-svc-mfa": mfa}
    return request(fakestore, "PUT", "photos", account=account, headers=headers, body=body, versioning=None).status


def configuration(fakestore):
    """Status and MfaDelete of the bucket as it reports them."""
    element = document(request(fakestore, "GET", "photos", versioning=None))
    return element.findtext("Status"), element.findtext("MfaDelete")


ON, OFF = ("Enabled", "Enabled"), ("Enabled", "Disabled")


def test_right_code_switches_mfa_delete_off_and_on(fakestore, photos):
    assert configuration(fakestore) == ON
    assert put_versioning(fakestore, "Enabled", "Disabled", RIGHT) == 200
    assert configuration(fakestore) == OFF
    assert delete(fakestore, photos.put("cat.jpg")) == DELETED
    assert put_versioning(fakestore, "Enabled", "Enabled", RIGHT) == 200
    assert configuration(fakestore) == ON


@pytest.mark.parametrize("mfa", [None, WRONG])
def test_without_the_right_code_mfa_delete_is_not_switched(fakestore, photos, mfa):
    assert put_versioning(fakestore, "Suspended", "Disabled", mfa) == 403
    assert configuration(fakestore) == ON
    assert put_versioning(fakestore, "Enabled", "Disabled", RIGHT) == 200
    assert put_versioning(fakestore, "Enabled", "Enabled", mfa) == 403
    assert configuration(fakestore) == OFF


@pytest.mark.decision("mfa-delete")
@pytest.mark.parametrize("mfa_delete", [None, "Enabled"])
def test_while_on_every_put_of_versioning_needs_a_code(fakestore, photos, cat, mfa_delete):
    assert put_versioning(fakestore, "Enabled", mfa_delete) == 403
    assert put_versioning(fakestore, "Suspended", mfa_delete) == 403
    assert put_versioning(fakestore, "Suspended", mfa_delete, RIGHT) == 200
    assert configuration(fakestore) == ("Suspended", "Enabled")
    assert delete(fakestore, cat) == DENIED


@pytest.mark.decision("switching-mfa-delete")
def test_disabled_needs_no_code_if_it_is_disabled_already(fakestore, switched_off):
    assert put_versioning(fakestore, "Suspended") == 200
    assert put_versioning(fakestore, "Enabled", "Disabled") == 200
    assert configuration(fakestore) == OFF


@pytest.mark.decision("switching-mfa-delete")
def test_bucket_without_a_device_cannot_switch_it_on(fakestore):
    fakestore.create_bucket("photos", versioning="suspended")
    assert configuration(fakestore) == ("Suspended", None)
    assert put_versioning(fakestore, "Enabled", "Disabled") == 200
    with pytest.raises(UnsupportedRequest, match=r"\['photos'\]\.enable_mfa_delete\("):
        put_versioning(fakestore, "Enabled", "Enabled", RIGHT)
    fakestore.unhandled_requests.clear()
    assert configuration(fakestore) == ("Enabled", None)


@pytest.mark.usefixtures("photos")
def test_malformed_mfa_delete_changes_nothing(fakestore):
    for case in each("enabled", "", "true"):
        with case as mfa_delete:
            assert put_versioning(fakestore, "Enabled", mfa_delete, RIGHT) == 400
    assert configuration(fakestore) == ON


@pytest.mark.decision("switching-mfa-delete")
def test_only_the_bucket_owner_switches_mfa_delete(fakestore, photos):
    bob = fakestore.create_account("bob")
    photos.allow(bob, "s3:*")
    assert put_versioning(fakestore, "Enabled", "Disabled", RIGHT, account=bob) == 403
    assert all(name in explanation(fakestore) for name in ("MFA", "photos", "default"))
    assert configuration(fakestore) == ON


# Snapshots


def test_restore_brings_back_whether_mfa_delete_is_on(fakestore, photos, cat):
    on = fakestore.snapshot()
    assert put_versioning(fakestore, "Enabled", "Disabled", RIGHT) == 200
    off = fakestore.snapshot()
    fakestore.restore(on)
    assert (configuration(fakestore), delete(fakestore, cat)) == (ON, DENIED)
    fakestore.restore(off)
    assert (configuration(fakestore), delete(fakestore, cat)) == (OFF, DELETED)
