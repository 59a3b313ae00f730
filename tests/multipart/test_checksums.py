"""Checksums and keys of the parts of an upload. Most of their rules are in the recorded facts."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from fakestore import S3, ChecksumAlgorithm, FakeStore, Limits, SparseContent
from tests.multipart.arrange import Client, text, texts
from tests.support.cases import each
from tests.support.client import customer_key
from tests.support.wire import crc32_base64, outcome

decision = pytest.mark.decision
FULL = {"checksum-algorithm": "CRC32", "checksum-type": "FULL_OBJECT"}
ENABLED = {"checksum-mode": "ENABLED"}
BAD_DIGEST = (400, "BadDigest")


def put_part(client, upload, number, body, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.send("PUT", "/film", named, body, uploadId=upload, partNumber=number)


def complete(client, upload, *parts, headers=None, numbers=range(1, 10_001)):
    """Complete an upload with these entity tags and CRC32s; a CRC32 of None is not named."""
    listed = ""
    for number, (etag, value) in zip(numbers, parts, strict=False):
        checksum = "" if value is None else f"<ChecksumCRC32>{value}</ChecksumCRC32>"
        listed += f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag>{checksum}</Part>"
    body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()
    return client.send("POST", "/film", headers, body, uploadId=upload)


def upload_in_parts(client, contents, headers):
    upload = client.begin(headers=headers)
    tags = [
        put_part(client, upload, number, each, checksum_crc32=crc32_base64(each))
        for number, each in enumerate(contents, 1)
    ]
    reply = complete(
        client, upload, *((tag.headers["etag"], crc32_base64(each)) for tag, each in zip(tags, contents, strict=True))
    )
    assert reply.status == 200, reply
    return reply


@decision("checksums-in-listings")
def test_listings_say_how_objects_are_checked(store, client):
    store["photos"].put("without")
    upload_in_parts(client, [b"meow", b"purr"], {"checksum-algorithm": "CRC32"})
    default = [] if store.dialect.semantics.default_checksum is None else ["CRC64NVME", "FULL_OBJECT"]
    for case in each({}, {"list-type": 2}, {"versions": None}):
        with case as query:
            reply = client.send("GET", **query)
            modes = [
                [each.text for each in entry if "Checksum" in each.tag]
                for entry in etree.fromstring(bytes(reply.body))
                if etree.QName(entry).localname in ("Contents", "Version")
            ]
            assert modes == [["CRC32", "COMPOSITE"], default]


@decision("checksums-of-parts")
def test_part_of_a_composite_upload_needs_a_checksum(client):
    upload = client.begin(headers={"checksum-algorithm": "CRC32"})
    assert outcome(put_part(client, upload, 1, b"meow")) == (400, "InvalidRequest")
    assert put_part(client, upload, 1, b"meow", checksum_crc32=crc32_base64(b"meow")).status == 200


@decision("checksums-of-parts")
def test_part_of_a_full_object_upload_gets_a_checksum(client):
    upload = client.begin(headers=FULL)
    part = put_part(client, upload, 1, b"meow")
    assert client.header(part, "checksum-crc32") == crc32_base64(b"meow")
    listing = client.send("GET", "/film", uploadId=upload)
    assert texts(listing, "ChecksumCRC32") == [crc32_base64(b"meow")]
    assert (text(listing, "ChecksumAlgorithm"), text(listing, "ChecksumType")) == ("CRC32", "FULL_OBJECT")
    assert outcome(complete(client, upload, (part.headers["etag"], crc32_base64(b"other")))) == (400, "InvalidPart")
    done = complete(client, upload, (part.headers["etag"], None))
    assert (text(done, "ChecksumCRC32"), text(done, "ChecksumType")) == (crc32_base64(b"meow"), "FULL_OBJECT")


@decision("checksum-algorithms")
def test_only_a_crc_can_be_the_checksum_of_a_whole_upload(client):
    for algorithm in ChecksumAlgorithm:
        for kind in ("FULL_OBJECT", "COMPOSITE"):
            headers = {"checksum-algorithm": algorithm, "checksum-type": kind}
            expected = 200 if kind == "COMPOSITE" or algorithm.is_crc else 400
            if (algorithm, kind) == ("CRC64NVME", "COMPOSITE"):
                expected = 400
            reply = client.send("POST", "/film?uploads", headers)
            assert reply.status == expected, headers
            if expected == 400:
                assert text(reply, "Message") == (
                    f"The {kind} checksum type cannot be used with the {algorithm.lower()} checksum algorithm."
                )


@decision("checksums-of-parts")
@pytest.mark.parametrize("numbers", [(2,), (1, 3), (2, 3)])
def test_numbers_of_parts_with_checksums_follow_each_other(client, numbers):
    for headers in ({"checksum-algorithm": "CRC32"}, FULL):
        upload, value = client.begin(headers=headers), crc32_base64(b"meow")
        tags = [put_part(client, upload, number, b"meow", checksum_crc32=value).headers["etag"] for number in numbers]
        reply = complete(client, upload, *((tag, value) for tag in tags), numbers=numbers)
        assert outcome(reply) == (400, "InvalidPartOrder")
    # Not every part is named with its checksum, so there may be gaps.
    named = [(tag, value if place else None) for place, tag in enumerate(tags)]
    assert complete(client, upload, *named, numbers=numbers).status == 200


@decision("checksums-of-parts")
def test_type_of_checksum_must_be_known(client):
    headers = {"checksum-algorithm": "CRC32", "checksum-type": "HALF_OBJECT"}
    assert outcome(client.send("POST", "/film", headers, uploads=None)) == (400, "InvalidRequest")


@decision("checksum-of-an-upload")
def test_composite_checksum_is_that_of_the_checksums_of_parts(client):
    contents = [b"meow", b"purr", b"!"]
    upload_in_parts(client, contents, {"checksum-algorithm": "CRC32"})
    composite = crc32_base64(b"".join(base64.b64decode(crc32_base64(each)) for each in contents))
    whole = client.send("GET", "/film", ENABLED)
    assert client.header(whole, "checksum-crc32") == f"{composite}-3"
    part = client.send("GET", "/film", ENABLED, partNumber=2)
    assert client.header(part, "checksum-crc32") == crc32_base64(b"purr")
    assert client.header(client.send("GET", "/film", ENABLED | {"Range": "bytes=0-3"}), "checksum-crc32") is None


@decision("checksum-of-an-upload")
@pytest.mark.parametrize("begun", [FULL, {"checksum-algorithm": "CRC32"}])
def test_only_a_full_object_checksum_must_be_stated_with_its_type(client, begun):
    upload, value = client.begin(headers=begun), crc32_base64(b"meow")
    etag = put_part(client, upload, 1, b"meow", checksum_crc32=value).headers["etag"]
    of_object = value if begun is FULL else f"{crc32_base64(base64.b64decode(value))}-1"
    for stated, expected in (("wrong", BAD_DIGEST), (of_object, BAD_DIGEST if begun is FULL else (200, None))):
        reply = complete(client, upload, (etag, value), headers={"checksum-crc32": stated})
        assert outcome(reply) == expected
        if expected == BAD_DIGEST:
            explanation = client.store.exchanges[-1].explanation
            assert (of_object in explanation, "type FULL_OBJECT" in explanation) == (True, begun is FULL)
            assert "COMPOSITE" not in explanation


@decision("checksum-of-an-upload")
def test_completion_returns_the_checksum_unless_kms_encrypts(client):
    for encryption, count in (("AES256", 1), ("aws:kms", 0)):
        headers = {"checksum-algorithm": "CRC32", "server-side-encryption": encryption}
        done = upload_in_parts(client, [b"meow"], headers)
        assert len(texts(done, "ChecksumCRC32")) == count
        assert client.store["photos"]["film"].checksum.algorithm == "CRC32"


@decision("checksum-of-an-upload")
@given(contents=st.lists(st.binary(min_size=4, max_size=9), min_size=1, max_size=4))
def test_full_object_checksum_is_that_of_the_content(contents):
    with_small_parts = FakeStore(dialect=S3, buckets=["photos"], limits=Limits(min_part_size=4))
    client = Client(with_small_parts)
    upload_in_parts(client, contents, FULL)
    stored = with_small_parts["photos"]["film"]
    assert stored.checksum.value == crc32_base64(b"".join(contents))
    client.send("PUT", "/copy", {"copy-source": "/photos/film"})
    assert with_small_parts["photos"]["copy"].checksum == stored.checksum
    with_small_parts.close()


@decision("checksum-of-an-upload")
def test_checksum_of_terabytes_is_computed(client):
    upload = client.begin(headers={"checksum-algorithm": "CRC64NVME"})
    tags = [put_part(client, upload, number, SparseContent(2**32)).headers["etag"] for number in (1, 2)]
    tags.append(put_part(client, upload, 3, b"meow").headers["etag"])
    done = complete(client, upload, *((tag, None) for tag in tags))
    assert text(done, "ChecksumType") == "FULL_OBJECT"
    assert client.store["photos"]["film"].checksum.algorithm is ChecksumAlgorithm.CRC64NVME


@decision("attributes-of-parts")
def test_attributes_list_the_parts_of_a_composite_upload(client):
    upload_in_parts(client, [b"meow", b"purr", b"!"], {"checksum-algorithm": "CRC32"})

    def attributes(**page):
        headers = {"object-attributes": "ObjectParts"}
        headers |= {name.replace("_", "-"): value for name, value in page.items()}
        return client.send("GET", "/film", headers, attributes=None)

    first = attributes(max_parts="2")
    assert (texts(first, "PartNumber"), text(first, "IsTruncated"), text(first, "PartsCount")) == (
        ["1", "2"],
        "true",
        "3",
    )
    assert client.store.exchanges[-1].truncated_after == 2
    second = attributes(max_parts="2", part_number_marker=text(first, "NextPartNumberMarker"))
    assert (texts(second, "PartNumber"), text(second, "IsTruncated")) == (["3"], "false")
    assert client.store.exchanges[-1].truncated_after is None
    assert text(attributes(max_parts="1001"), "MaxParts") == "1000"
    for invalid in ("many", "-1", "", "9" * 20):
        whole = attributes(max_parts=invalid, part_number_marker=invalid)
        assert (texts(whole, "PartNumber"), text(whole, "MaxParts")) == (["1", "2", "3"], "1000")
    client.store["photos"].put("film", b"meow")
    assert texts(attributes(), "ObjectParts") == []


@decision("customer-key-of-an-upload")
def test_every_part_needs_the_key_of_its_upload(client):
    client.store["photos"].blocked_encryption = "NONE"
    upload = client.begin(headers=customer_key("k"))
    for headers in ({}, customer_key("o")):
        reply = client.send("PUT", "/film", headers, b"meow", uploadId=upload, partNumber=1)
        assert outcome(reply) == (400, "InvalidRequest")
    reply = client.send("PUT", "/film", customer_key("k"), b"meow", uploadId=upload, partNumber=1)
    assert reply.status == 200
    part = (reply.headers["etag"], None)
    for case in each(
        ({}, (200, None)),
        (customer_key("k"), (200, None)),
        (customer_key("o"), (400, "InvalidRequest")),
    ):
        with case as (headers, expected):
            assert outcome(client.send("GET", "/film", headers, uploadId=upload)) == expected
    assert outcome(complete(client, upload, part, headers=customer_key("o"))) == (400, "InvalidRequest")
    assert complete(client, upload, part, headers=customer_key("k")).status == 200
    assert outcome(client.send("GET", "/film")) == (400, "InvalidRequest")
    assert bytes(client.send("GET", "/film", customer_key("k")).body) == b"meow"


def test_upload_keeps_its_tags_and_storage_class(client):
    client.upload(b"meow", headers={"tagging": "pet=cat", "storage-class": "REDUCED_REDUNDANCY"})
    version = client.store["photos"]["film"]
    assert (dict(version.tags), version.storage_class) == ({"pet": "cat"}, "REDUCED_REDUNDANCY")


@decision("copy-of-an-object-with-parts")
def test_copy_of_a_composite_checksum_has_the_checksum_of_the_content(client):
    upload_in_parts(client, [b"meow", b"purr"], {"checksum-algorithm": "CRC32"})
    reply = client.send("PUT", "/copy", {"copy-source": "/photos/film"})
    assert text(reply, "ChecksumCRC32") == crc32_base64(b"meowpurr")
    assert client.header(client.send("HEAD", "/copy", ENABLED), "checksum-type") == "FULL_OBJECT"
