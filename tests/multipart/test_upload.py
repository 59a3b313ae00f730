"""An upload from its beginning to its end: parts, completing, aborting, and what the store shows meanwhile."""

from __future__ import annotations

from functools import partial

import pytest

from fakestore import FakeStore, Limits, faults
from tests.multipart.arrange import Client, text
from tests.support.cases import each
from tests.support.cost import count_calls
from tests.support.wire import elements, outcome

decision = pytest.mark.decision


@decision("etag-of-parts")
def test_completed_upload_is_one_object_with_an_entity_tag_of_parts(store, client):
    reply = client.upload(b"meow", b"purr", b"!")
    etag = text(reply, "ETag")
    assert etag.endswith('-3"')
    assert (text(reply, "Key"), text(reply, "Bucket")) == ("film", "photos")
    assert text(reply, "Location") == store.url("photos", "film")
    read = client.send("GET", "/film")
    assert (read.headers["etag"], bytes(read.body)) == (etag, b"meowpurr!")
    assert store["photos"]["film"].content == b"meowpurr!"
    assert store["photos"]["film"].etag == etag


@decision("entity-tag-of-encrypted")
def test_entity_tag_of_parts_is_kept_under_encryption_with_kms(store, client):
    plain = text(client.upload(b"meow", b"purr"), "ETag")
    assert text(client.upload(b"meow", b"purr", headers={"server-side-encryption": "aws:kms"}), "ETag") == plain


def test_headers_of_the_beginning_hold_for_the_object(store, client):
    headers = {
        "Content-Type": "video/mp4",
        "Cache-Control": "no-store",
        "meta-cat": "tom",
        "storage-class": "REDUCED_REDUNDANCY",
        "server-side-encryption": "AES256",
        "acl": "public-read",
    }
    upload = client.begin(headers=headers)
    part = client.send("PUT", "/film", body=b"meow", uploadId=upload, partNumber=1)
    assert client.header(part, "server-side-encryption") == "AES256"
    done = client.complete(upload, [(1, part.headers["etag"])])
    assert client.header(done, "server-side-encryption") == "AES256"
    version = store["photos"]["film"]
    assert (version.content_type, version.cache_control) == ("video/mp4", "no-store")
    assert (version.metadata, version.storage_class) == ({"cat": "tom"}, "REDUCED_REDUNDANCY")
    assert [str(grant.permission) for grant in version.acl.grants] == ["FULL_CONTROL", "READ"]


def test_each_completed_upload_makes_a_version(store, client):
    store["photos"].versioning = "enabled"
    replies = [client.upload(b"one"), client.upload(b"two")]
    ids = [client.header(reply, "version-id") for reply in replies]
    assert [entry.version_id for entry in store["photos"].versions("film")] == ids[::-1]
    assert [each.version_id for each in store.calls("Complete Multipart Upload")] == ids


def test_part_is_replaced_by_another_with_its_number(store, client):
    upload = client.begin()
    old, new = client.put_part(upload, 1, b"meow"), client.put_part(upload, 1, b"purr")
    assert outcome(client.complete(upload, [(1, old)])) == (400, "InvalidPart")
    assert client.complete(upload, [(1, new.strip('"'))]).status == 200
    assert store["photos"]["film"].content == b"purr"


def test_parts_that_are_not_named_are_dropped(store, client):
    upload = client.begin()
    tags = {number: client.put_part(upload, number, b"%04d" % number) for number in (9, 3, 10_000)}
    assert client.complete(upload, [(3, tags[3]), (10_000, tags[10_000])]).status == 200
    assert store["photos"]["film"].content == b"000310000"
    assert store["photos"].uploads == []


@decision("empty-part")
def test_last_part_may_be_empty(store, client):
    client.upload(b"meow", b"")
    assert store["photos"]["film"].content == b"meow"
    empty = client.send("GET", "/film", partNumber=2)
    assert (empty.status, empty.headers.get("content-range"), bytes(empty.body)) == (206, None, b"")


@decision("errors-of-a-completion")
def test_malformed_document_does_not_end_the_upload(store, client):
    upload = client.begin()
    for case in each(
        b"<CompleteMultipartUpload/>",
        b"<CompleteMultipartUpload><Part><PartNumber>a</PartNumber><ETag>e</ETag></Part></CompleteMultipartUpload>",
        b"<CompleteMultipartUpload><Part><PartNumber></PartNumber><ETag>e</ETag></Part></CompleteMultipartUpload>",
        b"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>",
        b"no document",
    ):
        with case as document:
            reply = client.send("POST", "/film", body=document, uploadId=upload)
            assert outcome(reply) == (400, "MalformedXML")
            assert [each.upload_id for each in store["photos"].uploads] == [upload]


@decision("errors-of-a-completion")
def test_number_of_a_part_is_at_least_1(client):
    upload = client.begin()
    tag = client.put_part(upload, 1, b"meow")
    for number in (0, -1, -10_001):
        refused = elements(client.complete(upload, [(number, tag)]))
        assert (refused["Code"], refused["Message"]) == ("InvalidArgument", "PartNumber must be >= 1")
        assert (refused["ArgumentName"], refused["ArgumentValue"]) == ("PartNumber", str(number))


def test_same_part_twice_is_the_wrong_order(store, client):
    upload = client.begin()
    tag = client.put_part(upload, 1, b"meow")
    assert outcome(client.complete(upload, [(1, tag), (1, tag)])) == (400, "InvalidPartOrder")


def test_object_of_parts_may_not_be_larger_than_an_object(client):
    store = FakeStore(dialect=client.store.dialect, buckets=["photos"], limits=Limits(min_part_size=1, object_size=5))
    small = Client(store)
    upload = small.begin()
    tags = [(number, small.put_part(upload, number, b"meow")) for number in (1, 2)]
    assert outcome(small.complete(upload, tags)) == (400, "EntityTooLarge")
    assert small.complete(upload, tags[:1]).status == 200


@decision("expected-digest-in-errors")
def test_wrong_digest_of_a_part_is_repeated_in_base64(client):
    upload = client.begin()
    headers = {"Content-MD5": "CYketZBSTjX8czcs3cXVlg=="}
    part = client.send("PUT", "/film", headers, b"meow", uploadId=upload, partNumber=1)
    assert (outcome(part), text(part, "ExpectedDigest")) == ((400, "BadDigest"), headers["Content-MD5"])
    whole = client.send("PUT", "/film", headers, b"meow")
    assert text(whole, "ExpectedDigest") == "09891eb590524e35fc73372cddc5d596"


def test_part_may_not_be_larger_than_the_limit_of_parts(client):
    store = FakeStore(dialect=client.store.dialect, buckets=["photos"], limits=Limits(part_size=3))
    small = Client(store)
    upload = small.begin()
    reply = small.send("PUT", "/film", body=b"meow", uploadId=upload, partNumber=1)
    assert outcome(reply) == (400, "EntityTooLarge")


def test_body_of_a_part_is_not_read_for_an_unknown_upload(client):
    class Unread:
        def __iter__(self):
            raise RuntimeError("the body was read")

    reply = client.send("PUT", "/film", {"Content-Length": "4"}, Unread(), uploadId="unknown", partNumber=1)
    assert outcome(reply) == (404, "NoSuchUpload")


@decision("completing-twice")
@pytest.mark.parametrize("versioning", ["never", "enabled", "suspended"])
def test_completion_can_be_repeated(store, client, versioning):
    if versioning != "never":
        store["photos"].versioning = versioning
    upload = client.begin()
    tags = [(number, client.put_part(upload, number, b"meow")) for number in (1, 2)]
    first = client.complete(upload, tags, headers={"If-None-Match": "*"})
    for case in each({"If-None-Match": "*"}, {"If-Match": "other"}, {}):
        with case as headers:
            again = client.complete(upload, tags, headers=headers)
            assert (again.status, again.body) == (200, first.body)
            assert client.header(again, "version-id") == client.header(first, "version-id")
            assert store.exchanges[-1].created == ()
    assert len(store["photos"].versions("film")) == 1
    assert outcome(client.complete(upload, tags[:1])) == (404, "NoSuchUpload")
    assert "completed or aborted" in store.exchanges[-1].explanation
    assert outcome(client.complete(upload, tags, key="other")) == (404, "NoSuchUpload")
    assert outcome(client.send("GET", "/film", uploadId=upload)) == (404, "NoSuchUpload")
    assert outcome(client.send("DELETE", "/film", uploadId=upload)) == (204, None)
    assert store["photos"]["film"].content == b"meowmeow"


@decision("completing-twice")
@pytest.mark.parametrize("change", ["write", "delete", "complete another"])
def test_completion_cannot_be_repeated_after_its_key_changed(client, change):
    upload, other = client.begin(), client.begin()
    tags = [[(1, client.put_part(each, 1, b"meow"))] for each in (upload, other)]
    client.complete(upload, tags[0])
    if change == "write":
        client.send("PUT", "/film", body=b"meow")
    elif change == "delete":
        client.send("DELETE", "/film")
    else:
        client.complete(other, tags[1])
    assert outcome(client.complete(upload, tags[0])) == (404, "NoSuchUpload")


def test_write_of_a_key_marks_its_uploads_only_once(client):
    calls = []
    for count in (1, 500):
        for _ in range(count):
            client.begin(f"of-{count}")
        client.send("PUT", f"/of-{count}")
        calls.append(count_calls(partial(client.send, "PUT", f"/of-{count}")))
    assert calls[1] < 1.2 * calls[0]


@decision("completing-twice")
def test_ended_uploads_are_kept_in_a_snapshot(store, client):
    upload = client.begin()
    tags = [(1, client.put_part(upload, 1, b"meow"))]
    client.complete(upload, tags)
    snapshot = store.snapshot()
    client.send("DELETE", "/film")
    store.restore(snapshot)
    assert client.complete(upload, tags).status == 200


def test_aborted_upload_leaves_nothing(store, client):
    upload = client.begin()
    tag = client.put_part(upload, 1, b"meow")
    assert outcome(client.send("DELETE", "/film", uploadId=upload)) == (204, None)
    assert (store["photos"].uploads, list(store["photos"])) == ([], [])
    assert outcome(client.send("DELETE", "/film", uploadId=upload)) == (204, None)
    for case in each(
        client.send("DELETE", "/film", uploadId="unknown"),
        client.send("PUT", "/film", body=b"meow", uploadId=upload, partNumber=1),
        client.send("GET", "/film", uploadId=upload),
        client.complete(upload, [(1, tag)]),
    ):
        with case as reply:
            assert outcome(reply) == (404, "NoSuchUpload")


def test_explanation_says_why_an_upload_does_not_exist(store, client):
    upload = client.begin()
    client.send("GET", "/other", uploadId=upload)
    assert "'film'" in store.exchanges[-1].explanation
    client.send("GET", "/film", uploadId="x")
    assert "never issued" in store.exchanges[-1].explanation


def test_upload_ids_are_repeatable_and_not_version_ids(store, client):
    upload = client.begin()
    assert outcome(client.send("GET", "/film", versionId=upload)) == (400, "InvalidArgument")
    store.reset()
    assert client.begin() == upload
    assert client.begin() != upload


@decision("deleting-a-bucket-with-uploads")
def test_bucket_with_unfinished_uploads_can_be_deleted(store, client):
    upload = client.begin()
    assert outcome(client.send("DELETE")) == (204, None)
    store.create_bucket("photos")
    assert outcome(client.send("GET", "/film", uploadId=upload)) == (404, "NoSuchUpload")


def test_snapshot_keeps_uploads_and_their_parts(store, client):
    upload = client.begin()
    tag = client.put_part(upload, 1, b"meow")
    snapshot = store.snapshot()
    client.put_part(upload, 1, b"purr")
    client.send("DELETE", "/film", uploadId=upload)
    store.restore(snapshot)
    assert [part.etag for each in store["photos"].uploads for part in each.parts] == [tag]
    assert client.complete(upload, [(1, tag)]).status == 200
    store.restore(snapshot)
    assert len(store["photos"].uploads) == 1


def test_unfinished_uploads_are_listed_and_described(store, client):
    later, earlier = client.begin("film", {"tagging": "state=draft&pet=cat"}), client.begin("cat")
    client.put_part(later, 2, b"meow")
    uploads = store["photos"].uploads
    assert [(each.key, each.upload_id, each.size) for each in uploads] == [("cat", earlier, 0), ("film", later, 4)]
    assert uploads[1].initiator == store.default_account
    assert [(part.number, part.size) for part in uploads[1].parts] == [(2, 4)]
    began, uploaded = (
        f"{each:%Y-%m-%d %H:%M:%S}" for each in (uploads[1].initiated, uploads[1].parts[0].last_modified)
    )
    assert store.describe().splitlines()[-2:] == [
        f"└── film  unfinished upload {later}  1 part, 4 bytes  {began}  tags state=draft, pet=cat",
        f"    └── part 2  4 bytes  {uploaded}",
    ]
    for number in range(3, 30):
        client.put_part(later, number, b"meow")
    assert store.describe().endswith("... and 8 more parts")


# -- faults


def test_fault_of_a_part_is_retried_like_any_other(store, client):
    store.fail("Upload Part", faults.ServiceError("SlowDown"), key="film", after=1)
    upload = client.begin()
    client.put_part(upload, 1, b"meow")
    assert outcome(client.send("PUT", "/film", body=b"purr", uploadId=upload, partNumber=2)) == (503, "SlowDown")
    assert [part.number for part in store["photos"].uploads[0].parts] == [1]
    client.put_part(upload, 2, b"purr")
    assert [each.fault is not None for each in store.calls("Upload Part", key="film")] == [False, True, False]


def test_joined_content_can_be_truncated_and_corrupted(store, client):
    client.upload(b"meow", b"purr")
    store.fail("GET Object", faults.TruncatedBody(6))
    assert bytes(client.send("GET", "/film").body) == b"meowpu"
    store.fail("GET Object", faults.CorruptedBody())
    assert bytes(client.send("GET", "/film").body) == b"\x92eowpurr"


def test_joined_content_reaches_requests(store, client):
    client.upload(b"meow", b"purr")
    session = store.session()
    session.mount(store.base_url, store.adapter())
    session.mount(store.url("photos"), store.adapter())
    with session:
        assert session.get(store.url("photos", "film")).content == b"meowpurr"
        with session.get(store.url("photos", "film"), stream=True) as reply:
            assert list(reply.iter_content(3)) == [b"meo", b"wpu", b"rr"]


@decision("error-in-a-200-reply")
def test_embedded_error_leaves_the_upload_as_it_was(store, client):
    store["photos"].put("source", b"meow")
    upload = client.begin()
    copy = {"headers": {"copy-source": "/photos/source"}, "uploadId": upload, "partNumber": 1}
    store.fail("Upload Part Copy", faults.EmbeddedError("SlowDown"))
    failed = client.send("PUT", "/film", **copy)
    assert (failed.status, text(failed, "Code"), store["photos"].uploads[0].parts) == (200, "SlowDown", ())
    etag = text(client.send("PUT", "/film", **copy), "ETag")

    store.fail("Complete Multipart Upload", faults.EmbeddedError())
    assert outcome(client.complete(upload, [(2, etag)])) == (400, "InvalidPart")
    failed = client.complete(upload, [(1, etag)])
    assert (failed.status, text(failed, "Code"), "film" in store["photos"]) == (200, "InternalError", False)
    assert store.exchanges[-1].error_code == "InternalError"
    assert text(client.complete(upload, [(1, etag)]), "Key") == "film"
    assert store["photos"]["film"].content == b"meow"
