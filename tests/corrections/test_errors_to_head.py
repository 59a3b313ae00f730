"""What an error that answers HEAD says of a body that is never sent."""

from __future__ import annotations

import pytest

from fakestore import faults
from tests.corrections.arrange import ask

PER_REPLY = {"date", "x-svc-request-id", "x-svc-id-2"}


@pytest.fixture
def fakestore_options():
    return {"buckets": {"photos": "enabled"}}


@pytest.mark.decision("errors-to-head")
@pytest.mark.parametrize(
    ("case", "headers", "status"),
    [
        ("missing key", [], 404),
        ("marker", [], 405),
        ("condition", [("If-Match", '"another"')], 412),
        ("range", [("Range", "bytes=100-")], 416),
        ("missing bucket", [], 404),
        ("fault", [], 503),
    ],
)
def test_an_error_to_head_announces_no_body(fakestore, case, headers, status):
    photos = fakestore["photos"]
    photos.put("cat.jpg", b"meow")
    photos.put("gone.jpg", b"gone")
    marker = photos.delete("gone.jpg")
    url = {
        "missing key": fakestore.url("photos", "never.jpg"),
        "marker": fakestore.url("photos", "gone.jpg", versionId=marker.version_id),
        "missing bucket": fakestore.url("films", "cat.jpg"),
    }.get(case, fakestore.url("photos", "cat.jpg"))
    if case == "fault":
        fakestore.fail(None, faults.ServiceError("SlowDown", retry_after=7), times=2)

    get, head = (ask(fakestore, method, url, headers) for method in ("GET", "HEAD"))

    assert (get.status, head.status, head.body, head.chunked) == (status, status, b"", False)
    assert {"content-length", "transfer-encoding"}.isdisjoint(head.headers)
    # What it says beside the body, such as the delete marker or Retry-After, is what an error to GET says.
    about_the_body = {"content-length", "content-type"}
    assert {name: value for name, value in head.headers.items() if name not in PER_REPLY | about_the_body} == {
        name: value for name, value in get.headers.items() if name not in PER_REPLY | about_the_body
    }


@pytest.mark.decision("errors-to-head")
def test_requests_finds_no_length_in_an_error_to_head(fakestore):
    session = fakestore.session()
    missing = session.head(fakestore.url("films"))
    assert (missing.status_code, missing.content, "Content-Length" in missing.headers) == (404, b"", False)

    fakestore["photos"].put("cat.jpg", b"meow")
    found = session.head(fakestore.url("photos", "cat.jpg"))
    assert (found.status_code, found.content, found.headers["Content-Length"]) == (200, b"", "4")
