"""Which accounts may begin, write, complete, abort and list uploads."""

from __future__ import annotations

import pytest

from fakestore.http import Request
from tests.multipart.arrange import Client
from tests.support import access
from tests.support.access import DENIED
from tests.support.cases import each
from tests.support.documents import statement
from tests.support.wire import outcome

decision = pytest.mark.decision


@pytest.fixture
def bob(store):
    """A client of another account, which may write to the bucket."""
    account = store.create_account("bob")
    grants = {"grant-write": f"id={account.id}", "grant-full-control": f"id={store.default_account.id}"}
    assert Client(store).send("PUT", "/", grants, acl=None).status == 200
    return Client(store, account)


def put_policy(store, effect, account, *actions):
    access.put_policy(store, "photos", statement(effect, account, list(actions), ["photos", "photos/*"]))


def requests_for(client, upload):
    """Return a reply for every operation on an upload that changes nothing."""
    return {
        "Upload Part": client.send("PUT", "/film", body=b"meow", uploadId=upload, partNumber=1),
        "Complete": client.complete(upload, []),
        "List Parts": client.send("GET", "/film", uploadId=upload),
        "Abort": client.send("DELETE", "/film", uploadId=upload),
    }


def test_stranger_may_do_nothing_with_an_upload(store, client):
    stranger = Client(store, store.create_account("eve"))
    upload = client.begin()
    assert outcome(stranger.send("POST", "/film", uploads=None)) == DENIED
    assert outcome(stranger.send("GET", "/", uploads=None)) == DENIED
    for name, reply in requests_for(stranger, upload).items():
        assert outcome(reply) == DENIED, name
    for name, reply in requests_for(stranger, "unknown").items():
        assert outcome(reply) == DENIED, name
    assert len(store["photos"].uploads) == 1


@decision("permissions-for-uploads")
def test_initiator_and_bucket_owner_may_list_and_abort(store, client, bob):
    upload = bob.begin()
    store["photos"].acl = "public-read-write"
    carol = Client(store, store.create_account("carol"))
    for method in ("GET", "DELETE"):
        assert outcome(carol.send(method, "/film", uploadId=upload)) == DENIED
    assert "bob" in store.exchanges[-1].explanation
    assert bob.send("GET", "/film", uploadId=upload).status == 200
    assert client.send("GET", "/film", uploadId=upload).status == 200
    assert client.send("DELETE", "/film", uploadId=upload).status == 204
    assert outcome(carol.send("DELETE", "/film", uploadId=upload)) == DENIED
    assert outcome(bob.send("DELETE", "/film", uploadId=upload)) == (204, None)
    # An account with WRITE on the bucket learns that an upload does not exist.
    assert outcome(carol.send("DELETE", "/film", uploadId="unknown")) == (404, "NoSuchUpload")


@decision("permissions-for-uploads")
def test_missing_upload_needs_more_than_permission_to_put(store, client):
    account = store.create_account("dora")
    put_policy(store, "Allow", account, "s3:PutObject")
    assert outcome(Client(store, account).send("DELETE", "/film", uploadId="unknown")) == DENIED
    put_policy(store, "Allow", account, "s3:AbortMultipartUpload")
    assert outcome(Client(store, account).send("DELETE", "/film", uploadId="unknown")) == (404, "NoSuchUpload")


@decision("owner-of-an-uploaded-object")
def test_object_belongs_to_the_initiator_if_another_completes(store, client, bob):
    upload = bob.begin()
    tag = client.put_part(upload, 1, b"meow")
    assert client.complete(upload, [(1, tag)]).status == 200
    assert store["photos"]["film"].owner.display_name == "bob"


def test_policy_allows_and_denies_each_action(store, client):
    account = store.create_account("dora")
    other, beginning = Client(store, account), store.snapshot()
    for case in each(
        ("s3:PutObject", lambda client, upload: client.send("POST", "/film", uploads=None)),
        ("s3:PutObject", lambda client, upload: client.send("PUT", "/film", uploadId=upload, partNumber=1)),
        ("s3:PutObject", lambda client, upload: client.complete(upload, [])),
        ("s3:AbortMultipartUpload", lambda client, upload: client.send("DELETE", "/film", uploadId=upload)),
        ("s3:ListMultipartUploadParts", lambda client, upload: client.send("GET", "/film", uploadId=upload)),
        ("s3:ListBucketMultipartUploads", lambda client, upload: client.send("GET", "/", uploads=None)),
    ):
        with case as (action, send):
            store.restore(beginning)
            upload = client.begin()
            assert outcome(send(other, upload)) == DENIED
            put_policy(store, "Allow", account, action)
            assert (action, outcome(send(other, upload))) != (action, DENIED)
            fresh = client.begin()
            put_policy(store, "Deny", store.default_account, action)
            assert outcome(send(client, fresh)) == DENIED


def test_acl_at_the_beginning_needs_the_right_to_set_it(store, client):
    put_policy(store, "Deny", store.default_account, "s3:PutObjectAcl")
    assert outcome(client.send("POST", "/film", {"acl": "public-read"}, uploads=None)) == DENIED
    assert client.send("POST", "/film", uploads=None).status == 200


def test_reader_of_the_bucket_may_list_its_uploads(store, client):
    client.send("PUT", "/", {"acl": "public-read"}, acl=None)
    client.begin()
    other = Client(store, store.create_account("dora"))
    assert other.send("GET", "/", uploads=None).status == 200


@decision("anonymous-operations")
def test_anonymous_requester_cannot_begin_an_upload(store):
    store["photos"].acl = "public-read-write"
    reply = store.handle(Request.to_url("POST", store.url("photos", "film", uploads=None)))
    assert outcome(reply) == DENIED
    assert store["photos"].uploads == []
