"""Anonymous requesters in the dialect S3: what ACLs and policies let them do, and who owns what they write."""

from __future__ import annotations

import pytest

from fakestore.http import Request
from tests.support.access import open_bucket
from tests.support.documents import policy, statement
from tests.support.wire import elements, outcome

ANONYMOUS_ID = "65a011a29cdf8ec533ec3d1ccaae921c"
POLICY = (
    b'{"Statement": {"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:PutObject"],'
    b' "Resource": "arn:aws:s3:::photos/public/*"}}'
)
POLICY_FOR_ALL = policy(statement("Allow", "*", "s3:*", ["photos", "photos/*"]))


@pytest.fixture(autouse=True)
def photos(s3):
    """A bucket that may be public."""
    return open_bucket(s3.store)


def test_anonymous_requester_is_refused_without_a_grant(s3):
    s3.store["photos"].put("cat.jpg", b"meow")
    assert s3.send("GET", "/cat.jpg", signed=False).status == 403
    assert s3.send("PUT", "/cat.jpg", signed=False).status == 403
    assert s3.send("GET", signed=False).status == 403


def test_refusal_of_an_anonymous_requester_says_that_the_request_has_no_credentials(s3):
    urls = [
        ("GET", "/cat.jpg"),
        ("PUT", "/cat.jpg"),
        ("GET", "/"),
        ("POST", "/cat.jpg?uploads"),
        ("DELETE", "/?policy"),
    ]
    for method, url in urls:
        s3.send(method, url, signed=False)
    for method, url in [("GET", s3.store.base_url), ("PUT", s3.store.url("films"))]:
        s3.store.handle(Request.to_url(method, url))
    explanations = [exchange.explanation for exchange in s3.store.exchanges]
    advice = "the request has no credentials; sign it, for example with auth=store.auth()"
    assert [text for text in explanations if not text.endswith(advice)] == []
    s3.send("GET", "/cat.jpg")
    assert advice not in s3.store.exchanges[-1].explanation


def test_anonymous_requester_reads_and_writes_by_policy(s3):
    s3.send("PUT", policy=None, body=POLICY)
    assert s3.send("PUT", "/public/cat.jpg", body=b"meow", signed=False).status == 200
    assert s3.send("GET", "/public/cat.jpg", signed=False).body == b"meow"
    assert s3.send("PUT", "/cat.jpg", signed=False).status == 403


def test_anonymous_owner_is_shown_and_may_do_what_owners_may(s3):
    s3.store["photos"].acl = "public-read-write"
    s3.send("PUT", "/cat.jpg", body=b"meow", signed=False)
    assert s3.store["photos"]["cat.jpg"].owner.id == ANONYMOUS_ID
    assert s3.send("GET", "/cat.jpg").status == 403
    assert s3.send("GET", "/cat.jpg", signed=False).body == b"meow"
    document = s3.send("GET", "/cat.jpg", signed=False, acl=None).body
    assert document.count(b"<ID>%s</ID>" % ANONYMOUS_ID.encode()) == 2


def test_anonymous_owner_reads_the_acl_without_a_grant(s3):
    s3.store["photos"].acl = "public-read-write"
    s3.send("PUT", "/cat.jpg", {"grant-read": f'id="{s3.store.default_account.id}"'}, signed=False)
    assert s3.send("GET", "/cat.jpg", signed=False).status == 403
    assert s3.send("GET", "/cat.jpg", signed=False, acl=None).status == 200


COPY = {"copy-source": "/photos/cat.jpg"}
#: Requests for an object: the method, the query, the headers, and a word of the message that refuses them.
ALWAYS_REFUSED = [
    ("PUT", "/copy.jpg", {}, COPY, "copy objects."),
    ("PUT", "/film", {"partNumber": "1", "uploadId": "id"}, COPY, "copy objects."),
    ("POST", "/film", {"uploads": None}, {}, "initiate multipart uploads."),
    ("PUT", "/", {"acl": None}, {"acl": "private"}, "Access Denied"),
    ("PUT", "/cat.jpg", {"acl": None}, {"acl": "private"}, "Access Denied"),
    *((method, "/", {"ownershipControls": None}, {}, "does not support Anonymous") for method in ("GET", "DELETE")),
    ("PUT", "/", {"ownershipControls": None}, {}, "does not support Anonymous"),
    *((method, "/", {"policy": None}, {}, "Access Denied") for method in ("GET", "PUT", "DELETE")),
]


@pytest.mark.decision("anonymous-operations")
@pytest.mark.parametrize(("method", "path", "query", "headers", "words"), ALWAYS_REFUSED)
def test_some_operations_need_an_account_whatever_the_policy_says(s3, method, path, query, headers, words):
    s3.store["photos"].put("cat.jpg", b"meow")
    s3.send("PUT", policy=None, body=POLICY_FOR_ALL)
    refused = s3.send(method, path, headers, signed=False, **query)
    assert outcome(refused) == (403, "AccessDenied")
    assert words in elements(refused)["Message"]


@pytest.mark.decision("anonymous-operations")
def test_anonymous_requester_cannot_use_an_object_with_kms_encryption(s3):
    s3.send("PUT", policy=None, body=POLICY_FOR_ALL)
    kms = {"server-side-encryption": "aws:kms"}
    assert s3.send("PUT", "/cat.jpg", kms).status == 200
    assert s3.send("HEAD", "/cat.jpg", signed=False).status == 400
    for refused in (s3.send("GET", "/cat.jpg", signed=False), s3.send("PUT", "/dog.jpg", kms, signed=False)):
        assert outcome(refused) == (400, "InvalidArgument")
        assert "require AWS Signature Version 4" in elements(refused)["Message"]
    assert s3.send("GET", "/cat.jpg").status == 200
    s3.send("PUT", "/open.jpg", {"server-side-encryption": "AES256"})
    assert s3.send("GET", "/open.jpg", signed=False).status == 200


def test_policy_allows_the_other_operations_to_anonymous_requesters(s3):
    s3.store["photos"].put("cat.jpg", b"meow")
    s3.send("PUT", policy=None, body=POLICY_FOR_ALL)
    for path, query in [("/cat.jpg", {}), ("/cat.jpg", {"acl": None}), ("/", {"acl": None}), ("/", {"uploads": None})]:
        assert s3.send("GET", path, signed=False, **query).status == 200
    assert s3.send("PUT", "/cat.jpg", signed=False, body=b"woof").status == 200
    assert s3.send("DELETE", "/cat.jpg", signed=False).status == 204


def test_anonymous_delete_marker_belongs_to_the_anonymous_owner(s3):
    s3.store["photos"].acl = "public-read-write"
    s3.store["photos"].versioning = "enabled"
    s3.send("DELETE", "/cat.jpg", signed=False)
    assert [marker.owner.id for marker in s3.store["photos"].versions("cat.jpg")] == [ANONYMOUS_ID]


@pytest.mark.parametrize(("method", "bucket"), [("GET", None), ("PUT", "other")])
def test_anonymous_requester_neither_lists_nor_creates_buckets(s3, method, bucket):
    assert s3.send(method, bucket=bucket, signed=False).status == 403


def test_authenticated_users_do_not_include_the_anonymous_requester(s3):
    s3.store["photos"].put("cat.jpg", b"meow", acl="authenticated-read")
    assert s3.send("GET", "/cat.jpg", account=s3.store.create_account("ann")).status == 200
    assert s3.send("GET", "/cat.jpg", signed=False).status == 403


def test_anonymous_requester_may_not_replace_headers_of_the_reply(s3):
    s3.store["photos"].put("cat.jpg", b"meow", acl="public-read")
    reply = s3.send("GET", "/cat.jpg", signed=False, response_content_type="text/html")
    assert outcome(reply) == (400, "InvalidRequest")
