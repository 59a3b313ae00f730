"""Tags of objects, versions and buckets."""

from __future__ import annotations

from itertools import product
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from fakestore import S3, FakeStore
from tests.support.access import open_bucket
from tests.support.cases import each
from tests.support.client import Client
from tests.support.wire import elements, outcome

decision = pytest.mark.decision
HEADER_MESSAGE = "shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates."


def document(*tags: tuple[str, str]) -> bytes:
    tagging = etree.Element("Tagging")
    tag_set = etree.SubElement(tagging, "TagSet")
    for key, value in tags:
        tag = etree.SubElement(tag_set, "Tag")
        etree.SubElement(tag, "Key").text = key
        etree.SubElement(tag, "Value").text = value
    return etree.tostring(tagging)


def tags_of(client, target: str, **options) -> dict[str, str]:
    reply = client.send("GET", target, **options)
    assert reply.status == 200, reply.body
    tags = etree.fromstring(reply.body).iterfind("{*}TagSet/{*}Tag")
    return {tag.findtext("{*}Key"): tag.findtext("{*}Value") for tag in tags}


def test_tags_are_put_counted_and_deleted(client):
    client.put()
    assert tags_of(client, "/k?tagging") == {}
    assert client.send("PUT", "/k?tagging", body=document(("a", "1"), ("b", ""))).status == 200
    assert tags_of(client, "/k?tagging") == {"a": "1", "b": ""} == client.store["photos"]["k"].tags
    for method in ("GET", "HEAD"):
        assert client.header(client.send(method, "/k"), "tagging-count") == "2"
    assert client.send("DELETE", "/k?tagging").status == 204
    assert tags_of(client, "/k?tagging") == {}
    assert client.header(client.send("HEAD", "/k"), "tagging-count") is None


def test_each_version_has_its_own_tags(client):
    bucket = client.store["photos"]
    bucket.versioning = "enabled"
    first, second = bucket.put("k", tags={"n": "1"}), bucket.put("k", tags={"n": "2"})
    reply = client.send("PUT", f"/k?tagging&versionId={first.version_id}", body=document(("n", "changed")))
    assert client.header(reply, "version-id") == first.version_id
    assert tags_of(client, f"/k?tagging&versionId={first.version_id}") == {"n": "changed"}
    assert tags_of(client, "/k?tagging") == {"n": "2"}
    assert [version.version_id for version in bucket.versions("k")] == [second.version_id, first.version_id]


@decision("tags-of-a-marker")
def test_tags_of_a_delete_marker_are_refused(client):
    bucket = client.store["photos"]
    bucket.versioning = "enabled"
    bucket.put("k")
    marker = bucket.delete("k")
    for case in each(
        *product(
            ("/k?tagging", f"/k?tagging&versionId={marker.version_id}"),
            (("GET", b""), ("PUT", document()), ("DELETE", b"")),
        )
    ):
        with case as (target, (method, body)):
            assert outcome(client.send(method, target, body=body)) == (405, "MethodNotAllowed")


@decision("tagging-error-key")
def test_only_reading_tags_of_a_missing_key_names_the_bucket(client):
    for case in each(("GET", b"", "photos/k"), ("PUT", document(), "k"), ("DELETE", b"", "k")):
        with case as (method, body, key):
            reply = client.send(method, "/k?tagging", body=body)
            assert outcome(reply) == (404, "NoSuchKey")
            assert elements(reply)["Key"] == key


@decision("tagging-header")
def test_tagging_header_is_an_encoded_query(client):
    rows = [
        ("a=1&b=2&c=", {"a": "1", "b": "2", "c": ""}),
        ("a&b", {"a": "", "b": ""}),
        ("a&&&b", {"a": "", "b": ""}),
        ("%C3%A9+x=%2F", {"é x": "/"}),
        ("%C2%BD%E2%85%A7%C2%A0=%E2%91%A0%E2%80%A8", {"\xbd\u2167\xa0": "\u2460\u2028"}),  # numbers and separators
        ("", {}),
    ]
    for case in each(*rows):
        with case as (header, expected):
            client.put(tagging=header)
            assert tags_of(client, "/k?tagging") == expected


@decision("tagging-header")
def test_malformed_tagging_header_is_refused(client):
    for header in ["a=1&a=2", "a=1,b=2", "a=%FF", "=1", "a=\xe9", "a" * 129, "a=" + "1" * 257]:
        reply = client.send("PUT", "/k", {"tagging": header})
        assert (header, *outcome(reply)) == (header, 400, "InvalidArgument")
        assert elements(reply)["Message"] == f"The header '{client.prefix}tagging' {HEADER_MESSAGE}"
        assert list(client.store["photos"]) == []
    assert outcome(client.send("PUT", "/k", {"tagging": "aws:a=1"})) == (400, "InvalidTag")


def test_invalid_tags_of_objects_and_buckets_are_refused(client):
    rows = [
        ([("a", "1"), ("a", "1")], "Cannot provide multiple Tags with the same key", {"TagKey": "a"}),
        ([("a,b", "1")], "The TagKey you have provided is invalid", {"TagKey": "a,b"}),
        ([("", "1")], "The TagKey you have provided is invalid", {"TagKey": ""}),
        ([("a\tb", "1")], "The TagKey you have provided is invalid", {"TagKey": "a\tb"}),
        ([("a", "1\n2")], "The TagValue you have provided is invalid", {"TagKey": "a", "TagValue": "1\n2"}),
        ([("a", "1,2")], "The TagValue you have provided is invalid", {"TagKey": "a", "TagValue": "1,2"}),
    ]
    client.put()
    for case in each(*product(rows, ("/k?tagging", "/?tagging"))):
        with case as ((tags, message, more), target):
            reply = client.send("PUT", target, body=document(*tags))
            assert (tags, *outcome(reply)) == (tags, 400, "InvalidTag")
            assert {"Message": message, **more}.items() <= elements(reply).items()


def test_system_tags_have_a_message_for_each_kind_of_resource(client):
    client.put()
    messages = {
        "/k?tagging": "Your TagKey cannot be prefixed with aws:",
        "/?tagging": "System tags cannot be added/updated by requester",
    }
    for case in each(*messages.items()):
        with case as (target, message):
            assert elements(client.send("PUT", target, body=document(("aws:a", "1"))))["Message"] == message


@decision("too-many-tags")
def test_too_many_tags_are_refused(client):
    client.put()
    for target, most in (("/k?tagging", 10), ("/?tagging", 50)):
        tags = [(str(n), "") for n in range(most + 1)]
        assert client.send("PUT", target, body=document(*tags[:-1])).status in (200, 204)
        assert outcome(client.send("PUT", target, body=document(*tags))) == (400, "BadRequest")


def test_bucket_tags_are_put_and_removed(client):
    assert outcome(client.send("GET", "/?tagging")) == (404, "NoSuchTagSet")
    assert client.store.exchanges[-1].explanation == "bucket 'photos' has no tags"
    assert client.send("PUT", "/?tagging", body=document(("a", "1"), ("b", ""))).status == 204
    assert tags_of(client, "/?tagging") == {"a": "1", "b": ""}
    assert client.send("PUT", "/?tagging", body=document()).status == 204
    assert outcome(client.send("GET", "/?tagging")) == (404, "NoSuchTagSet")
    for _ in range(2):
        assert client.send("DELETE", "/?tagging").status == 204


@decision("put-of-an-existing-bucket", "tags-of-a-new-bucket")
def test_bucket_is_created_with_tags_and_not_again(client):
    def create(tags):
        body = b"<CreateBucketConfiguration><Tags>%s</Tags></CreateBucketConfiguration>"
        return client.send("PUT", "/", body=body % b"".join(map(etree.tostring, tags)), bucket="other")

    tag = etree.fromstring(document(("a", "1")))[0]
    assert outcome(create([*tag, *tag, etree.fromstring(b"<Tag><Key>a</Key><Value>2</Value></Tag>")]))[0] == 500
    assert create(tag).status == 200
    assert outcome(create(tag)) == (409, "BucketAlreadyOwnedByYou")
    assert create([]).status == 200
    assert tags_of(client, "/?tagging", bucket="other") == {"a": "1"}


@decision("tagging-without-a-set")
def test_tagging_without_a_set_has_no_tags(client):
    client.put(tagging="a=1")
    assert client.send("PUT", "/k?tagging", body=b"<Tagging/>").status == 200
    assert tags_of(client, "/k?tagging") == {}


@pytest.mark.parametrize("directive", [None, "COPY", "REPLACE"])
def test_copy_keeps_or_replaces_the_tags(client, directive):
    client.put(tagging="a=1")
    headers = {"copy-source": "/photos/k"} | ({} if directive is None else {"tagging-directive": directive})
    replaces = directive == "REPLACE"
    assert client.send("PUT", "/copy", headers).status == 200
    assert tags_of(client, "/copy?tagging") == ({} if replaces else {"a": "1"})
    assert client.send("PUT", "/copy", headers | {"tagging": "b=2"}).status == 200
    assert tags_of(client, "/copy?tagging") == ({"b": "2"} if replaces else {"a": "1"})


def test_unknown_tagging_directive_is_refused(client):
    client.put()
    headers = {"copy-source": "/photos/k", "tagging-directive": "KEEP"}
    assert outcome(client.send("PUT", "/copy", headers)) == (400, "InvalidArgument")


@decision("permissions-for-tags")
def test_another_account_may_tag_only_if_a_policy_allows_it(client):
    store = client.store
    bob, bucket = store.create_account("bob"), open_bucket(store)
    bucket.acl = "public-read-write"
    bucket.put("k", acl="public-read-write", tags={"a": "1"})
    version = bucket["k"].version_id
    for case in each(
        ("GET", "/k?tagging", b""),
        ("PUT", "/k?tagging", document()),
        ("DELETE", f"/k?tagging&versionId={version}", b""),
        ("GET", "/?tagging", b""),
        ("PUT", "/?tagging", document()),
    ):
        with case as (method, target, body):
            assert outcome(client.send(method, target, body=body, account=bob)) == (403, "AccessDenied")
    assert outcome(client.send("PUT", "/new", {"tagging": "a=1"}, account=bob)) == (403, "AccessDenied")
    assert client.send("PUT", "/new", account=bob).status == 200

    bucket.allow(bob, "s3:PutObjectTagging", "s3:GetObjectTagging")
    assert tags_of(client, "/k?tagging", account=bob) == {"a": "1"}
    assert client.send("PUT", "/new", {"tagging": "a=1"}, account=bob).status == 200
    reply = client.send("GET", f"/k?tagging&versionId={version}", account=bob)
    assert outcome(reply) == (403, "AccessDenied")


TEXT = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20) | st.text("_.:/=+-@ ", min_size=1)


@given(st.dictionaries(TEXT, TEXT, max_size=10))
def test_tags_come_back_however_they_were_sent(tags):
    client = Client(FakeStore(dialect=S3, base_url="http://objects.test", buckets=["photos"]))
    client.put(tagging=urlencode(tags))
    assert tags_of(client, "/k?tagging") == tags
    assert client.send("PUT", "/?tagging", body=document(*tags.items())).status == 204
    assert dict(client.store["photos"].put("other", tags=tags).tags) == tags
    if tags:
        assert tags_of(client, "/?tagging") == tags


def test_invalid_tags_of_the_python_interface_are_value_errors(client):
    with pytest.raises(ValueError, match="invalid tag key"):
        client.store["photos"].put("k", tags={"a,b": "1"})
