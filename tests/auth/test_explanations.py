"""The explanations of refused signatures: what was received, what was expected, and what is signed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from botocore.auth import HmacV1PostAuth, S3SigV4PostAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from freezegun import freeze_time

from fakestore.http import Request
from tests.support.forms import FORM_TYPE, form_body

from .arrange import (
    CREDENTIALS,
    FORMS,
    KEY,
    NOW,
    SECRET,
    URL,
    V2_HEADER,
    V2_QUERY,
    V4_HEADER,
    V4_QUERY,
    answer_to,
    new_store,
    signed,
    with_headers,
    with_target,
)

AGENT = {"x-amz-user-agent": "signed"}
OTHER = Credentials(KEY, "another secret key")
MALFORMED_QUERY = "AuthorizationQueryParametersError"
SCOPE = "20261121/us-east-1/s3/aws4_request"
#: What is shown of a scope with another region: it, the expected one, and that it is signed.
SCOPES = ["'20261121/eu-west-1/s3/aws4_request'", f"'{SCOPE}'", "\\n20261121/eu-west-1/s3/aws4_request\\n"]


def signed_at(minutes: float, form: str, **options) -> Request:
    """Return a request that was signed some minutes before or after the time of the store."""
    with freeze_time(NOW + timedelta(minutes=minutes)):
        return signed(form, **options)


def signed_form(signer) -> Request:
    """Return a browser form as botocore signs it."""
    request = AWSRequest("POST", "https://s3.amazonaws.com/photos")
    request.context["s3-presign-post-fields"] = fields = {"key": "cat.jpg"}
    request.context["s3-presign-post-policy"] = {"expiration": "2026-11-21T13:00:00Z", "conditions": []}
    signer.add_auth(request)
    return Request.to_url("POST", request.url, {"Content-Type": FORM_TYPE}, form_body(fields))


def altered(form: str, part: str) -> Request:
    """Return a request whose header or query was altered, or whose signed header was removed, after it was signed."""
    request = signed(form, "GET", f"{URL}?response-expires=signed", AGENT)
    if part == "query":
        return with_target(request, "response-expires=signed", "response-expires=altered")
    return with_headers(request, {"x-amz-user-agent": "altered" if part == "header" else None})


def with_other_scope(form: str, old: str, new: str) -> Request:
    """Return a request with another scope than the one that it was signed for."""
    request = signed(form)
    if form == V4_QUERY:
        return with_target(request, old.replace("/", "%2F"), new.replace("/", "%2F"))
    return with_headers(request, {"Authorization": request.headers["authorization"].replace(old, new)})


class Refusal(NamedTuple):
    """A request that is refused.

    Args:
        request: The request.
        code: The code of the error.
        texts: What the explanation contains.
        is_right: Whether the signature is right; None if the explanation cannot say it.
    """

    request: Request
    code: str
    texts: list[str]
    is_right: bool | None = True


def refusals_of_dates():
    """Yield requests whose date or time of validity is refused."""
    for form, signed_date in [(V4_HEADER, "20261121T114400Z"), (V2_HEADER, "Sat, 21 Nov 2026 11:44:00 GMT")]:
        dates = ["Sat, 21 Nov 2026 11:44:00 GMT", "Sat, 21 Nov 2026 12:00:00 GMT", "0:15:00", f"\\n{signed_date}\\n"]
        yield Refusal(signed_at(-16, form), "RequestTimeTooSkewed", dates)
        yield Refusal(signed_at(16, form), "RequestTimeTooSkewed", ["12:16:00", "12:00:00", "0:15:00"])
    dates = ["X-Amz-Date is 20261121T115800Z", "X-Amz-Expires is 60", "2026-11-21T11:59:00Z", "2026-11-21T12:00:00Z"]
    yield Refusal(signed_at(-2, V4_QUERY), "AccessDenied", dates)
    dates = ["Expires is 1795262340", "2026-11-21T11:59:00Z", "2026-11-21T12:00:00Z", "\\n1795262340\\n"]
    yield Refusal(signed_at(-2, V2_QUERY), "AccessDenied", dates)
    yield Refusal(signed_at(16, V4_QUERY), "AccessDenied", ["12:16:00Z", "12:00:00Z", "0:15:00", "20261121T121600Z"])
    yield Refusal(signed(V4_QUERY, expires=604801), MALFORMED_QUERY, ["'604801'", "604800", "X-Amz-Expires=604801"])


def refusals_of_scopes():
    """Yield requests whose scope is refused: one that was signed, and one that was altered."""
    for form, code in [(V4_HEADER, "AuthorizationHeaderMalformed"), (V4_QUERY, MALFORMED_QUERY)]:
        yield Refusal(signed(form, region_name="eu-west-1"), code, SCOPES)
        yield Refusal(signed(form, service_name="sqs"), code, [f"'{SCOPE.replace('s3', 'sqs')}'", f"'{SCOPE}'"])
        for old, new in [("20261121/", "20261120/"), ("20261121/", "today/"), ("aws4_request", "aws5_request")]:
            texts = [f"'{SCOPE.replace(old, new)}'", f"'{SCOPE}'"]
            yield Refusal(with_other_scope(form, old, new), code, texts, is_right=False)
    form = signed_form(S3SigV4PostAuth(CREDENTIALS, "s3", "eu-west-1"))
    yield Refusal(form, MALFORMED_QUERY, [*SCOPES[:2], "The string to sign is 'eyJ"])


def refusals_of_altered_requests():
    """Yield requests that were altered after they were signed."""
    for form in (V4_HEADER, V4_QUERY):
        more = with_headers(signed(form, headers=AGENT), {"x-amz-meta-b": "1"})
        yield Refusal(
            more, "AccessDenied", ["does not cover: x-amz-meta-b.", "x-amz-user-agent.", "\\nx-amz-user-agent:signed"]
        )
        less = altered(form, "sent headers")
        yield Refusal(
            less,
            "SignatureDoesNotMatch",
            ["not sent: x-amz-user-agent; without them the signed method is unknown.", "\\nx-amz-user-agent:\\n"],
            is_right=False,
        )
    for form in FORMS:
        yield Refusal(altered(form, "query"), "SignatureDoesNotMatch", ["response-expires=altered"], is_right=False)
        yield Refusal(
            altered(form, "header"), "SignatureDoesNotMatch", ["\\nx-amz-user-agent:altered\\n"], is_right=False
        )
    for body in (b"", b"woof"):
        hashes = [hashlib.sha256(each).hexdigest() for each in (body, b"meow")]
        request = replace(signed(V4_HEADER, body=b"meow"), body=body)
        yield Refusal(request, "XAmzContentSHA256Mismatch", [*hashes, f"\\n{hashes[1]}'"])
    for signer in (S3SigV4PostAuth(OTHER, "s3", "us-east-1"), HmacV1PostAuth(OTHER)):
        yield Refusal(signed_form(signer), "SignatureDoesNotMatch", ["The string to sign is 'eyJ"], is_right=False)


def refusals_without_a_signature():
    """Yield requests for which the store cannot make a signature."""
    for form in FORMS:
        stranger = signed(form, credentials=Credentials("AKNOBODY", SECRET))
        yield Refusal(stranger, "InvalidAccessKeyId", ["'AKNOBODY'", KEY], is_right=None)
    without_hash = with_headers(signed(V4_HEADER), {"x-amz-content-sha256": None})
    yield Refusal(without_hash, "InvalidRequest", ["x-amz-content-sha256"], is_right=None)


def signature_of(request: Request) -> str:
    text = unquote(request.target) + request.headers.get("authorization", "") + request.body.decode()
    match = re.search(r'(?i)signature(?:=|"\r\n\r\n)([^&\r]+)|AWS [^:]+:(.+)', text)
    return match[1] or match[2]


@pytest.mark.decision("signature")
@pytest.mark.parametrize(
    "refusals", [refusals_of_dates, refusals_of_scopes, refusals_of_altered_requests, refusals_without_a_signature]
)
def test_explanation_shows_what_was_received_expected_and_signed(refusals):
    store = new_store(region="us-east-1")
    for request, code, texts, is_right in refusals():
        answer = answer_to(store, request)
        assert answer.code == code
        assert [text for text in texts if text not in answer.explanation] == [], answer.explanation
        assert ("itself is right. The string to sign is '" in answer.explanation) is (is_right is True)
        assert ("is wrong: " in answer.explanation) is (is_right is False)
        assert ("The string to sign is '" in answer.explanation) is (is_right is not None)
        assert signature_of(request) not in answer.explanation
        assert SECRET not in answer.explanation
        assert answer.explanation in str(store.exchanges[-1]), "the report of a failed test has it, too"


def test_explanation_says_for_which_method_a_signature_was_made():
    store = new_store()
    for form in FORMS:
        answer = answer_to(store, replace(signed(form, method="GET"), method="PUT"))
        assert "it was signed for GET, but the request is a PUT" in answer.explanation, form
        for method in ("POST", "PATCH"):  # no operation has them
            answer = answer_to(store, replace(signed(form, method="GET"), method=method))
            assert answer.code == "MethodNotAllowed"
            assert f"it was signed for GET, but the request is a {method}" in answer.explanation, form
            assert "signature" not in answer_to(store, signed(form, method=method)).explanation


def test_explanation_says_with_which_headers_a_signature_of_version_2_was_made():
    store = new_store()
    for signed_headers, changes, text in [
        ({}, {"Content-Type": "text/plain"}, "without the header content-type, but the request was sent with"),
        ({}, {"x-amz-acl": "private"}, "without the header x-amz-acl, but the request was sent with"),
        ({"Content-Type": "image/png"}, {"Content-Type": None}, "with the header content-type: image/png, but"),
        ({"Content-Type": "image/png"}, {"Content-Type": "text/plain"}, "with the header content-type: image/png, but"),
        ({"x-amz-meta-a": "1"}, {"x-amz-meta-a": "2"}, "with the header x-amz-meta-a: 1, but"),
    ]:
        answer = answer_to(store, with_headers(signed(V2_QUERY, headers=signed_headers), changes))
        assert f"it was signed {text}" in answer.explanation
    token = with_headers(signed(V2_HEADER), {"x-amz-security-token": "a secret token"})
    assert "a secret token" not in answer_to(store, token).explanation


def test_explanation_names_the_headers_that_a_presigned_url_of_version_4_covers():
    altered = with_headers(signed(V4_QUERY, headers=AGENT), {"x-amz-user-agent": "altered"})
    explanation = answer_to(new_store(), altered).explanation
    assert "with another value of the header x-amz-user-agent" in explanation


@pytest.mark.parametrize(("form", "places"), [(V2_QUERY, ""), (V4_QUERY, "host, ")])
def test_explanation_says_that_a_url_was_presigned_for_another_host_key_or_query(form, places):
    store = new_store()
    url = signed(form, method="PUT")
    other = f"for another {places}bucket, key or query than this, or with another secret key"
    for target, text in [
        (url.target.replace("/cat.jpg", "/dog.jpg"), other),
        (url.target.replace("/photos/", "/films/"), other),
        (url.target.replace("?", "?acl&", 1), other),
        (f"{url.target}&acl", "without acl in the query"),
        (f"{url.target}&uploadId=u&partNumber=1", "without uploadId, partNumber in the query"),
    ]:
        answer = answer_to(store, replace(url, target=target))
        assert (answer.code, f"it was presigned {text}" in answer.explanation) == ("SignatureDoesNotMatch", True)


def test_explanation_shows_no_signature_if_none_is_checked():
    request = signed_at(-16, V2_HEADER)
    assert "signature" not in answer_to(new_store(signatures="accept"), request).explanation


def test_verifier_does_not_sign_a_request_that_was_refused():
    class Failing:
        def signature(self, request, address, secret_key):
            raise AssertionError

    answer = answer_to(new_store(signatures=Failing()), signed_at(-16, V2_HEADER))
    assert answer.code == "RequestTimeTooSkewed"
    assert "signature" not in answer.explanation
