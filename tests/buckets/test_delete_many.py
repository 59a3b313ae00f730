"""POST ?delete: many objects, or versions of them, in one request."""

from __future__ import annotations

import pytest

from tests.support.cases import each
from tests.support.documents import delete_document
from tests.support.wire import document, elements, outcome, request


@pytest.fixture
def delete(store):
    """Deletes these keys, or keys and version ids, and returns the results without their messages."""

    def delete(*identifiers, account=None, quiet=None):
        body = delete_document(*identifiers, quiet=quiet)
        reply = request(store, "POST", "photos", account=account, body=body, delete=None)
        result = document(reply)
        assert (reply.status, result.tag) == (200, "DeleteResult")
        for message in result.iter("Message"):
            message.getparent().remove(message)
        return [(each.tag, elements(each)) for each in result]

    return delete


def test_keys_are_deleted_in_order_and_missing_ones_count_as_deleted(photos, delete):
    photos.put("b")
    photos.put("stays")
    assert delete("b", "a") == [("Deleted", {"Key": "b"}), ("Deleted", {"Key": "a"})]
    assert list(photos) == ["stays"]


@pytest.mark.parametrize("versioning", ["never", "enabled"])
def test_keys_that_removed_nothing_are_explained(store, photos, delete, versioning):
    version = photos.put("a/b").version_id
    if versioning == "enabled":
        photos.versioning = versioning
    delete("a%2Fb", ("dog", version), ("a/b", version), "a%2Fb", quiet=True)
    assert store.exchanges[-1].explanation == (
        "bucket 'photos' has no object with key 'a%2Fb'. Did you mean 'a/b'?; "
        f"bucket 'photos' has no version {version!r} of 'dog'"
    )
    photos.put("a/b")
    delete("a/b")
    assert store.exchanges[-1].explanation is None
    delete(*map(str, range(12)))
    assert "'9'; and 2 more" in store.exchanges[-1].explanation


@pytest.mark.parametrize("versioning", ["enabled", "suspended"])
def test_each_key_of_a_versioned_bucket_gets_a_delete_marker(photos, delete, versioning):
    photos.versioning = versioning
    photos.put("a", b"1")
    deleted = delete("a", "missing", "missing")
    markers = [marker.version_id for key in ("a", "missing") for marker in photos.versions(key)[:1]]
    assert [(each["Key"], each["DeleteMarker"]) for _, each in deleted] == [
        (key, "true") for key in ("a", "missing", "missing")
    ]
    assert [deleted[0][1]["DeleteMarkerVersionId"], deleted[2][1]["DeleteMarkerVersionId"]] == markers
    counts = [len(photos.versions(key)) for key in ("a", "missing")]
    assert (counts, set(markers) == {"null"}) == (([2, 2], False) if versioning == "enabled" else ([1, 1], True))


def test_named_versions_and_markers_are_deleted_permanently(photos, delete):
    photos.versioning = "enabled"
    first, second = photos.put("a", b"1"), photos.put("a", b"2")
    marker = photos.delete("a").version_id
    assert delete(("a", first.version_id), ("a", marker)) == [
        ("Deleted", {"Key": "a", "VersionId": first.version_id}),
        ("Deleted", {"Key": "a", "VersionId": marker, "DeleteMarker": "true", "DeleteMarkerVersionId": marker}),
    ]
    assert photos.versions("a") == [second]


@pytest.mark.decision("conditional-requests")
def test_keys_with_another_entity_tag_are_not_deleted(store, photos):
    photos.versioning = "enabled"
    old, new, other = photos.put("a", b"1"), photos.put("a", b"2"), photos.put("b", b"3")
    identifiers = [
        ("a", "", old.etag, "PreconditionFailed"),
        ("a", old.version_id, new.etag, "NotImplemented"),
        ("a", old.version_id, old.etag, "NotImplemented"),
        ("missing", "", "*", "NoSuchKey"),
        ("b", "", other.etag.strip('"'), None),
    ]
    objects = ""
    for key, version_id, etag, _ in identifiers:
        version = f"<VersionId>{version_id}</VersionId>" if version_id else ""
        objects += f"<Object><Key>{key}</Key>{version}<ETag>{etag}</ETag></Object>"
    reply = request(store, "POST", "photos", body=f"<Delete>{objects}</Delete>".encode(), delete=None)
    results = document(reply)
    assert [each.findtext("Code") for each in results] == [code for *_, code in identifiers]
    assert all(f"of {key!r} " in store.exchanges[-1].explanation for key in ("a", "missing"))
    assert photos.versions("a") == [new, old]
    assert "b" not in photos


@pytest.mark.decision("delete-many-unknown-version")
def test_unknown_version_or_long_key_fails_on_its_own(store, photos, delete):
    for key in "ab":
        photos.put(key)
    unknown, long = "x" * 32, "k" * 1025
    errors = [
        ("Error", {"Key": "a", "VersionId": unknown, "Code": "NoSuchVersion"}),
        ("Error", {"Key": "a", "VersionId": "", "Code": "InvalidArgument"}),
        ("Error", {"Key": long, "Code": "KeyTooLongError"}),
    ]
    assert delete(("a", unknown), ("a", ""), long, "b") == [*errors, ("Deleted", {"Key": "b"})]
    assert list(photos) == ["a"]
    assert all(name in store.exchanges[-1].explanation for name in (unknown, "1,025"))
    assert delete(("a", unknown), ("a", ""), long, "b", quiet=True) == errors
    assert delete("a", quiet=True) == []
    assert list(photos) == []


def test_keys_of_the_document_are_literal(photos, delete):
    for key in ["a b", "<&>'\"", "\u65e5\u672c/\U0001f600", " ", "a%2Fb", "a+b", "tab\there"]:
        photos.put(key)
        assert delete(key) == [("Deleted", {"Key": key})]
        assert list(photos) == []


def test_journal_names_the_versions_also_if_the_result_is_quiet(store, photos, delete):
    photos.versioning = "enabled"
    old, new = photos.put("a"), photos.put("a")
    assert delete("a", ("a", old.version_id), quiet=True) == []
    marker = photos.versions("a")[0]
    exchange = store.exchanges[-1]
    assert [each.version_id for each in exchange.created] == [marker.version_id]
    assert [each.version_id for each in exchange.removed] == [old.version_id]
    assert photos.versions("a") == [marker, new]


@pytest.mark.decision("conditional-requests", "order-of-checks")
def test_stranger_does_not_learn_whether_an_entity_tag_matches(store, photos):
    etag = photos.put("a", b"1").etag
    stranger = store.create_account("stranger")
    for tag in (etag, "another"):
        body = f"<Delete><Object><Key>a</Key><ETag>{tag}</ETag></Object></Delete>".encode()
        result = document(request(store, "POST", "photos", account=stranger, body=body, delete=None))
        assert [each.findtext("Code") for each in result] == ["AccessDenied"]


def test_quiet_result_names_errors_only(photos, delete):
    for case in each(("true", []), (" true\n", []), (" false ", [("Deleted", {"Key": "a"})])):
        with case as (quiet, results):
            photos.put("a")
            assert delete("a", quiet=quiet) == results
            assert "a" not in photos


def test_body_with_another_md5_deletes_nothing(store, photos):
    photos.put("a")
    headers = {"Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="}
    reply = request(store, "POST", "photos", headers=headers, body=delete_document("a"), delete=None)
    assert (outcome(reply), list(photos)) == ((400, "BadDigest"), ["a"])


def test_missing_bucket_is_reported(store):
    assert outcome(request(store, "POST", "films", body=delete_document("a"), delete=None)) == (404, "NoSuchBucket")
