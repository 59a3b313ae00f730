"""The operation and the version of the interface that some SDKs name in each request."""

from __future__ import annotations

import pytest

from fakestore import UnsupportedRequest

pytestmark = pytest.mark.decision("x-id-and-api-version")


def test_operation_that_an_sdk_names_in_the_query_is_accepted(s3):
    def send(method, key, x_id, query=(), **options):
        response = s3.send(method, key, query={**dict(query), "x-id": x_id}, **options)
        assert response.status_code < 300, x_id
        return response

    source = {"x-amz-copy-source": "/photos/cat.jpg"}
    send("PUT", "cat.jpg", "PutObject", data=b"meow")
    assert send("GET", "cat.jpg", "GetObject").content == b"meow"
    send("PUT", "dog.jpg", "CopyObject", headers=source)
    for parts in ({"data": b"wuff"}, {"headers": source}):
        s3.send("POST", "film", query={"uploads": None})
        upload = {"uploadId": s3.store["photos"].uploads[0].upload_id}
        x_id = "UploadPart" if "data" in parts else "UploadPartCopy"
        send("PUT", "film", x_id, {**upload, "partNumber": "1"}, **parts)
        assert "<PartNumber>1<" in send("GET", "film", "ListParts", upload).text
        send("DELETE", "film", "AbortMultipartUpload", upload)
    send("DELETE", "dog.jpg", "DeleteObject")
    assert "photos" in s3.send("GET", bucket=None, query={"x-id": "ListBuckets"}).text
    assert list(s3.store["photos"]) == ["cat.jpg"]


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
