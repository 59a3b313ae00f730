"""boto3 as it is: its default settings, its own connections, and signatures that are verified."""

from __future__ import annotations

import base64
import hashlib

import pytest
import xxhash
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from fakestore import fake_store, faults
from tests.support.aws import KEYS, client_with_keys

MIB = 1024**2

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def store():
    with fake_store(
        dialect="s3",
        buckets={"photos": "enabled"},
        signatures="verify",
        **KEYS,
    ) as store:
        yield store


@pytest.fixture
def s3(store):
    """A client without a config, so that it sends checksums and validates those of replies."""
    return client_with_keys()


HASHES = {
    "SHA1": hashlib.sha1,
    "SHA256": hashlib.sha256,
    "SHA512": hashlib.sha512,
    "MD5": hashlib.md5,
    "XXHASH64": xxhash.xxh64,
    "XXHASH3": xxhash.xxh3_64,
    "XXHASH128": xxhash.xxh3_128,
}


@pytest.mark.parametrize("algorithm", HASHES)
def test_checksums_of_any_algorithm_are_stored_and_listed(s3, algorithm):
    """boto3 computes the checksums and validates those of replies, except MD5."""
    if algorithm not in s3.meta.service_model.shape_for("ChecksumAlgorithm").enum:
        pytest.skip("this boto3 does not have the algorithm")
    film = {"Bucket": "photos", "Key": "film"}

    def checksum(content):
        value = base64.b64encode(HASHES[algorithm](content).digest()).decode()
        return {f"Checksum{algorithm}": value}

    def sent(content):
        return checksum(content) if algorithm == "MD5" else {"ChecksumAlgorithm": algorithm}

    put = s3.put_object(Bucket="photos", Key="cat", Body=b"meow", **sent(b"meow"))
    assert put.items() >= checksum(b"meow").items()
    reply = s3.get_object(Bucket="photos", Key="cat")
    assert (reply["Body"].read(), reply.items() >= checksum(b"meow").items()) == (b"meow", True)

    upload = film | {"UploadId": s3.create_multipart_upload(**film, ChecksumAlgorithm=algorithm)["UploadId"]}
    part = s3.upload_part(**upload, PartNumber=1, Body=b"purr", **sent(b"purr"))
    copied = s3.upload_part_copy(**upload, PartNumber=1, CopySource="photos/cat")["CopyPartResult"]
    assert (part.items() >= checksum(b"purr").items(), copied.items() >= checksum(b"meow").items()) == (True, True)
    listing = s3.list_parts(**upload)
    assert (listing["ChecksumAlgorithm"], listing["ChecksumType"]) == (algorithm, "COMPOSITE")
    assert listing["Parts"][0].items() >= checksum(b"meow").items()
    parts = [{"PartNumber": 1, "ETag": copied["ETag"]}]
    with pytest.raises(ClientError, match=f"created using a {algorithm.lower()} checksum"):
        s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
    done = s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": [parts[0] | checksum(b"meow")]})

    (of_part,) = checksum(b"meow").values()
    composite = checksum(base64.b64decode(of_part))
    assert done[f"Checksum{algorithm}"] == f"{composite[f'Checksum{algorithm}']}-1"
    attributes = s3.get_object_attributes(**film, ObjectAttributes=["Checksum", "ObjectParts"])
    assert attributes["Checksum"] == composite | {"ChecksumType": "COMPOSITE"}
    assert attributes["ObjectParts"]["Parts"] == [{"PartNumber": 1, "Size": 4} | checksum(b"meow")]
    copy = s3.copy_object(Bucket="photos", Key="copy", CopySource="photos/film")["CopyObjectResult"]
    assert copy.items() >= (checksum(b"meow") | {"ChecksumType": "FULL_OBJECT"}).items()
    entries = s3.list_objects_v2(Bucket="photos")["Contents"]
    assert [(each["ChecksumAlgorithm"], each["ChecksumType"]) for each in entries] == [
        ([algorithm], "FULL_OBJECT"),
        ([algorithm], "FULL_OBJECT"),
        ([algorithm], "COMPOSITE"),
    ]


def test_object_is_put_read_listed_and_deleted(s3):
    put = s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow", Metadata={"camera": "M3"})
    assert (put["ChecksumCRC32"], put["ChecksumType"]) == ("ihBq/g==", "FULL_OBJECT")
    reply = s3.get_object(Bucket="photos", Key="cat.jpg")
    assert (reply["Body"].read(), reply["ChecksumCRC32"]) == (b"meow", "ihBq/g==")
    assert s3.head_object(Bucket="photos", Key="cat.jpg")["Metadata"] == {"camera": "M3"}
    copy = s3.copy_object(Bucket="photos", Key="a/cöpy", CopySource={"Bucket": "photos", "Key": "cat.jpg"})
    assert copy["CopyObjectResult"]["ChecksumCRC32"] == "ihBq/g=="
    assert [each["Key"] for each in s3.list_objects_v2(Bucket="photos")["Contents"]] == ["a/cöpy", "cat.jpg"]
    assert s3.delete_object(Bucket="photos", Key="cat.jpg")["DeleteMarker"] is True
    with pytest.raises(ClientError, match="NoSuchKey"):
        s3.get_object(Bucket="photos", Key="cat.jpg")
    listing = s3.list_object_versions(Bucket="photos")
    assert ([each["Key"] for each in listing["Versions"]], len(listing["DeleteMarkers"])) == (["a/cöpy", "cat.jpg"], 1)
    s3.delete_objects(
        Bucket="photos",
        Delete={
            "Objects": [
                {"Key": each["Key"], "VersionId": each["VersionId"]}
                for each in listing["Versions"] + listing["DeleteMarkers"]
            ]
        },
    )
    assert "Versions" not in s3.list_object_versions(Bucket="photos")


def test_socket_timeout_of_a_body_is_accepted(s3):
    s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
    body = s3.get_object(Bucket="photos", Key="cat.jpg")["Body"]
    body.set_socket_timeout(5)
    assert list(body.iter_chunks(3)) == [b"meo", b"w"]


def test_object_has_tags(s3):
    s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow", Tagging="pet=cat")
    tags = {"TagSet": [{"Key": "pet", "Value": "dog"}]}
    assert s3.get_object_tagging(Bucket="photos", Key="cat.jpg")["TagSet"] == [{"Key": "pet", "Value": "cat"}]
    s3.put_object_tagging(Bucket="photos", Key="cat.jpg", Tagging=tags)
    assert s3.get_object_tagging(Bucket="photos", Key="cat.jpg")["TagSet"] == tags["TagSet"]
    s3.put_bucket_tagging(Bucket="photos", Tagging=tags)
    assert s3.get_bucket_tagging(Bucket="photos")["TagSet"] == tags["TagSet"]


def test_upload_lists_the_checksums_of_its_parts(s3):
    upload = {
        "Bucket": "photos",
        "Key": "film",
        "UploadId": s3.create_multipart_upload(
            Bucket="photos", Key="film", ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT"
        )["UploadId"],
    }
    part = s3.upload_part(**upload, PartNumber=1, Body=b"meow")
    listing = s3.list_parts(**upload)
    assert (listing["ChecksumAlgorithm"], listing["ChecksumType"]) == ("CRC32", "FULL_OBJECT")
    assert [each["ChecksumCRC32"] for each in listing["Parts"]] == [part["ChecksumCRC32"]] == ["ihBq/g=="]
    parts = [{"PartNumber": 1, "ETag": part["ETag"], "ChecksumCRC32": part["ChecksumCRC32"]}]
    completed = s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
    assert (completed["ChecksumCRC32"], completed["ChecksumType"]) == ("ihBq/g==", "FULL_OBJECT")


def test_pages_errors_and_abort_are_understood(store, s3):
    upload = s3.create_multipart_upload(Bucket="photos", Key="a b")["UploadId"]
    names = {"Bucket": "photos", "Key": "a b", "UploadId": upload}
    for number in (1, 2):
        s3.upload_part(**names, PartNumber=number, Body=b"meow")
    pages = s3.get_paginator("list_parts").paginate(**names, PaginationConfig={"PageSize": 1})
    parts = [part for page in pages for part in page["Parts"]]
    assert [part["PartNumber"] for part in parts] == [1, 2]
    assert [each["UploadId"] for each in s3.list_multipart_uploads(Bucket="photos")["Uploads"]] == [upload]
    completed = {"Parts": [{name: part[name] for name in ("PartNumber", "ETag")} for part in parts]}
    with pytest.raises(ClientError, match="EntityTooSmall"):
        s3.complete_multipart_upload(**names, MultipartUpload=completed)
    s3.abort_multipart_upload(**names)
    s3.abort_multipart_upload(**names)
    with pytest.raises(s3.exceptions.NoSuchUpload):
        s3.list_parts(**names)
    assert store["photos"].uploads == []


@pytest.fixture
def retried_at_once(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)  # botocore waits up to a second before it retries


@pytest.mark.usefixtures("retried_at_once")
@pytest.mark.decision("completing-twice")
def test_completion_is_retried_after_its_reply_was_lost(store, s3):
    names = {"Bucket": "photos", "Key": "film"}
    names["UploadId"] = s3.create_multipart_upload(**names)["UploadId"]
    etag = s3.upload_part(**names, PartNumber=1, Body=b"meow")["ETag"]
    store.fail("Complete Multipart Upload", faults.AfterCommit(faults.ConnectionReset()))
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    s3.complete_multipart_upload(**names, MultipartUpload=parts, IfNoneMatch="*")
    assert len(store.calls("Complete Multipart Upload")) == 2


@pytest.mark.usefixtures("retried_at_once")
@pytest.mark.decision("error-in-a-200-reply")
def test_errors_that_are_embedded_in_a_200_are_retried(store, s3):
    store["photos"].put("film", b"meow" * (2 * MIB))
    for operation in ("PUT Object Copy", "Upload Part Copy", "Complete Multipart Upload"):
        store.fail(operation, faults.EmbeddedError())
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB, max_concurrency=1)
    source = {"Bucket": "photos", "Key": "film"}
    s3.copy(source, "photos", "copy in parts", Config=config)
    s3.copy_object(CopySource=source, Bucket="photos", Key="copy")
    contents = {store["photos"][key].content for key in store["photos"]}
    assert (len(store["photos"]), contents) == (3, {b"meow" * (2 * MIB)})
    assert [len(store.calls(name)) for name in ("Upload Part Copy", "Complete Multipart Upload")] == [3, 2]


@pytest.mark.parametrize("client", ["auto", "classic", "crt"])
def test_boto3_uses_its_classic_transfers(s3, tmp_path, client):
    """The transfers of the Common Runtime have an HTTP client that cannot be intercepted."""
    config = TransferConfig(preferred_transfer_client=client)
    (tmp_path / "cat").write_bytes(b"meow")
    s3.upload_file(str(tmp_path / "cat"), "photos", "cat", Config=config)
    s3.download_file("photos", "cat", str(tmp_path / "copy"), Config=config)
    assert (tmp_path / "copy").read_bytes() == b"meow"
