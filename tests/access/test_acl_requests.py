"""Access control lists over HTTP: canned, by grant headers and by a document, on objects and on buckets."""

from __future__ import annotations

import pytest

from tests.support.access import ALL_USERS, AUTHENTICATED_USERS, LOG_DELIVERY, explanation
from tests.support.cases import each
from tests.support.wire import outcome, request

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


@pytest.fixture
def photos(fakestore, ann):
    """A bucket of Ann's that all accounts may write to."""
    return fakestore.create_bucket("photos", owner=ann, acl="public-read-write")


@pytest.fixture
def put(fakestore, photos, bob):
    """Uploads or copies "cat.jpg", as Bob, and returns its grants or the error."""

    def put(account=bob, **headers):
        named = {f"x-svc-{name.replace('_', '-')}": value for name, value in headers.items()}
        body = b"" if "copy_source" in headers else b"meow"
        reply = request(fakestore, "PUT", "photos", "cat.jpg", account=account, headers=named, body=body)
        return str(photos["cat.jpg"].acl) if reply.status == 200 else outcome(reply)

    return put


@pytest.fixture
def set_acl(fakestore, photos, bob):
    """Replaces the ACL of "cat.jpg" as Bob, or of the bucket as Ann, and returns its grants or the error."""

    def set_acl(key="cat.jpg", body=b"", account=None, **headers):
        named = {f"x-svc-{name.replace('_', '-')}": value for name, value in headers.items()}
        account = account or (bob if key else photos.owner)
        reply = request(fakestore, "PUT", "photos", key, account=account, headers=named, body=body, acl=None)
        return str(photos[key].acl if key else photos.acl) if reply.status == 200 else outcome(reply)

    return set_acl


@pytest.fixture
def cat(photos, bob):
    """An object of Bob's in Ann's bucket."""
    return photos.put("cat.jpg", b"meow", account=bob)


# Canned

CANNED = {
    "private": "",
    "public-read": ", AllUsers:READ",
    "public-read-write": ", AllUsers:READ, AllUsers:WRITE",
    "authenticated-read": ", AuthenticatedUsers:READ",
    "bucket-owner-read": ", ann:READ",
    "bucket-owner-full-control": ", ann:FULL_CONTROL",
}


def test_canned_acl_of_an_object_names_both_owners(photos, put, set_acl, bob):
    for case in each(*CANNED.items()):
        with case as (canned, added):
            assert put() == "bob:FULL_CONTROL"
            assert set_acl(acl=canned) == f"bob:FULL_CONTROL{added}"
            assert str(photos.put("cat.jpg", account=bob, acl=canned).acl) == f"bob:FULL_CONTROL{added}"
            assert put(photos.owner, acl=canned) == f"ann:FULL_CONTROL{'' if 'ann' in added else added}"


@pytest.mark.decision("bucket-owner-acl-on-a-bucket")
def test_canned_acl_of_a_bucket_is_for_its_owner(fakestore, photos, set_acl, bob):
    for case in each(*CANNED.items()):
        with case as (canned, added):
            added = "" if "ann" in added else added
            assert request(fakestore, "PUT", f"of-{canned}", account=bob, headers={"x-svc-acl": canned}).status == 200
            assert str(fakestore[f"of-{canned}"].acl) == f"bob:FULL_CONTROL{added}"
            assert str(fakestore.create_bucket(f"my-{canned}", owner=bob, acl=canned).acl) == f"bob:FULL_CONTROL{added}"
            assert set_acl("", acl=canned) == f"ann:FULL_CONTROL{added}"
            photos.acl = "private"
            photos.acl = canned
            assert str(photos.acl) == f"ann:FULL_CONTROL{added}"


@pytest.mark.decision("errors-of-acl-headers")
def test_unknown_canned_acl_is_explained_with_the_known_ones(fakestore, photos, put):
    assert put(acl="Private") == (400, "InvalidArgument")
    assert all(name in explanation(fakestore) for name in ("'Private'", *CANNED))
    with pytest.raises(ValueError, match="'private', 'public-read'"):
        photos.put("cat.jpg", acl="Private")
    assert "cat.jpg" not in photos


# By headers


def test_grants_name_their_grantees_by_id_address_and_group(ann, put):
    granted = put(
        grant_read=f'id="{ann.id}", emailAddress="bob@example.test", uri="{ALL_USERS}"',
        grant_read_acp=f'uri="{AUTHENTICATED_USERS}"',
        grant_write_acp=f'id="{ann.id}"',
        grant_full_control='emailAddress="BOB@Example.test"',
    )
    assert granted == "bob:FULL_CONTROL, ann:READ, bob:READ, AllUsers:READ, AuthenticatedUsers:READ_ACP, ann:WRITE_ACP"


@pytest.mark.decision("grant-write-on-an-object")
def test_grant_of_write_on_an_object_adds_no_grant(ann, put, set_acl):
    assert put(grant_read=f"id={ann.id}", grant_write=f"id={ann.id}") == "ann:READ"
    private = put()
    assert put(grant_write=f"id={ann.id}") == private
    assert put(acl="public-read") != private
    assert set_acl(grant_write=f"id={ann.id}") == private


def test_grant_of_write_on_a_bucket_is_a_grant(fakestore, ann, bob, set_acl):
    assert set_acl("", grant_write=f"id={bob.id}", grant_read=f"id={bob.id}") == "bob:READ, bob:WRITE"
    request(fakestore, "PUT", "films", account=bob, headers={"x-svc-grant-write": f"id={ann.id}"})
    assert str(fakestore["films"].acl) == "ann:WRITE"


@pytest.mark.decision("errors-of-acl-headers")
def test_canned_acl_and_grants_together_are_refused(fakestore, photos, ann, put, set_acl, cat):
    headers = {"acl": "public-read", "grant_read": f"id={ann.id}"}
    assert put(**headers) == (400, "InvalidRequest")
    assert "x-svc-grant-read" in explanation(fakestore)
    assert set_acl(**headers) == (400, "InvalidRequest")
    assert photos.versions() == [cat]


@pytest.mark.decision("errors-of-acl-headers")
def test_refused_grantee_is_explained_by_name(fakestore, put):
    for case in each(
        ("", "x-svc-grant-read"),
        ("bob", "'bob'"),
        ("name=bob", "name=bob"),
        (f"id={'0' * 64}", "0" * 64),
        (f"uri={LOG_DELIVERY}/more", ALL_USERS),
        ("emailAddress=eve@example.test", "eve@example.test"),
    ):
        with case as (grantees, name):
            put(grant_read=grantees)
            assert name in explanation(fakestore)


# By a document


def document(owner, *grants):
    return (
        f"<AccessControlPolicy><Owner><ID>{owner.id}</ID></Owner>"
        f"<AccessControlList>{''.join(grants)}</AccessControlList></AccessControlPolicy>"
    ).encode()


def grant(kind, name, value, permission):
    grantee = f'<Grantee {XSI} xsi:type="{kind}"><{name}>{value}</{name}></Grantee>'
    return f"<Grant>{grantee}<Permission>{permission}</Permission></Grant>"


def test_document_replaces_the_acl_of_an_object(ann, bob, set_acl, cat):
    body = document(
        bob,
        grant("CanonicalUser", "ID", ann.id, "READ_ACP"),
        grant("AmazonCustomerByEmail", "EmailAddress", "bob@example.test", "FULL_CONTROL"),
        grant("Group", "URI", AUTHENTICATED_USERS, "READ"),
    )
    assert set_acl(body=body) == "ann:READ_ACP, bob:FULL_CONTROL, AuthenticatedUsers:READ"
    assert set_acl(body=document(bob)) == "none"


def test_document_replaces_the_acl_of_a_bucket(ann, bob, set_acl):
    assert set_acl("", body=document(ann, grant("CanonicalUser", "ID", bob.id, "WRITE"))) == "bob:WRITE"


@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_document_from_a_get_can_be_put_back(fakestore, photos, ann, bob, set_acl, key):
    photos.put("cat.jpg", account=ann)
    set_acl(key, account=ann, grant_read=f"id={bob.id}, uri={ALL_USERS}", grant_full_control=f"id={ann.id}")
    body = bytes(request(fakestore, "GET", "photos", key, account=ann, acl=None).body)
    assert set_acl(key, account=ann, acl="private") == "ann:FULL_CONTROL"
    assert set_acl(key, account=ann, body=body) == "ann:FULL_CONTROL, bob:READ, AllUsers:READ"


def test_malformed_document_is_refused_and_the_acl_stays(photos, bob, set_acl, cat):
    for case in each(b"not xml", b"<Other/>", document(bob, "<Grant/>"), document(bob).replace(b"Owner", b"Other")):
        with case as body:
            assert set_acl(body=body) == (400, "MalformedACLError")
    assert photos["cat.jpg"] == cat


def test_document_with_an_unknown_or_ambiguous_grantee_is_refused(fakestore, photos, bob, set_acl, cat):
    fakestore.create_account("eve", email="two@example.test")
    fakestore.create_account("joe", email="two@example.test")
    for case in each(
        ("CanonicalUser", "ID", "nobody", "InvalidArgument"),
        ("Group", "URI", "nobody", "InvalidArgument"),
        ("AmazonCustomerByEmail", "EmailAddress", "eve@example.test", "UnresolvableGrantByEmailAddress"),
        ("AmazonCustomerByEmail", "EmailAddress", "two@example.test", "AmbiguousGrantByEmailAddress"),
    ):
        with case as (kind, name, value, error):
            assert set_acl(body=document(bob, grant(kind, name, value, "READ"))) == (400, error)
    assert photos["cat.jpg"] == cat


@pytest.mark.parametrize("key", ["cat.jpg", ""])
def test_acl_comes_from_headers_or_a_document_of_the_owner(fakestore, photos, ann, bob, set_acl, key):
    photos.put("cat.jpg", account=ann)
    assert set_acl(key, account=ann) == (400, "MissingSecurityHeader")
    assert set_acl(key, account=ann, body=document(ann), acl="private") == (400, "UnexpectedContent")
    assert set_acl(key, account=ann, body=document(bob)) == (400, "InvalidArgument")
    assert all(name in explanation(fakestore) for name in (bob.id, ann.id))


# Versions


def test_acl_request_changes_only_the_acl_of_the_named_version(fakestore, photos, bob, put):
    photos.versioning = "enabled"
    older, newer = (photos.put("cat.jpg", content, account=bob) for content in (b"1", b"2"))
    query = {"acl": None, "versionId": older.version_id}
    reply = request(fakestore, "PUT", "photos", "cat.jpg", account=bob, headers={"x-svc-acl": "public-read"}, **query)
    assert reply.headers["x-svc-version-id"] == older.version_id
    top, changed = photos.versions("cat.jpg")
    assert (top, str(changed.acl)) == (newer, "bob:FULL_CONTROL, AllUsers:READ")
    assert [(each.version_id, each.content, each.last_modified) for each in (changed, older)] == [
        (older.version_id, b"1", older.last_modified)
    ] * 2
    assert put(acl="public-read") != put() == "bob:FULL_CONTROL"


@pytest.mark.decision("put-acl-of-a-marker")
def test_acl_of_a_delete_marker_cannot_be_set(fakestore, photos, ann):
    photos.versioning = "enabled"
    photos.put("cat.jpg", account=ann)
    marker = photos.delete("cat.jpg")
    for query in ({}, {"versionId": marker.version_id}):
        headers = {"x-svc-acl": "private"}
        reply = request(fakestore, "PUT", "photos", "cat.jpg", account=ann, headers=headers, acl=None, **query)
        assert (outcome(reply), reply.headers["Allow"]) == ((405, "MethodNotAllowed"), "DELETE")
