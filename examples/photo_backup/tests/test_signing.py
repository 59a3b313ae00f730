"""The signature, compared with the published examples of its scheme."""

import pytest
import requests

from examples.photo_backup.signing import Signature

# The account, requests and signatures that the developer guide of the 2006 interface prints.
PUBLISHED = Signature(
    "johnsmith",
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    scheme="AWS",
    header_prefix="x-amz-",
)


@pytest.mark.parametrize(
    ("method", "path", "headers", "signature"),
    [
        (
            "GET",
            "/photos/puppy.jpg",
            {"Date": "Tue, 27 Mar 2007 19:36:42 +0000"},
            "bWq2s1WEIj+Ydj0vQ697zp+IXMU=",
        ),
        (
            "PUT",
            "/photos/puppy.jpg",
            {"Date": "Tue, 27 Mar 2007 21:15:45 +0000", "Content-Type": "image/jpeg"},
            "MyyxeRY7whkBe+bq8fHCL/2kKUg=",
        ),
        (
            "GET",
            "/?prefix=photos&max-keys=50&marker=puppy",
            {"Date": "Tue, 27 Mar 2007 19:42:41 +0000"},
            "htDYFYduRNen8P9ZfE/s9SuKy0U=",
        ),
        ("GET", "/?acl", {"Date": "Tue, 27 Mar 2007 19:44:46 +0000"}, "c2WLPFtWHVgbEmeEG93a4cG37dM="),
    ],
    ids=["object get", "object put", "list", "fetch acl"],
)
def test_published_request_gets_its_published_signature(
    method: str, path: str, headers: dict[str, str], signature: str
) -> None:
    url = f"https://johnsmith.s3.amazonaws.com{path}"
    signed = requests.Request(method, url, headers=headers, auth=PUBLISHED).prepare()
    assert signed.headers["Authorization"] == f"AWS AKIAIOSFODNN7EXAMPLE:{signature}"


def test_vendor_headers_and_subresources_are_signed_in_order() -> None:
    headers = {
        "x-amz-meta-b": "2",
        "X-Amz-Meta-A": "1",
        "Content-MD5": "4gJE4saaMU4BqNR0kLY+lw==",
        "Content-Type": "image/jpeg",
        "Date": "Tue, 27 Mar 2007 21:06:08 +0000",
    }
    url = "https://johnsmith.s3.amazonaws.com/a%20cat.jpg?versionId=3%2F4&max-keys=1&acl"
    request = requests.Request("PUT", url, headers=headers, auth=PUBLISHED).prepare()
    assert PUBLISHED.string_to_sign(request).split("\n") == [
        "PUT",
        "4gJE4saaMU4BqNR0kLY+lw==",
        "image/jpeg",
        "Tue, 27 Mar 2007 21:06:08 +0000",
        "x-amz-meta-a:1",
        "x-amz-meta-b:2",
        "/johnsmith/a%20cat.jpg?acl&versionId=3/4",
    ]
