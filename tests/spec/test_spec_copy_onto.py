"""PUT Object Copy (specification, section 4.2): what is at the destination already, and a copy onto its source."""

from __future__ import annotations

import pytest

from fakestore import SparseContent
from tests.spec.arrange import elements, etag_of, holdings, own_headers, refusal, stack, wire

statement = pytest.mark.statement


def copy(store, *fields, source="/photos/cat.jpg", to=("photos", "copy.jpg")):
    """Copy, with header fields as they are."""
    bucket, key = to
    return wire(store, "PUT", bucket, f"/{key}", [("x-svc-copy-source", source), *fields])


# -- conditions on the destination


@pytest.mark.parametrize("there", [[], [b"older"]], ids=["nothing", "an object"])
@pytest.mark.parametrize(
    ("name", "value", "without", "over"),
    [
        ("If-None-Match", "*", 200, (412, "PreconditionFailed")),
        ("If-Match", etag_of(b"older"), (404, "NoSuchKey"), 200),
        ("If-Match", etag_of(b"meow"), (404, "NoSuchKey"), (412, "PreconditionFailed")),
        ("If-Match", "*", (501, "NotImplemented"), (501, "NotImplemented")),
        ("If-None-Match", etag_of(b"meow"), (501, "NotImplemented"), (501, "NotImplemented")),
    ],
)
def test_a_copy_asks_its_conditions_of_what_is_at_the_destination(store, there, name, value, without, over):
    store["photos"].put("cat.jpg", b"meow")
    for content in there:
        store["photos"].put("copy.jpg", content)
    before = holdings(store)
    answer = copy(store, (name, value))
    expected = over if there else without
    if expected == 200:
        assert (answer.status, stack(store, "photos", "copy.jpg")) == (200, [b"meow"])
    else:
        assert (refusal(answer), holdings(store)) == (expected, before)


@pytest.mark.parametrize("name", ["If-Match", "If-None-Match"])
def test_a_copy_names_the_condition_that_its_destination_failed(store, name):
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].put("copy.jpg", b"older")
    answer = copy(store, (name, etag_of(b"meow") if name == "If-Match" else "*"))
    assert elements(answer.body)["Condition"] == name


def test_a_deleted_destination_is_none(store):
    store["photos"].put("cat.jpg", b"meow")
    store["kept"].put("copy.jpg", b"older")
    store["kept"].delete("copy.jpg")
    to = ("kept", "copy.jpg")
    assert refusal(copy(store, ("If-Match", etag_of(b"older")), to=to)) == (404, "NoSuchKey")
    assert copy(store, ("If-None-Match", "*"), to=to).status == 200


# -- onto itself


def test_a_copy_under_the_same_key_of_another_bucket_is_not_onto_itself(store):
    store["photos"].put("cat.jpg", b"meow")
    assert copy(store, to=("paused", "cat.jpg")).status == 200
    assert (stack(store, "photos", "cat.jpg"), stack(store, "paused", "cat.jpg")) == ([b"meow"], [b"meow"])


def test_a_copy_under_another_key_of_the_same_bucket_is_not_onto_itself(store):
    store["photos"].put("cat.jpg", b"meow")
    assert copy(store).status == 200


def test_a_copy_onto_itself_takes_the_encryption_by_kms_away_and_is_done(store):
    store["kept"].put("cat.jpg", b"meow", encryption="aws:kms")
    answer = copy(store, source="/kept/cat.jpg", to=("kept", "cat.jpg"))
    assert (answer.status, "x-svc-server-side-encryption" in own_headers(answer)) == (200, False)
    assert [each.encryption and each.encryption.value for each in store["kept"].versions()] == [None, "aws:kms"]


def test_a_copy_onto_itself_of_what_is_encrypted_by_aes_changes_nothing_and_is_refused(store):
    store["kept"].put("cat.jpg", b"meow", encryption="AES256")
    before = holdings(store)
    assert refusal(copy(store, source="/kept/cat.jpg", to=("kept", "cat.jpg"))) == (400, "InvalidRequest")
    assert holdings(store) == before


# -- which of several errors is answered: every request here fails also all that is asked after its own

NOSUCH, HUGE, SMALL = "/nosuch/nosuch.jpg", "/kept/huge.jpg", "/kept/cat.jpg"


@pytest.mark.parametrize(
    ("who", "to", "storage_class", "source", "acl", "expected"),
    [
        ("alice", "nosuch", "GLACIER", NOSUCH, "private", (404, "NoSuchBucket")),
        ("alice", "photos", "GLACIER", NOSUCH, "private", (403, "AccessDenied")),
        ("bob", "photos", "GLACIER", NOSUCH, "private", (400, "InvalidStorageClass")),
        ("bob", "photos", "STANDARD", NOSUCH, "private", (404, "NoSuchBucket")),
        ("bob", "photos", "STANDARD", "/kept/nosuch.jpg", "private", (404, "NoSuchKey")),
        ("bob", "photos", "STANDARD", f"{HUGE}?versionId=null", "private", (404, "NoSuchVersion")),
        ("bob", "photos", "STANDARD", HUGE, "private", (403, "AccessDenied")),
        ("bob", "photos", "STANDARD", HUGE, "public-read", (400, "InvalidRequest")),
        ("bob", "photos", "STANDARD", SMALL, "public-read", (412, "PreconditionFailed")),
    ],
    ids=["bucket", "WRITE", "headers", "source bucket", "key", "version", "READ", "size", "conditions"],
)
def test_of_several_errors_of_a_copy_the_first_in_order_is_answered(
    store, alice, who, to, storage_class, source, acl, expected
):
    account = alice if who == "alice" else store.create_account("bob")
    if who == "bob":
        store["photos"].allow(account, "s3:PutObject")
    store["kept"].put("huge.jpg", SparseContent(6 * 1024**3), acl=acl)
    store["kept"].put("cat.jpg", b"meow", acl=acl)
    fields = [
        ("x-svc-copy-source", source),
        ("x-svc-copy-source-if-match", etag_of(b"another")),
        ("x-svc-storage-class", storage_class),
    ]
    before = holdings(store)
    assert refusal(wire(store, "PUT", to, "/copy.jpg", fields, account=account)) == expected
    assert holdings(store) == before


@pytest.mark.parametrize("versioning", ["never", "enabled", "suspended"])
def test_a_copy_onto_itself_of_the_current_version_by_its_id_changes_nothing_and_is_refused(store, versioning):
    name = {"never": "photos", "enabled": "kept", "suspended": "paused"}[versioning]
    current = store[name].put("cat.jpg", b"meow").version_id
    before = holdings(store)
    answer = copy(store, source=f"/{name}/cat.jpg?versionId={current}", to=(name, "cat.jpg"))
    assert refusal(answer) == (400, "InvalidRequest")
    assert holdings(store) == before
