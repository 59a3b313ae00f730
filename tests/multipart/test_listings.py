"""Pages of parts and of uploads; the recorded pages are replayed in tests/facts."""

from __future__ import annotations

from functools import partial

import pytest

from fakestore import ObjectOwnership
from tests.multipart.arrange import Client, text, texts
from tests.support.cases import each
from tests.support.cost import count_calls
from tests.support.wire import outcome

decision = pytest.mark.decision


def test_parts_are_listed_page_by_page(client):
    upload = client.begin()
    for number in (7, 1, 30, 2):
        client.put_part(upload, number, b"meow")
    pages, marker, is_truncated = [], "0", "true"
    while is_truncated == "true":
        query = {"max-parts": 3, "part-number-marker": marker}
        reply = client.send("GET", "/film", uploadId=upload, **query)
        pages.append(texts(reply, "PartNumber"))
        marker, is_truncated = text(reply, "NextPartNumberMarker"), text(reply, "IsTruncated")
    assert pages == [["1", "2", "7"], ["30"]]


def test_empty_page_is_never_truncated(client):
    upload = client.begin()
    client.put_part(upload, 1, b"meow")
    for case in each(
        ("/film", {"uploadId": upload, "max-parts": 0}),
        ("/film", {"uploadId": upload, "part-number-marker": 1}),
        ("/", {"uploads": None, "max-uploads": 0}),
        ("/", {"uploads": None, "prefix": "x"}),
    ):
        with case as (target, query):
            assert text(client.send("GET", target, **query), "IsTruncated") == "false"


@pytest.mark.parametrize("number", ["-1", "many", "99999999999"])
def test_invalid_numbers_of_a_page_are_refused(client, number):
    upload = client.begin()
    for name in ("max-parts", "part-number-marker"):
        reply = client.send("GET", "/film", uploadId=upload, **{name: number})
        assert outcome(reply) == (400, "InvalidArgument")
    assert outcome(client.send("GET", "/", uploads=None, max_uploads=number)) == (400, "InvalidArgument")


def test_parts_and_uploads_show_their_initiator_and_class(store, client):
    upload = client.begin(headers={"storage-class": "REDUCED_REDUNDANCY"})
    owner = store.default_account.id
    for reply in (client.send("GET", "/film", uploadId=upload), client.send("GET", "/", uploads=None)):
        assert text(reply, "StorageClass") == "REDUCED_REDUNDANCY"
        assert texts(reply, "ID") == [owner, owner]


@decision("owner-of-an-uploaded-object")
@pytest.mark.parametrize("ownership", [*ObjectOwnership, None])
def test_owner_of_an_upload_depends_on_the_object_ownership(store, client, ownership):
    bob = store.create_account("bob")
    store["photos"].allow(bob, "s3:PutObject")
    store["photos"].object_ownership = ownership
    enforced, preferred = ObjectOwnership.BUCKET_OWNER_ENFORCED, ObjectOwnership.BUCKET_OWNER_PREFERRED
    for acl, belongs_to_bucket in (({}, [enforced]), ({"acl": "bucket-owner-full-control"}, [enforced, preferred])):
        upload = Client(store, bob).begin(headers=acl)
        owner = store.default_account if ownership in belongs_to_bucket else bob
        assert texts(client.send("GET", "/film", uploadId=upload), "ID") == [bob.id, owner.id]
        assert texts(client.send("GET", "/", uploads=None), "ID")[-2:] == [bob.id, owner.id]


def test_uploads_are_listed_page_by_page(client):
    begun = [(key, client.begin(key)) for key in ("b", "a", "c", "a", "b/1", "b/2")]
    listed, markers, is_truncated = [], {}, "true"
    while is_truncated == "true":
        reply = client.send("GET", "/", uploads=None, **{"max-uploads": 2, **markers})
        listed += zip(texts(reply, "Key"), texts(reply, "UploadId"), strict=True)
        markers = {"key-marker": text(reply, "NextKeyMarker"), "upload-id-marker": text(reply, "NextUploadIdMarker")}
        is_truncated = text(reply, "IsTruncated")
    assert listed == sorted(begun, key=lambda each: each[0])


def test_listing_encodes_keys(client):
    client.begin("a b/\N{CAT FACE}")
    reply = client.send("GET", "/", uploads=None, encoding_type="url", prefix="a b/")
    assert texts(reply, "Key") == ["a+b/%F0%9F%90%B1"]
    assert (text(reply, "Prefix"), text(reply, "NextKeyMarker")) == ("a+b/", "a+b/%F0%9F%90%B1")


@decision("marker-of-a-finished-upload")
def test_listing_continues_after_an_upload_that_is_finished(client):
    _, second, third = (client.begin() for _ in range(3))
    client.send("DELETE", "/film", uploadId=second)
    markers = {"key-marker": "film", "upload-id-marker": second}
    assert texts(client.send("GET", "/", uploads=None, **markers), "UploadId") == [third]
    unknown = {"key-marker": "film", "upload-id-marker": "never-issued"}
    assert outcome(client.send("GET", "/", uploads=None, **unknown)) == (400, "InvalidArgument")


@decision("upload-markers")
def test_marker_inside_a_common_prefix_skips_it(client):
    uploads = [client.begin(key) for key in ("a/1", "a/2", "b")]
    markers = {"key-marker": "a/1", "upload-id-marker": uploads[0]}
    reply = client.send("GET", "/", uploads=None, delimiter="/", **markers)
    assert (texts(reply, "CommonPrefixes"), texts(reply, "Key")) == ([], ["b"])
    reply = client.send("GET", "/", uploads=None, **{"upload-id-marker": uploads[0]})
    assert (text(reply, "UploadIdMarker"), texts(reply, "UploadId")) == ("", uploads)


def test_page_of_parts_and_uploads_costs_the_page(store, client):
    def cost(target, **query):
        return count_calls(lambda: client.send("GET", target, **query))

    small, large = client.begin("a"), client.begin("b")
    client.put_part(small, 1, b"meow", key="a")
    for number in range(1, 1001):
        client.put_part(large, number, b"meow", key="b")
    parts = {"max-parts": 1, "part-number-marker": 0}
    page = cost("/a", uploadId=small, **parts)
    assert cost("/b", uploadId=large, **parts) < 2 * page
    uploads = {"uploads": None, "max-uploads": 1}
    before = cost("/", **uploads)
    for number in range(1000):
        client.begin(f"c{number}")
    assert cost("/", **uploads) < 2 * before


def test_page_of_uploads_after_a_marker_costs_the_page(client):
    calls = []
    for count in (2, 500):
        uploads = [client.begin(f"of-{count}") for _ in range(count)]
        markers = {"key-marker": f"of-{count}", "upload-id-marker": uploads[-2]}
        query = {"uploads": None, "max-uploads": 1, **markers}
        calls.append(count_calls(partial(client.send, "GET", "/", **query)))
        assert texts(client.send("GET", "/", **query), "UploadId") == [uploads[-1]]
    assert calls[1] < 1.5 * calls[0]
