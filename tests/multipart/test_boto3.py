"""boto3 as it is, with verified signatures: its requests are answered by `store.handle`."""

from __future__ import annotations

import io

import boto3
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError
from urllib3 import HTTPHeaderDict, HTTPResponse

from fakestore import S3, FakeStore
from fakestore.http import Request

MIB = 1024**2

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def store():
    store = FakeStore(dialect=S3, buckets=["photos"], signatures="verify")
    yield store
    store.close()


@pytest.fixture
def s3(store):
    """A client whose requests go to the store instead of a connection."""
    account = store.default_account
    client = boto3.client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id=account.access_key_id,
        aws_secret_access_key=account.secret_key,
        config=Config(request_checksum_calculation="when_required", response_checksum_validation="when_required"),
    )

    def send(request, **_):
        headers = [
            (name, value.decode() if isinstance(value, bytes) else value) for name, value in request.headers.items()
        ]
        body = request.body or b""
        body = body.read() if hasattr(body, "read") else body
        reply = store.handle(Request.to_url(request.method, request.url, headers, body))
        fields = HTTPHeaderDict(reply.headers.fields)
        raw = HTTPResponse(
            io.BytesIO(bytes(reply.body)), fields, reply.status, preload_content=False, request_method=request.method
        )
        return AWSResponse(request.url, reply.status, fields, raw)

    client.meta.events.register("before-send.s3", send)
    return client


def test_file_is_uploaded_in_parts_by_threads(store, s3):
    content = bytes(range(256)) * (20 * MIB // 256)
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB, max_concurrency=4)
    s3.upload_fileobj(
        io.BytesIO(content),
        "photos",
        "film",
        Config=config,
        ExtraArgs={"Metadata": {"cat": "tom"}, "ACL": "bucket-owner-full-control"},
    )
    version = store["photos"]["film"]
    assert (version.content, version.metadata) == (content, {"cat": "tom"})
    assert len(store.calls("Upload Part")) == 4
    assert s3.get_object(Bucket="photos", Key="film", PartNumber=4)["PartsCount"] == 4
    target = io.BytesIO()
    s3.download_fileobj("photos", "film", target, Config=config)
    assert target.getvalue() == content


def test_object_is_copied_in_parts(store, s3):
    store["photos"].put("film", b"meow" * (3 * MIB))
    config = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
    s3.copy({"Bucket": "photos", "Key": "film"}, "photos", "a copy", Config=config)
    assert store["photos"]["a copy"].content == b"meow" * (3 * MIB)
    assert store["photos"]["a copy"].etag.endswith('-3"')


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
    with pytest.raises(s3.exceptions.NoSuchUpload):
        s3.abort_multipart_upload(**names)
    assert store["photos"].uploads == []
