"""The XML documents of replies: their namespace, the order of their elements and their texts."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from fakestore import Dialect, FakeStore
from tests.support.cases import each
from tests.support.wire import body_of, document, send

NAMESPACE = "http://documents.test/2006/"
LIFECYCLE = (
    b"<LifecycleConfiguration><Rule><ID>r</ID><Filter><Prefix/></Filter><Status>Enabled</Status>"
    b"<Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>"
)
DELETE = b"<Delete><Object><Key>b</Key></Object><Object><Key>a</Key><VersionId>x</VersionId></Object></Delete>"
OWNER = "Owner ID DisplayName"
PART = (
    b"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>d41d8cd98f00b204e9800998ecf8427e</ETag></Part>"
    b"</CompleteMultipartUpload>"
)
#: The requests for documents, and the elements of each in their order, each name only the first time. UPLOAD stands for
#: the id of an upload.
REPLIES = {
    "ListAllMyBucketsResult": (("GET", None, "/"), f"{OWNER} Buckets Bucket Name CreationDate"),
    "ListBucketResult": (
        ("GET", "photos", "/?delimiter=%2F&encoding-type=url&max-keys=3"),
        "Name Marker Prefix MaxKeys Delimiter EncodingType IsTruncated NextMarker"
        f" Contents Key LastModified ETag Size StorageClass {OWNER} CommonPrefixes",
    ),
    "ListBucketResult (version 2)": (
        ("GET", "photos", "/?list-type=2&delimiter=%2F&encoding-type=url&max-keys=2&start-after=a"),
        "Name Prefix MaxKeys Delimiter EncodingType KeyCount IsTruncated StartAfter NextContinuationToken"
        " Contents Key LastModified ETag Size StorageClass CommonPrefixes",
    ),
    "ListVersionsResult": (
        ("GET", "photos", "/?versions&delimiter=%2F&max-keys=6"),
        "Name KeyMarker VersionIdMarker Prefix MaxKeys Delimiter IsTruncated NextKeyMarker NextVersionIdMarker"
        f" Version Key VersionId IsLatest LastModified ETag Size StorageClass {OWNER} DeleteMarker CommonPrefixes",
    ),
    "LocationConstraint": (("GET", "photos", "/?location"), ""),
    "VersioningConfiguration": (("GET", "photos", "/?versioning"), "Status"),
    "LifecycleConfiguration": (("GET", "photos", "/?lifecycle"), "Rule ID Filter Prefix Status Expiration Days"),
    "AccessControlPolicy": (("GET", "photos", "/a?acl"), f"{OWNER} AccessControlList Grant Grantee Permission URI"),
    "CopyObjectResult": (("PUT", "photos", "/copy", {"x-svc-copy-source": "/photos/a"}), "LastModified ETag"),
    "DeleteResult": (
        ("POST", "photos", "/?delete", (), DELETE),
        "Deleted Key DeleteMarker DeleteMarkerVersionId Error VersionId Code Message",
    ),
    "Tagging": (("GET", "photos", "/f?tagging"), "TagSet Tag Key Value"),
    "PolicyStatus": (("GET", "photos", "/?policyStatus"), "IsPublic"),
    "InitiateMultipartUploadResult": (("POST", "photos", "/n?uploads"), "Bucket Key UploadId"),
    "CopyPartResult": (
        ("PUT", "photos", "/m?partNumber=2&uploadId=UPLOAD", {"x-svc-copy-source": "/photos/a"}),
        "LastModified ETag",
    ),
    "ListPartsResult": (
        ("GET", "photos", "/m?uploadId=UPLOAD"),
        "Bucket Key UploadId PartNumberMarker NextPartNumberMarker MaxParts IsTruncated"
        " Part PartNumber LastModified ETag Size Initiator ID DisplayName Owner StorageClass",
    ),
    "ListMultipartUploadsResult": (
        ("GET", "photos", "/?uploads"),
        "Bucket KeyMarker UploadIdMarker NextKeyMarker NextUploadIdMarker MaxUploads IsTruncated"
        " Upload Key UploadId Initiator ID DisplayName Owner StorageClass Initiated",
    ),
    "CompleteMultipartUploadResult": (
        ("POST", "photos", "/m?uploadId=UPLOAD", (), PART),
        "Location Bucket Key ETag",
    ),
    "Error": (("GET", "photos", "/missing"), "Code Message Key Resource RequestId HostId"),
}


def store_with_history(namespace):
    store = FakeStore(buckets={"photos": "enabled"}, dialect=Dialect(xml_namespace=namespace))
    photos = store["photos"]
    photos.put("a", acl="public-read")
    photos.put("b", b"1")
    photos.delete("b")
    photos.put("b", b"2")
    photos.put("d/e")
    photos.put("f")
    photos.put("f", tags={"color": "red"})
    photos.allow(store.default_account, "s3:GetObject")
    send(store, "PUT", "photos", "/?lifecycle", body=LIFECYCLE)
    send(store, "POST", "photos", "/m?uploads")
    send(store, "PUT", "photos", f"/m?partNumber=1&uploadId={photos.uploads[0].upload_id}")
    return store


@pytest.mark.parametrize("name", REPLIES)
def test_reply_has_namespace_and_elements_in_order_and_no_text_between(name):
    (method, bucket, target, *rest), order = REPLIES[name]
    for namespace in (None, NAMESPACE):
        store = store_with_history(namespace)
        upload_id = store["photos"].uploads[0].upload_id
        root = document(send(store, method, bucket, target.replace("UPLOAD", upload_id), *rest))
        tags = list(dict.fromkeys(etree.QName(node).localname for node in root.iter()))
        assert (tags[0], etree.QName(root).namespace) == (name.split(" ")[0], None if name == "Error" else namespace)
        assert tags[1:] == order.split()
        assert [node.tag for node in root.iter() if (len(node) and node.text) or node.tail] == []


def test_a_timestamp_is_to_the_second_and_ends_in_zeros():
    listing = body_of(send(store_with_history(None), "GET", "photos")).decode()
    assert re.search(r"<LastModified>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z</LastModified>", listing)


def test_special_characters_of_a_key_are_escaped():
    store = FakeStore(buckets=["photos"])
    for case in each(
        ("<&>\"'", "&lt;&amp;&gt;&quot;'"),
        ("日本 é\u00a0\U0001f600", "日本 é\u00a0\U0001f600"),
        ("a\tb\nc\rd\x7f\x01", "a\tb\nc&#xd;d&#x7f;&#x1;"),
        ("\ufffe\x85", "&#xfffe;\x85"),
    ):
        with case as (key, written):
            store["photos"].put(key)
            listing = body_of(send(store, "GET", "photos")).decode()
            assert f"<Key>{written}</Key>" in listing


def test_a_document_starts_with_the_xml_declaration():
    body = body_of(send(FakeStore(buckets=["photos"]), "GET", "photos", "/?location"))
    assert body == b'<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint></LocationConstraint>'
