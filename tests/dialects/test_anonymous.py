"""Anonymous requesters in the dialect S3: what ACLs and policies let them do, and who owns what they write."""

from __future__ import annotations

import pytest

from tests.support.access import open_bucket

ANONYMOUS_ID = "65a011a29cdf8ec533ec3d1ccaae921c"
POLICY = (
    '{"Statement": {"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:PutObject"],'
    ' "Resource": "arn:aws:s3:::photos/public/*"}}'
)


@pytest.fixture(autouse=True)
def photos(s3):
    """A bucket that may be public."""
    return open_bucket(s3.store)


def test_anonymous_requester_is_refused_without_a_grant(s3):
    s3.store["photos"].put("cat.jpg", b"meow")
    assert s3.send("GET", "cat.jpg", anonymous=True).status_code == 403
    assert s3.send("PUT", "cat.jpg", anonymous=True).status_code == 403
    assert s3.send("GET", anonymous=True).status_code == 403


def test_anonymous_requester_reads_and_writes_by_policy(s3):
    s3.send("PUT", query={"policy": None}, data=POLICY)
    assert s3.send("PUT", "public/cat.jpg", data=b"meow", anonymous=True).status_code == 200
    assert s3.send("GET", "public/cat.jpg", anonymous=True).content == b"meow"
    assert s3.send("PUT", "cat.jpg", anonymous=True).status_code == 403


def test_anonymous_owner_is_shown_and_may_do_what_owners_may(s3):
    s3.store["photos"].acl = "public-read-write"
    s3.send("PUT", "cat.jpg", data=b"meow", anonymous=True)
    assert s3.store["photos"]["cat.jpg"].owner.id == ANONYMOUS_ID
    assert s3.send("GET", "cat.jpg").status_code == 403
    assert s3.send("GET", "cat.jpg", anonymous=True).content == b"meow"
    document = s3.send("GET", "cat.jpg", anonymous=True, query={"acl": None}).text
    assert document.count(f"<ID>{ANONYMOUS_ID}</ID>") == 2
    assert s3.send("PUT", "cat.jpg", anonymous=True, query={"acl": None}, data=document).status_code == 200


def test_anonymous_delete_marker_belongs_to_the_anonymous_owner(s3):
    s3.store["photos"].acl = "public-read-write"
    s3.store["photos"].set_versioning("enabled")
    s3.send("DELETE", "cat.jpg", anonymous=True)
    assert [marker.owner.id for marker in s3.store["photos"].versions("cat.jpg")] == [ANONYMOUS_ID]


@pytest.mark.parametrize(("method", "bucket"), [("GET", None), ("PUT", "other")])
def test_anonymous_requester_neither_lists_nor_creates_buckets(s3, method, bucket):
    assert s3.send(method, bucket=bucket, anonymous=True).status_code == 403


def test_authenticated_users_do_not_include_the_anonymous_requester(s3):
    s3.store["photos"].put("cat.jpg", b"meow", acl="authenticated-read")
    assert s3.send("GET", "cat.jpg", account=s3.store.create_account("ann")).status_code == 200
    assert s3.send("GET", "cat.jpg", anonymous=True).status_code == 403


def test_anonymous_requester_may_not_replace_headers_of_the_reply(s3):
    s3.store["photos"].put("cat.jpg", b"meow", acl="public-read")
    reply = s3.send("GET", "cat.jpg", anonymous=True, query={"response-content-type": "text/html"})
    assert (reply.status_code, "<Code>InvalidRequest</Code>" in reply.text) == (400, True)


def test_copy_reads_its_source_as_the_anonymous_requester(s3):
    s3.store["photos"].acl = "public-read-write"
    s3.store["photos"].put("secret", b"s")
    s3.store["photos"].put("open", b"o", acl="public-read")
    source = "x-amz-copy-source"
    assert s3.send("PUT", "copy", anonymous=True, headers={source: "/photos/secret"}).status_code == 403
    assert s3.send("PUT", "copy", anonymous=True, headers={source: "/photos/open"}).status_code == 200
