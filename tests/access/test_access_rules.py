"""Rules of access that the matrix has no cell for: no account reads, changes or learns what it may not."""

from __future__ import annotations

import pytest

from tests.support.access import DELETED, DENIED, DONE, LOG_DELIVERY, ask, explanation, grant, put_policy
from tests.support.cases import each
from tests.support.documents import delete_document, statement
from tests.support.wire import document, outcome, request

LONG_AGO = "Sat, 01 Jan 2000 00:00:00 GMT"


@pytest.fixture
def photos(fakestore, ann):
    """A private bucket of Ann's."""
    return fakestore.create_bucket("photos", owner=ann, versioning="enabled")


@pytest.fixture
def drop(fakestore, ann):
    """A bucket of Ann's that all accounts may write to and list."""
    return fakestore.create_bucket("drop", owner=ann, acl="public-read-write", versioning="enabled")


# Owning the bucket, owning the object


@pytest.mark.decision("permissions")
def test_bucket_owner_has_no_rights_on_objects_of_others(fakestore, drop, ann, bob):
    version = drop.put("bob.jpg", b"mine", account=bob)
    for case in each(
        ("GET", {}, {}),
        ("HEAD", {}, {}),
        ("GET", {"acl": None}, {}),
        ("PUT", {"acl": None}, {"x-svc-acl": "public-read"}),
        ("PUT", {}, {"x-svc-copy-source": "/drop/bob.jpg"}),
    ):
        with case as (method, query, headers):
            assert ask(fakestore, ann, method, "drop", "bob.jpg", headers=headers, **query) == DENIED
    assert drop.versions() == [version]


def test_uploader_without_write_reads_but_does_not_delete(fakestore, photos, bob):
    photos.put("bob.jpg", b"mine", account=bob)
    answers = [ask(fakestore, bob, method, "photos", "bob.jpg") for method in ("GET", "PUT", "DELETE")]
    assert answers == [DONE, DENIED, DENIED]


def test_each_version_has_the_owner_and_acl_it_was_written_with(fakestore, drop, ann, bob):
    older = drop.put("cat.jpg", b"hers", account=ann)
    assert ask(fakestore, bob, "PUT", "drop", "cat.jpg", body=b"his") == DONE
    newer = drop["cat.jpg"]
    queries = [{}, {"versionId": newer.version_id}, {"versionId": older.version_id}]
    statuses = [[ask(fakestore, who, "GET", "drop", "cat.jpg", **query)[0] for query in queries] for who in (ann, bob)]
    assert statuses == [[403, 403, 200], [200, 200, 403]]


@pytest.mark.decision("permissions")
def test_object_owner_without_grants_only_reads_and_writes_the_acl(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    grant(fakestore, ann, "photos", "cat.jpg", read=bob)
    assert ask(fakestore, ann, "GET", "photos", "cat.jpg") == DENIED
    assert ask(fakestore, ann, "GET", "photos", "cat.jpg", acl=None) == DONE
    grant(fakestore, ann, "photos", "cat.jpg", full_control=ann)
    assert ask(fakestore, ann, "GET", "photos", "cat.jpg") == DONE


def test_bucket_owner_without_grants_only_reads_and_writes_the_acl(fakestore, photos, ann, bob):
    grant(fakestore, ann, "photos", read=bob)
    assert ask(fakestore, ann, "GET", "photos") == DENIED
    assert ask(fakestore, ann, "PUT", "photos", "cat.jpg") == DENIED
    grant(fakestore, ann, "photos", full_control=ann)
    assert ask(fakestore, ann, "GET", "photos") == DONE


def test_writing_an_acl_does_not_change_the_owner(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    grant(fakestore, ann, "photos", "cat.jpg", write_acp=bob)
    headers = {"x-svc-acl": "private"}
    assert ask(fakestore, bob, "PUT", "photos", "cat.jpg", headers=headers, acl=None) == DONE
    assert (photos["cat.jpg"].acl.owner, str(photos["cat.jpg"].acl)) == (ann, "ann:FULL_CONTROL")


def test_log_delivery_group_has_no_members(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    headers = {"x-svc-grant-read": f"uri={LOG_DELIVERY}"}
    assert ask(fakestore, ann, "PUT", "photos", "cat.jpg", headers=headers, acl=None) == DONE
    assert [ask(fakestore, who, "GET", "photos", "cat.jpg") for who in (ann, bob)] == [DENIED, DENIED]


# Copying


def copy(fakestore, account, source, **conditions):
    headers = {f"x-svc-copy-source-{name.replace('_', '-')}": value for name, value in conditions.items()}
    headers["x-svc-copy-source"] = source
    return ask(fakestore, account, "PUT", "drop", "copy.jpg", headers=headers)


def test_copy_is_subject_to_the_policy_of_the_source(fakestore, photos, drop, bob):
    version_id = photos.put("cat.jpg", b"meow", acl="public-read").version_id
    photos.deny(bob, "s3:GetObject")
    assert copy(fakestore, bob, "/photos/cat.jpg") == DENIED
    assert copy(fakestore, bob, f"/photos/cat.jpg?versionId={version_id}") == DONE
    photos.deny(bob, "s3:GetObjectVersion")
    assert copy(fakestore, bob, f"/photos/cat.jpg?versionId={version_id}") == DENIED


@pytest.mark.decision("order-of-checks-in-a-copy")
def test_rights_to_what_a_copy_sets_are_checked_before_its_source(fakestore, drop, bob):
    for case in each(
        ({"x-svc-tagging": "a=b", "x-svc-tagging-directive": "REPLACE"}, "s3:PutObjectTagging"),
        ({"x-svc-acl": "public-read"}, "s3:PutObjectAcl"),
    ):
        with case as (headers, action):
            headers = {"x-svc-copy-source": "/nosuch/cat.jpg", **headers}
            drop.allow(bob, action)
            assert ask(fakestore, bob, "PUT", "drop", "copy.jpg", headers=headers) == (404, "NoSuchBucket")
            drop.deny(bob, action)
            assert ask(fakestore, bob, "PUT", "drop", "copy.jpg", headers=headers) == DENIED


def test_conditions_reveal_nothing_to_a_requester_without_read(fakestore, photos, drop, bob):
    photos.put("cat.jpg", b"meow")
    for case in each(
        ("If-Match", '"no"'),
        ("If-None-Match", "*"),
        ("If-Modified-Since", LONG_AGO),
        ("If-Unmodified-Since", LONG_AGO),
    ):
        with case as (name, value):
            assert copy(fakestore, bob, "/photos/cat.jpg", **{name.lower(): value}) == DENIED
            assert ask(fakestore, bob, "GET", "photos", "cat.jpg", headers={name: value}) == DENIED
            assert ask(fakestore, bob, "HEAD", "photos", "cat.jpg", headers={name: value}) == DENIED
    assert ask(fakestore, bob, "GET", "photos", "cat.jpg", headers={"Range": "bytes=100-"}) == DENIED


@pytest.mark.decision("order-of-checks-in-a-copy")
def test_write_permission_is_checked_before_the_copy_source(fakestore, photos, ann, bob):
    headers = {"x-svc-copy-source": "/nowhere/cat.jpg"}
    assert ask(fakestore, bob, "PUT", "photos", "copy.jpg", headers=headers) == DENIED
    assert ask(fakestore, ann, "PUT", "photos", "copy.jpg", headers=headers) == (404, "NoSuchBucket")


# What a refusal does not reveal


def test_denied_head_has_neither_body_nor_object_headers(fakestore, photos, bob):
    photos.put("cat.jpg", b"meow", metadata={"name": "Felix"})
    reply = request(fakestore, "HEAD", "photos", "cat.jpg", account=bob)
    assert (reply.status, bytes(reply.body)) == (403, b"")
    assert {"etag", "last-modified", "x-svc-version-id", "x-svc-meta-name"}.isdisjoint(reply.headers)


#: What GET answers to requesters who may list the bucket: key, version id, answer.
MISSING = {
    "a key that never existed": ("dog.jpg", {}, (404, "NoSuchKey")),
    "a deleted key": ("gone.jpg", {}, (404, "NoSuchKey")),
    "a version of a key that never existed": ("dog.jpg", {"versionId": "null"}, (404, "NoSuchVersion")),
    "a delete marker": ("gone.jpg", {"versionId": "marker"}, (405, "MethodNotAllowed")),
    "a deleted version": ("gone.jpg", {"versionId": "deleted"}, (404, "NoSuchVersion")),
    "an id that was never issued": ("cat.jpg", {"versionId": "nonsense"}, (400, "InvalidArgument")),
    "an empty id": ("cat.jpg", {"versionId": ""}, (400, "InvalidArgument")),
}


@pytest.fixture
def answers(fakestore, photos):
    """Requests everything that is missing, and returns the answers by what is missing."""
    photos.put("cat.jpg", b"meow")
    deleted = photos.put("gone.jpg", b"")
    marker = photos.delete("gone.jpg")
    photos.delete_version("gone.jpg", deleted.version_id)
    ids = {"marker": marker.version_id, "deleted": deleted.version_id}

    def answers(account, method="GET", **more):
        headers = {"x-svc-acl": "private"} if method == "PUT" else {}
        found = {}
        for name, (key, query, _) in MISSING.items():
            query = {name: ids.get(value, value) for name, value in query.items()}
            found[name] = ask(fakestore, account, method, "photos", key, headers=headers, **query, **more)
        return found

    return answers


@pytest.mark.decision("missing-keys")
def test_requester_with_list_permission_learns_what_is_missing(photos, answers, ann, bob):
    expected = {name: answer for name, (_, _, answer) in MISSING.items()}
    assert answers(ann) == answers(ann, "HEAD") == expected
    photos.allow(bob, "s3:ListBucket")
    assert answers(bob) == expected


@pytest.mark.decision("missing-keys")
def test_requester_without_list_permission_gets_403_for_missing_keys(photos, answers, ann, bob):
    denied = dict.fromkeys(MISSING, DENIED)
    for case in each(("GET", {}), ("HEAD", {}), ("GET", {"acl": None}), ("PUT", {"acl": None})):
        with case as (method, query):
            assert answers(bob, method, **query) == denied
    photos.allow(bob, "s3:GetObject", "s3:GetObjectVersion")
    assert answers(bob) == denied
    photos.deny(ann, "s3:ListBucket")
    assert answers(ann) == denied


def test_version_id_of_another_key_names_no_version(fakestore, drop, ann, bob):
    hers = drop.put("ann.jpg", b"hers", account=ann)
    drop.put("bob.jpg", b"his", account=bob)
    his = fakestore.create_bucket("his", owner=bob, versioning="enabled").put("ann.jpg", b"his")
    query = {"versionId": hers.version_id}
    assert ask(fakestore, bob, "GET", "drop", "bob.jpg", **query) == (404, "NoSuchVersion")
    assert ask(fakestore, bob, "DELETE", "his", "ann.jpg", **query) == DELETED
    assert (drop.versions("ann.jpg"), fakestore["his"].versions()) == ([hers], [his])


def test_missing_bucket_is_revealed_to_every_account(fakestore, bob):
    for case in each("GET", "PUT", "DELETE", "HEAD"):
        with case as method:
            assert ask(fakestore, bob, method, "nowhere", "cat.jpg") == (404, "NoSuchBucket")


# The order of the checks


@pytest.mark.decision("order-of-checks")
def test_access_is_checked_before_headers_key_and_document(fakestore, photos, bob):
    for case in each(
        ("PUT", "cat.jpg", {}, {"x-svc-acl": "nonsense"}),
        ("PUT", "cat.jpg", {}, {"Content-MD5": "nonsense"}),
        ("PUT", "k" * 2000, {}, {}),
        ("PUT", "cat.jpg", {}, {"x-svc-copy-source": "nonsense"}),
        ("PUT", "", {"acl": None}, {}),
        ("PUT", "", {"policy": None}, {}),
        ("PUT", "", {"versioning": None}, {}),
        ("PUT", "", {"lifecycle": None}, {}),
        ("GET", "", {"max_keys": "nonsense"}, {}),
    ):
        with case as (method, key, query, headers):
            assert ask(fakestore, bob, method, "photos", key, headers=headers, **query) == DENIED


class Unread:
    """A body that must not be read before the headers were checked."""

    len = 4

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("the body was read")


@pytest.mark.decision("order-of-checks")
def test_body_of_a_denied_put_is_not_read(fakestore, photos, bob):
    url = fakestore.url("photos", "cat.jpg")
    response = fakestore.session(bob).put(url, data=Unread(), headers={"Expect": "100-continue"})
    assert response.status_code == 403


# DELETE of many objects, and buckets


def delete_many(fakestore, account, *identifiers, quiet=None):
    """Delete from the bucket "drop" and return the error code of each key."""
    body = delete_document(*identifiers, quiet=quiet)
    reply = request(fakestore, "POST", "drop", account=account, body=body, delete=None)
    assert reply.status == 200
    return {each.findtext("Key"): each.findtext("Code") for each in document(reply)}


def test_delete_of_many_checks_each_key_on_its_own(fakestore, drop, bob):
    for key in ("a.jpg", "kept/b.jpg", "c.jpg"):
        drop.put(key, b"")
    put_policy(fakestore, "drop", statement("Deny", "*", "s3:DeleteObject", "drop/kept/*"))
    codes = delete_many(fakestore, bob, "a.jpg", "kept/b.jpg", "c.jpg")
    assert codes == {"a.jpg": None, "kept/b.jpg": "AccessDenied", "c.jpg": None}
    assert list(drop) == ["kept/b.jpg"]


@pytest.mark.parametrize("quiet", [False, True])
def test_delete_of_many_keeps_versions_from_other_accounts(fakestore, drop, bob, quiet):
    cat = drop.put("cat.jpg", b"", account=bob)
    assert delete_many(fakestore, bob, ("cat.jpg", cat.version_id), quiet=quiet) == {"cat.jpg": "AccessDenied"}
    assert drop.versions() == [cat]


def test_delete_of_many_explains_each_refusal(fakestore, drop, bob):
    drop.put("a.jpg")
    delete_many(fakestore, bob, "a.jpg")
    assert fakestore.exchanges[-1].explanation is None
    drop.deny(bob, "s3:DeleteObject")
    delete_many(fakestore, bob, "a.jpg", ("b.jpg", "null"))
    names = ("s3:DeleteObject on 'drop/a.jpg'", "s3:DeleteObjectVersion on 'drop/b.jpg'", "ann", "Deny")
    assert all(name in explanation(fakestore) for name in names)


def test_explanations_are_not_sent_to_the_client(fakestore, photos, bob):
    reply = request(fakestore, "GET", "photos", "cat.jpg", account=bob)
    assert [child.tag for child in document(reply)] == ["Code", "Message", "Resource", "RequestId", "HostId"]
    assert (outcome(reply), document(reply).findtext("Message")) == (DENIED, "Access Denied")
    assert explanation(fakestore)
