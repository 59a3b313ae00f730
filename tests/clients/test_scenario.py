"""One scenario from creating a bucket to expiring an object: unchanged boto3, and signatures that are verified."""

from __future__ import annotations

import json

import boto3
import pytest
import requests
from boto3.exceptions import S3UploadFailedError
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from fakestore import fake_store, faults

MIB = 1024**2
FILM = bytes(range(256)) * (20 * MIB // 256)
IN_PARTS = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB, max_concurrency=4)
PUBLIC_FILMS = {
    "Version": "2012-10-17",
    "Statement": {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::photos/films/*",
    },
}
EXPIRE_DRAFTS = {
    "Rules": [
        {
            "ID": "drafts",
            "Status": "Enabled",
            "Filter": {"Tag": {"Key": "state", "Value": "draft"}},
            "Expiration": {"Days": 30},
        }
    ]
}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_boto3_works_with_a_versioned_bucket(tmp_path):
    with fake_store(dialect="s3", signatures="verify", access_key_id="AKIDEXAMPLE", secret_key="secret") as store:
        s3 = boto3.client(
            "s3", region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret"
        )
        s3.create_bucket(Bucket="photos")
        s3.put_bucket_versioning(Bucket="photos", VersioningConfiguration={"Status": "Enabled"})
        source = tmp_path / "film"
        source.write_bytes(FILM)

        # A file is uploaded in parts by four threads, with tags.
        draft = {"Tagging": "state=draft&pet=cat", "Metadata": {"camera": "M3"}}
        s3.upload_file(str(source), "photos", "films/cat", Config=IN_PARTS, ExtraArgs=draft)
        uploaded = s3.head_object(Bucket="photos", Key="films/cat")
        assert (uploaded["ContentLength"], uploaded["Metadata"]) == (20 * MIB, {"camera": "M3"})
        assert len(store.calls("Upload Part")) == 4
        tags = s3.get_object_tagging(Bucket="photos", Key="films/cat")["TagSet"]
        assert {each["Key"]: each["Value"] for each in tags} == {"state": "draft", "pet": "cat"}

        # A conditional overwrite is refused.
        for condition in ({"IfNoneMatch": "*"}, {"IfMatch": '"0123456789abcdef0123456789abcdef"'}):
            with pytest.raises(ClientError, match="PreconditionFailed"):
                s3.put_object(Bucket="photos", Key="films/cat", Body=b"dog", **condition)
        assert s3.head_object(Bucket="photos", Key="films/cat")["VersionId"] == uploaded["VersionId"]

        # A copy has new metadata, and no tags.
        copied = s3.copy_object(
            Bucket="photos",
            Key="films/copy",
            CopySource={"Bucket": "photos", "Key": "films/cat", "VersionId": uploaded["VersionId"]},
            MetadataDirective="REPLACE",
            Metadata={"camera": "M6"},
            ContentType="video/mp4",
            TaggingDirective="REPLACE",
        )
        assert copied["CopySourceVersionId"] == uploaded["VersionId"]
        copy = s3.head_object(Bucket="photos", Key="films/copy")
        assert (copy["ContentLength"], copy["Metadata"], copy["ContentType"]) == (
            20 * MIB,
            {"camera": "M6"},
            "video/mp4",
        )
        assert s3.get_object_tagging(Bucket="photos", Key="films/copy")["TagSet"] == []

        # A presigned URL is downloaded by requests alone, and nothing else can be read without a signature.
        presigned = s3.generate_presigned_url("get_object", {"Bucket": "photos", "Key": "films/cat"}, ExpiresIn=60)
        assert requests.get(presigned).content == FILM
        plain = "https://photos.s3.amazonaws.com/films/copy"
        assert requests.get(plain).status_code == 403
        s3.delete_public_access_block(Bucket="photos")
        s3.put_bucket_policy(Bucket="photos", Policy=json.dumps(PUBLIC_FILMS))
        assert requests.get(plain).content == FILM
        assert requests.put(plain, data=b"dog").status_code == 403

        # An upload that fails is aborted by boto3, and leaves nothing.
        store.fail("Upload Part", faults.ServiceError("AccessDenied"), after=1)
        with pytest.raises(S3UploadFailedError, match="AccessDenied"):
            s3.upload_file(str(source), "photos", "films/dog", Config=IN_PARTS)
        assert len(store.calls("Abort Multipart Upload")) == 1
        assert "Uploads" not in s3.list_multipart_uploads(Bucket="photos")
        assert store["photos"].uploads == []

        # A wrong checksum is refused.
        with pytest.raises(ClientError, match="BadDigest"):
            s3.put_object(Bucket="photos", Key="films/dog", Body=b"wuff", ChecksumCRC32="AAAAAA==")
        listing = s3.list_objects_v2(Bucket="photos")
        assert [each["Key"] for each in listing["Contents"]] == ["films/cat", "films/copy"]

        # A lifecycle rule expires the tagged object when the clock moves.
        s3.put_bucket_lifecycle_configuration(Bucket="photos", LifecycleConfiguration=EXPIRE_DRAFTS)
        assert 'rule-id="drafts"' in s3.head_object(Bucket="photos", Key="films/cat")["Expiration"]
        store.travel(days=32)
        with pytest.raises(s3.exceptions.NoSuchKey):
            s3.get_object(Bucket="photos", Key="films/cat")
        versions = s3.list_object_versions(Bucket="photos")
        assert [(each["Key"], each["VersionId"]) for each in versions["Versions"]] == [
            ("films/cat", uploaded["VersionId"]),
            ("films/copy", copied["VersionId"]),
        ]
        assert [each["Key"] for each in versions["DeleteMarkers"]] == ["films/cat"]
