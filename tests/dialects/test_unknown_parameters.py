"""Query parameters that the operation does not have, in S3."""

from __future__ import annotations

import pytest
from botocore.loaders import Loader

from fakestore import FakeStore, UnsupportedRequest
from tests.support.client import Client
from tests.support.cost import count_calls

pytestmark = pytest.mark.decision("unknown-query-parameters")


@pytest.fixture
def s3():
    client = Client(FakeStore(dialect="s3", buckets=["photos"]))
    client.store["photos"].put("cat.jpg", b"meow")
    yield client
    client.store.unhandled_requests.clear()


def names_of_the_interface():
    """Return every query parameter in botocore's model of the service."""
    model = Loader().load_service_model("s3", "service-2")
    names = set()
    for operation in model["operations"].values():
        query = operation["http"]["requestUri"].partition("?")[2]
        names |= {part.partition("=")[0] for part in query.split("&") if part}
    for shape in model["shapes"].values():
        members = shape.get("members", {}).values()
        names |= {member["locationName"] for member in members if member.get("location") == "querystring"}
    return sorted(names)


def test_no_parameter_of_the_service_is_ignored(s3):
    for name in names_of_the_interface():
        try:
            s3.send("GET", f"/cat.jpg?{name}=x")
        except UnsupportedRequest:
            continue
        assert s3.store.exchanges[-1].ignored == (), name


@pytest.mark.parametrize("name", ["versionid", "versionID", "partnumber", "uploadid", "response_content_type"])
def test_misspelled_parameter_is_unsupported(s3, name):
    with pytest.raises(UnsupportedRequest, match=name):
        s3.send("GET", f"/cat.jpg?{name}=1")


@pytest.mark.parametrize(
    "name", ["Signatur", "Expire", "AWSAccessKey", "X-Amz-Expire", "X-Amz-Signatur", "x-amz-acl", "x-amz-colour"]
)
def test_parameter_that_looks_like_a_credential_or_a_header_is_unsupported(s3, name):
    with pytest.raises(UnsupportedRequest, match=name):
        s3.send("GET", f"/cat.jpg?{name}=1")


def test_parameters_of_the_redirect_of_a_form_are_ignored(s3):
    assert s3.send("GET", "/?bucket=photos&key=cat.jpg&etag=%22x%22").status == 200
    assert s3.store.exchanges[-1].ignored == ("bucket", "key", "etag")


def test_a_thousand_parameters_are_ignored_and_more_are_unsupported_at_once(s3):
    names = [f"colour{number}" for number in range(100_000)]
    s3.send("GET", f"/cat.jpg?{'&'.join(names[:1000])}")
    exchange = s3.store.exchanges[-1]
    assert exchange.ignored == tuple(names[:1000])
    assert "ignored colour0, colour1," in str(exchange)
    assert len(str(exchange).partition("ignored")[2]) < 200

    with pytest.raises(UnsupportedRequest, match="1,001 unknown query parameters"):
        s3.send("GET", f"/cat.jpg?{'&'.join(names[:1001])}")

    def send_all():
        with pytest.raises(UnsupportedRequest, match="100,000 unknown query parameters"):
            s3.send("GET", f"/cat.jpg?{'&'.join(names)}")

    assert count_calls(send_all) < 30 * len(names)
