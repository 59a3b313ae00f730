"""The operation and the version of the interface that some SDKs name in each request."""

from __future__ import annotations

import pytest

from fakestore import UnsupportedRequest
from tests.support.cases import each
from tests.support.documents import complete_document
from tests.support.wire import md5_base64

pytestmark = pytest.mark.decision("x-id-and-api-version")

COPY_SOURCE = {"copy-source": "/photos/cat.jpg"}
KEYS = b"<Delete><Object><Key>dog.jpg</Key></Object></Delete>"
RESTORE = b"<RestoreRequest><Days>1</Days></RestoreRequest>"


@pytest.fixture
def send(s3):
    """Send a request that names its operation, which succeeds."""

    def send(method, target, x_id, **options):
        reply = s3.send(method, target, x_id=x_id, **options)
        assert reply.status < 300, x_id
        return reply

    return send


def test_operation_that_an_sdk_names_in_the_query_is_accepted(s3, send):
    send("PUT", "/cat.jpg", "PutObject", body=b"meow", headers={"storage-class": "GLACIER"})
    send("POST", "/cat.jpg", "RestoreObject", restore=None, body=RESTORE)
    send("PUT", "/cat.jpg", "PutObject", body=b"meow")
    assert send("GET", "/cat.jpg", "GetObject").body == b"meow"
    send("PUT", "/dog.jpg", "CopyObject", headers=COPY_SOURCE)
    send("POST", "/", "DeleteObjects", delete=None, body=KEYS, headers={"Content-MD5": md5_base64(KEYS)})
    assert list(s3.store["photos"]) == ["cat.jpg"]
    send("DELETE", "/cat.jpg", "DeleteObject")
    assert list(s3.store["photos"]) == []
    assert b"photos" in s3.send("GET", bucket=None, x_id="ListBuckets").body


def test_operation_on_an_upload_that_an_sdk_names_is_accepted(s3, send):
    s3.store["photos"].put("cat.jpg", b"meow")
    for finish in ("AbortMultipartUpload", "CompleteMultipartUpload"):
        send("POST", "/film", "CreateMultipartUpload", uploads=None)
        upload = {"uploadId": s3.store["photos"].uploads[0].upload_id}
        send("PUT", "/film", "UploadPartCopy", **upload, partNumber=2, headers=COPY_SOURCE)
        part = send("PUT", "/film", "UploadPart", **upload, partNumber=1, body=b"reel")
        assert b"<PartNumber>2<" in send("GET", "/film", "ListParts", **upload).body
        if finish == "AbortMultipartUpload":
            send("DELETE", "/film", finish, **upload)
        else:
            send("POST", "/film", finish, **upload, body=complete_document([(1, part.headers["ETag"])]))
    assert s3.store["photos"]["film"].content == b"reel"


def test_x_id_that_names_another_operation_is_unsupported(s3):
    for case in each(("GET", "PutObject"), ("PUT", "CopyObject"), ("GET", "getobject"), ("HEAD", "GetObject")):
        with case as (method, x_id):
            with pytest.raises(UnsupportedRequest, match=f"{method} Object: .*'x-id'.*{x_id!r}"):
                s3.send(method, "/cat.jpg", x_id=x_id)
    with pytest.raises(UnsupportedRequest, match="'x-id'"):
        s3.send("GET", x_id="ListObjectsV2")


def test_version_that_a_client_names_is_the_one_of_the_interface(s3):
    s3.store["photos"].put("cat.jpg", b"meow")
    for target in ("/", "/cat.jpg"):
        assert s3.send("GET", target, headers={"api-version": "2006-03-01"}).status == 200
        assert s3.send("GET", target, Version="2006-03-01").status == 200
        for wrong in ({"headers": {"api-version": "2018-08-20"}}, {"Version": "2018-08-20"}):
            with pytest.raises(UnsupportedRequest, match=r"(x-amz-api-v|V)ersion' .*'2018-08-20'.*'2006-03-01'"):
                s3.send("GET", target, **wrong)


def test_dialect_of_the_specification_has_none_of_these_names(client_with):
    client = client_with()
    for case in each(
        ("x-id", {"x_id": "GetObject"}),
        ("Version", {"Version": "2006-03-01"}),
        ("x-svc-api-version", {"headers": {"api-version": "2006-03-01"}}),
    ):
        with case as (name, options):
            with pytest.raises(UnsupportedRequest, match=f"'{name}' is not supported"):
                client.send("GET", "/cat.jpg", **options)
