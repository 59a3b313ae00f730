"""The operation and the version of the interface that some SDKs name in each request."""

from __future__ import annotations

import pytest

from fakestore import UnsupportedRequest
from tests.support.wire import md5_base64

pytestmark = pytest.mark.decision("x-id-and-api-version")

COPY_SOURCE = {"x-amz-copy-source": "/photos/cat.jpg"}
PARTS = (
    "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{}</ETag></Part></CompleteMultipartUpload>".format
)
KEYS = b"<Delete><Object><Key>dog.jpg</Key></Object></Delete>"
RESTORE = b"<RestoreRequest><Days>1</Days></RestoreRequest>"


@pytest.fixture
def send(s3):
    """Send a request that names its operation, which succeeds."""

    def send(method, key, x_id, query=(), **options):
        response = s3.send(method, key, query={**dict(query), "x-id": x_id}, **options)
        assert response.status_code < 300, x_id
        return response

    return send


def test_operation_that_an_sdk_names_in_the_query_is_accepted(s3, send):
    send("PUT", "cat.jpg", "PutObject", data=b"meow", headers={"x-amz-storage-class": "GLACIER"})
    send("POST", "cat.jpg", "RestoreObject", {"restore": None}, data=RESTORE)
    send("PUT", "cat.jpg", "PutObject", data=b"meow")
    assert send("GET", "cat.jpg", "GetObject").content == b"meow"
    send("PUT", "dog.jpg", "CopyObject", headers=COPY_SOURCE)
    send("POST", "", "DeleteObjects", {"delete": None}, data=KEYS, headers={"Content-MD5": md5_base64(KEYS)})
    assert list(s3.store["photos"]) == ["cat.jpg"]
    send("DELETE", "cat.jpg", "DeleteObject")
    assert list(s3.store["photos"]) == []
    assert "photos" in s3.send("GET", bucket=None, query={"x-id": "ListBuckets"}).text


def test_operation_on_an_upload_that_an_sdk_names_is_accepted(s3, send):
    s3.store["photos"].put("cat.jpg", b"meow")
    for finish in ("AbortMultipartUpload", "CompleteMultipartUpload"):
        send("POST", "film", "CreateMultipartUpload", {"uploads": None})
        upload = {"uploadId": s3.store["photos"].uploads[0].upload_id}
        send("PUT", "film", "UploadPartCopy", {**upload, "partNumber": "2"}, headers=COPY_SOURCE)
        part = send("PUT", "film", "UploadPart", {**upload, "partNumber": "1"}, data=b"reel")
        assert "<PartNumber>2<" in send("GET", "film", "ListParts", upload).text
        if finish == "AbortMultipartUpload":
            send("DELETE", "film", finish, upload)
        else:
            send("POST", "film", finish, upload, data=PARTS(part.headers["ETag"]))
    assert s3.store["photos"]["film"].content == b"reel"


def test_x_id_that_names_another_operation_is_unsupported(s3):
    for method, x_id in (("GET", "PutObject"), ("PUT", "CopyObject"), ("GET", "getobject"), ("HEAD", "HeadObject")):
        with pytest.raises(UnsupportedRequest, match=f"{method} Object: .*'x-id'.*{x_id!r}"):
            s3.send(method, "cat.jpg", query={"x-id": x_id})
    with pytest.raises(UnsupportedRequest, match="'x-id'"):
        s3.send("GET", query={"x-id": "ListObjects"})


def test_version_that_a_client_names_is_the_one_of_the_interface(s3):
    s3.store["photos"].put("cat.jpg", b"meow")
    for key in ("", "cat.jpg"):
        assert s3.send("GET", key, headers={"x-amz-api-version": "2006-03-01"}).status_code == 200
        assert s3.send("GET", key, query={"Version": "2006-03-01"}).status_code == 200
        for wrong in ({"headers": {"x-amz-api-version": "2018-08-20"}}, {"query": {"Version": "2018-08-20"}}):
            with pytest.raises(UnsupportedRequest, match=r"(x-amz-api-v|V)ersion' .*'2018-08-20'.*'2006-03-01'"):
                s3.send("GET", key, **wrong)


def test_dialect_of_the_specification_has_none_of_these_names(client_with):
    client = client_with()
    for name, options in (
        ("x-id", {"query": {"x-id": "GetObject"}}),
        ("Version", {"query": {"Version": "2006-03-01"}}),
        ("x-svc-api-version", {"headers": {"x-svc-api-version": "2006-03-01"}}),
    ):
        with pytest.raises(UnsupportedRequest, match=f"'{name}' is not supported"):
            client.send("GET", "cat.jpg", **options)
