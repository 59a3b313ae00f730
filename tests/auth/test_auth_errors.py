"""The errors of authentication: what is refused, with which error and with which explanation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakestore import SparseContent
from fakestore.http import Headers, Request
from fakestore.model.errors import ErrorResponse
from fakestore.protocol.auth.encoding import with_headers
from fakestore.protocol.auth.hmac_sha1 import HmacSha1Header, HmacSha1Query
from fakestore.protocol.auth.v4 import Version4Header, Version4Query

from .arrange import ACCEPT, KEY, NOW, SECRET, VERIFY, accounts, authenticate, read_address, status_of

URL = "https://s3.amazonaws.com/photos/cat.jpg?versionId=1"
ACCOUNT = accounts().by_access_key(KEY)
HEADER_SCHEMES = (Version4Header(), HmacSha1Header())
QUERY_SCHEMES = (Version4Query(), HmacSha1Query())
of_query_schemes = pytest.mark.parametrize("scheme", QUERY_SCHEMES, ids=["v4", "v2"])
of_header_schemes = pytest.mark.parametrize("scheme", HEADER_SCHEMES, ids=["v4", "v2"])


def signed(scheme, method="PUT", url=URL, headers=(), body=b"meow", now=NOW, rules=VERIFY) -> Request:
    request = Request.to_url(method, url, headers, body)
    return with_headers(request, scheme.sign(request, read_address(request), ACCOUNT, now, rules))


def presigned(scheme, method="PUT", url=URL, headers=(), body=b"meow", now=NOW, expires_in=60) -> Request:
    request = Request.to_url(method, url, headers, body)
    address = read_address(request)
    made = scheme.presign(request, address, ACCOUNT, now, timedelta(seconds=expires_in), VERIFY)
    return Request.to_url(method, made, headers, body)


def refused(request: Request, rules=VERIFY, now=NOW) -> ErrorResponse:
    """Return the error for a request, which may come when its body is read."""
    with pytest.raises(ErrorResponse) as caught:
        body = authenticate(request, rules, now).payload.decode(request.body)
        if not isinstance(body, bytes):
            list(body)
    return caught.value


def with_query(request: Request, old: str, new: str) -> Request:
    assert old in request.target
    return replace(request, target=request.target.replace(old, new))


def without_parameter(request: Request, name: str) -> Request:
    path, _, query = request.target.partition("?")
    kept = [pair for pair in query.split("&") if pair.partition("=")[0] != name]
    return replace(request, target=f"{path}?{'&'.join(kept)}")


# Presigned URLs


@of_query_schemes
def test_expired_url_is_refused_also_without_verification(scheme):
    for rules in (VERIFY, ACCEPT):
        request = presigned(scheme)
        assert authenticate(request, rules, NOW + timedelta(seconds=60))
        error = refused(request, rules, NOW + timedelta(seconds=61))
        assert (error.error.code, error.message) == ("AccessDenied", "Request has expired")
        assert error.elements["Expires"] == "2026-11-21T12:01:00Z"
        assert error.elements["ServerTime"] == "2026-11-21T12:01:01Z"
    assert error.elements.get("X-Amz-Expires") == ("60" if scheme == QUERY_SCHEMES[0] else None)


def test_url_from_the_future_is_refused():
    request = presigned(Version4Query(), now=NOW + timedelta(minutes=16))
    assert refused(request).message == "Request is not valid yet"
    assert authenticate(request, replace(VERIFY, max_clock_skew=None))


@pytest.mark.parametrize(
    ("expires", "words"),
    [("604801", "less than a week"), ("-1", "non-negative"), ("soon", "should be a number"), ("", "a number")],
)
def test_url_with_an_invalid_time_is_refused(expires, words):
    error = refused(with_query(presigned(Version4Query()), "X-Amz-Expires=60", f"X-Amz-Expires={expires}"))
    assert error.error.code == "AuthorizationQueryParametersError"
    assert words in error.message


def test_presigned_time_has_bounds():
    for seconds in (0, 604801):
        with pytest.raises(ValueError, match="between 1 second and 7 days"):
            presigned(Version4Query(), expires_in=seconds)
    with pytest.raises(ValueError, match="must not be negative"):
        presigned(HmacSha1Query(), expires_in=-1)
    assert authenticate(presigned(Version4Query(), expires_in=604800))


def test_missing_query_parameter_is_the_recorded_error():
    version_4 = [f"X-Amz-{name}" for name in ("Algorithm", "Credential", "Signature", "Date", "SignedHeaders")]
    for name in version_4:
        error = refused(without_parameter(presigned(Version4Query()), name))
        assert (error.error.code, error.error.status) == ("AuthorizationQueryParametersError", 400)
        assert error.message == (
            "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature,"
            " X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."
        )
        assert name in error.explanation
    for name in ("AWSAccessKeyId", "Signature", "Expires"):
        error = refused(without_parameter(presigned(HmacSha1Query()), name))
        assert (error.error.code, error.error.status) == ("AccessDenied", 403)
        assert error.message.startswith("Query-string authentication requires the Signature, Expires and")


def test_double_encoded_credential_is_the_recorded_error():
    error = refused(with_query(presigned(Version4Query()), "%2F", "%252F"))
    assert error.error.code == "AuthorizationQueryParametersError"
    assert error.message == (
        "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting"
        ' "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".'
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("us-east-1", "eu-west-1", "the region 'eu-west-1' is wrong"),
        ("%2Fs3%2F", "%2Fsqs%2F", 'incorrect service "sqs"'),
        ("aws4_request", "aws5_request", 'incorrect terminal "aws5_request"'),
        ("20261121%2F", "20261120%2F", 'Invalid credential date "20261120"'),
        ("20261121%2F", "today%2F", 'incorrect date format "today"'),
        ("HMAC-SHA256", "HMAC-MD5", "only supports"),
        ("20261121T120000Z", "2026-11-21", "ISO8601 Long Format"),
        ("20261121T120000Z", "20261331T120000Z", "ISO8601 Long Format"),
    ],
)
def test_wrong_part_of_the_credentials_is_named(old, new, words):
    error = refused(with_query(presigned(Version4Query()), old, new))
    assert error.error.code == "AuthorizationQueryParametersError"
    assert words in error.message


def test_unsigned_headers_are_listed():
    for request in (presigned(Version4Query()), signed(Version4Header())):
        extra = with_headers(request, {"x-amz-meta-b": "1", "x-amz-decoded-content-length": "1", "Cache-Control": "no"})
        error = refused(extra)
        assert (error.error.code, error.message) == (
            "AccessDenied",
            "There were headers present in the request which were not signed",
        )
        assert error.elements == {"HeadersNotSigned": "x-amz-decoded-content-length, x-amz-meta-b"}
        assert authenticate(with_headers(request, {"Cache-Control": "no"}))


def test_host_must_be_signed():
    request = with_query(presigned(Version4Query()), "SignedHeaders=host", "SignedHeaders=range")
    assert refused(request).elements == {"HeadersNotSigned": "host"}


def test_signed_header_that_was_not_sent_is_refused():
    for name in ("Content-MD5", "x-amz-meta-a"):
        request = presigned(Version4Query(), headers={name: "4gJE4saaMU4BqNR0kLY+lw=="})
        assert authenticate(request)
        assert refused(replace(request, headers=Headers())).error.code == "SignatureDoesNotMatch"


def test_metadata_in_a_url_of_version_4_is_returned_without_credentials():
    url = URL + "&x-amz-meta-a=1&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD"
    authenticate(presigned(Version4Query(), url=url))


def test_invalid_expires_of_version_2_is_refused():
    request = presigned(HmacSha1Query())
    for text in ("soon", "-1", "1e9", "9" * 30):
        error = refused(replace(request, target=request.target.replace("Expires=1", f"Expires={text}&a=1")))
        assert error.message.startswith("Invalid date (should be seconds since epoch): ")


# Authorization


@of_header_schemes
def test_old_and_future_requests_are_refused_also_without_verification(scheme):
    for rules in (VERIFY, ACCEPT):
        for minutes in (-16, 16):
            request = signed(scheme, now=NOW + timedelta(minutes=minutes))
            error = refused(request, rules)
            assert error.error.code == "RequestTimeTooSkewed"
            assert list(error.elements) == ["RequestTime", "ServerTime", "MaxAllowedSkewMilliseconds"]
            assert authenticate(request, replace(rules, max_clock_skew=None))


@of_header_schemes
def test_unknown_access_key_is_refused_also_without_verification(scheme):
    request = signed(scheme)
    authorization = request.headers["authorization"].replace(KEY, "AKNOBODY")
    for rules in (VERIFY, ACCEPT):
        error = refused(with_headers(request, {"Authorization": authorization}), rules)
        assert error.error.code == "InvalidAccessKeyId"
        assert KEY in error.explanation


@of_header_schemes
def test_any_signature_is_accepted_without_verification(scheme):
    request = with_headers(signed(scheme), {"x-amz-meta-a": "unsigned"})
    authorization = request.headers["authorization"][:-4] + "0000"
    changed = replace(with_headers(request, {"Authorization": authorization}), body=b"changed")
    result = authenticate(changed, ACCEPT)
    assert result.payload.decode(changed.body) == b"changed"


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("", "three components"),
        ("Credential=a", "three components"),
        ("Credential=a/20261121/us-east-1/s3/aws4_request,SignedHeaders=host,Signature=", "three components"),
        ("Credential=a,Credential=b,SignedHeaders=host,Signature=c", "three components"),
        ("Credential=a/s3/aws4_request,SignedHeaders=host,Signature=c", "the Credential is mal-formed"),
        ("Credential=/20261121/us-east-1/s3/aws4_request,SignedHeaders=host,Signature=c", "mal-formed"),
    ],
)
def test_malformed_authorization_of_version_4_is_refused(rest, words):
    error = refused(with_headers(signed(Version4Header()), {"Authorization": f"AWS4-HMAC-SHA256 {rest}"}), ACCEPT)
    assert error.error.code == "AuthorizationHeaderMalformed"
    assert words in error.message


@pytest.mark.parametrize("rest", ["", "a", "a:", ":b", " a:b", "a: b", "a:b c"])
def test_malformed_authorization_of_2006_is_refused(rest):
    error = refused(with_headers(signed(HmacSha1Header()), {"Authorization": f"AWS {rest}"}), ACCEPT)
    assert (error.error.code, error.message) == ("InvalidArgument", "Authorization header is invalid")
    assert error.elements["ArgumentName"] == "Authorization"


def test_scheme_of_2006_refuses_a_request_without_its_credentials():
    for headers in ({}, {"Authorization": "SVC a:b"}):
        request = Request.to_url("GET", URL, headers)
        with pytest.raises(ErrorResponse, match="AccessDenied"):
            HmacSha1Header().authenticate(request, read_address(request), accounts(), NOW, VERIFY)


@pytest.mark.parametrize("date", [{}, {"Date": "yesterday"}, {"x-amz-date": ""}])
def test_request_of_2006_needs_a_date(date):
    request = Request.to_url("GET", URL, {"Authorization": f"AWS {KEY}:signature", **date})
    error = refused(request, ACCEPT)
    assert (error.error.code, error.message) == ("AccessDenied", "A valid Date or x-amz-date header is required")


def test_date_that_a_request_has_is_signed():
    for name in ("Date", "x-amz-date"):
        headers = {name: "Sat, 21 Nov 2026 12:00:00 GMT"}
        request = signed(HmacSha1Header(), headers=headers)
        assert len(request.headers) == len({"content-length", "authorization", name})
        assert authenticate(request)


def test_request_of_version_4_needs_date_and_payload_hash():
    request = signed(Version4Header())
    without = {"x-amz-date": "AccessDenied", "x-amz-content-sha256": "InvalidRequest"}
    for name, code in without.items():
        fields = [field for field in request.headers.fields if field[0].lower() != name]
        error = refused(replace(request, headers=Headers(fields)))
        assert error.error.code == code
        assert name in error.message
    assert refused(with_headers(request, {"x-amz-date": "Sat, 21 Nov 2026 12:00:00 GMT"})).error.code == "AccessDenied"


def test_unknown_payload_hash_is_refused():
    request = signed(Version4Header(), headers={"x-amz-content-sha256": "STREAMING-SOMETHING"})
    error = refused(request)
    assert (error.error.code, error.elements["ArgumentName"]) == ("InvalidArgument", "x-amz-content-sha256")


def test_hash_of_sparse_content_is_checked():
    content = SparseContent(100_000)
    request = signed(Version4Header(), body=bytes(content))
    payload = authenticate(request).payload
    assert payload.decode(content) is content
    with pytest.raises(ErrorResponse, match="XAmzContentSHA256Mismatch"):
        payload.decode(SparseContent(99_999))


def test_unsigned_payload_is_not_checked():
    request = signed(Version4Header(), headers={"x-amz-content-sha256": "UNSIGNED-PAYLOAD"})
    assert authenticate(request).payload.decode(b"changed") == b"changed"


def test_two_forms_of_credentials_are_refused():
    request = presigned(Version4Query())
    both = with_headers(request, {"Authorization": f"AWS {KEY}:signature"})
    error = refused(both)
    assert error.error.code == "InvalidArgument"
    assert error.message.startswith("Only one auth mechanism allowed")


@pytest.mark.parametrize("authorization", ["Bearer secret-token", "secret-token", "Basic c2VjcmV0LXRva2Vu"])
def test_unknown_scheme_is_refused_without_repeating_a_token(authorization):
    request = Request.to_url("GET", URL, {"Authorization": authorization})
    error = refused(request)
    assert error.error.code == "AccessDenied"
    assert authorization.rpartition(" ")[2] not in error.explanation


class Reversed:
    def signature(self, request, address, secret_key):
        return secret_key[::-1]


def test_verifier_of_the_user_replaces_hmac_sha1():
    rules = replace(VERIFY, verifier=Reversed())
    request = signed(HmacSha1Header(), rules=rules)
    assert request.headers["authorization"] == f"AWS {KEY}:{SECRET[::-1]}"
    assert authenticate(request, rules)
    error = refused(with_headers(request, {"Authorization": f"AWS {KEY}:other"}), rules)
    assert error.error.code == "SignatureDoesNotMatch"
    assert SECRET[::-1] not in error.explanation


def test_verifier_must_return_text():
    class Broken:
        def signature(self, request, address, secret_key):
            return b"bytes"

    with pytest.raises(TypeError, match="must be a str"):
        signed(HmacSha1Header(), rules=replace(VERIFY, verifier=Broken()))


# What an explanation shows


SECRETS = {
    "x-amz-security-token": "session-token",
    "x-amz-server-side-encryption-customer-key": "c2VjcmV0IGtleQ==",
    "x-amz-mfa": "serial 123456",
}


def test_explanation_shows_what_would_be_signed_and_no_secret():
    for request in (
        signed(Version4Header(), headers=SECRETS),
        signed(HmacSha1Header(), headers=SECRETS),
        presigned(Version4Query(), url=URL + "&X-Amz-Security-Token=session-token"),
        presigned(HmacSha1Query(), headers=SECRETS),
    ):
        changed = replace(request, method="DELETE")
        error = refused(changed)
        assert error.error.code == "SignatureDoesNotMatch"
        assert "The string to sign is" in error.explanation
        assert "DELETE" in error.explanation
        for text in (error.explanation, *error.elements.values()):
            assert not any(secret in text for secret in (*SECRETS.values(), SECRET))
            assert all(secret.encode().hex(" ") not in text for secret in SECRETS.values())


@pytest.mark.parametrize("scheme", [Version4Header(), HmacSha1Header()], ids=["v4", "v2"])
def test_explanation_never_has_the_expected_signature(scheme):
    good = signed(scheme)
    signature = good.headers["authorization"].replace("Signature=", ":").rpartition(":")[2]
    authorization = good.headers["authorization"].replace(signature, "0" * len(signature))
    error = refused(with_headers(good, {"Authorization": authorization}))
    assert signature not in error.explanation
    assert signature not in "".join(error.elements.values())


def test_error_of_version_4_has_the_recorded_elements():
    error = refused(replace(presigned(Version4Query()), method="GET"))
    assert set(error.elements) == {
        "AWSAccessKeyId",
        "StringToSign",
        "SignatureProvided",
        "StringToSignBytes",
        "CanonicalRequest",
        "CanonicalRequestBytes",
    }
    assert bytes.fromhex(error.elements["StringToSignBytes"]).decode() == error.elements["StringToSign"]
    version_2 = refused(replace(presigned(HmacSha1Query()), method="GET"))
    assert set(version_2.elements) == {"AWSAccessKeyId", "StringToSign", "SignatureProvided", "StringToSignBytes"}


# Every altered part is noticed


TEXT = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=8)
KEYS = st.text("ab/+ %~é日", min_size=1, max_size=8)


@settings(deadline=None)
@given(data=st.data(), scheme=st.sampled_from([*HEADER_SCHEMES, *QUERY_SCHEMES]), key=KEYS, value=TEXT)
def test_every_altered_part_is_refused(data, scheme, key, value):
    url = f"https://s3.amazonaws.com/photos/{quote(key)}?versionId={quote(value)}"
    headers = {"x-amz-meta-a": value, "Content-Type": "text/plain", "Content-MD5": "md5"}
    make = presigned if scheme in QUERY_SCHEMES else signed
    request = make(scheme, url=url, headers=headers)
    assert authenticate(request).requester == ACCOUNT
    parts = ["method", "path", "query", "header", "content type", "added header", "signature", "bucket"]
    if scheme in (Version4Header(), Version4Query()):
        parts += ["host", "other parameter"]
    if scheme == Version4Header():
        parts += ["body", "date"]
    part = data.draw(st.sampled_from(parts))
    other = data.draw(TEXT.filter(lambda text: text != value))
    if part == "method":
        changed = replace(request, method="POST")
    elif part == "path":
        changed = replace(request, target=request.target.replace("?", f"{quote(other)}?", 1))
    elif part == "bucket":
        changed = replace(request, target=request.target.replace("/photos/", "/other/", 1))
    elif part == "query":
        changed = with_query(request, f"versionId={quote(value)}", f"versionId={quote(other)}")
    elif part == "other parameter":
        changed = replace(request, target=f"{request.target}&{quote(other, safe='')}=1")
    elif part == "header":
        changed = with_headers(request, {"x-amz-meta-a": other})
    elif part == "added header":
        changed = with_headers(request, {"x-amz-meta-b": other})
    elif part == "content type":
        changed = with_headers(request, {"Content-Type": other})
    elif part == "host":
        changed = replace(request, host="s3.amazonaws.com:81")
    elif part == "date":
        changed = with_headers(request, {"x-amz-date": "20261121T120001Z"})
    elif part == "body":
        changed = replace(request, body=other.encode())
    elif scheme in QUERY_SCHEMES:
        changed = with_query(request, "Signature=", f"Signature={quote(other, safe='')}")
    else:
        changed = with_headers(request, {"Authorization": request.headers["authorization"] + other.replace(",", "")})
    if changed != request:
        assert refused(changed).error.status in (400, 403)


WILD = st.text(st.characters(max_codepoint=0xFF), max_size=30)


@settings(deadline=None)
@given(
    data=st.data(), scheme=st.sampled_from([*HEADER_SCHEMES, *QUERY_SCHEMES]), rules=st.sampled_from([VERIFY, ACCEPT])
)
def test_malformed_credentials_raise_nothing_but_errors_of_the_service(data, scheme, rules):
    request = presigned(scheme) if scheme in QUERY_SCHEMES else signed(scheme)
    address = read_address(request)
    if scheme in QUERY_SCHEMES:
        query = dict(address.query)
        for name in data.draw(st.sets(st.sampled_from(sorted(query)), min_size=1)):
            text, wild = (
                query[name],
                data.draw(st.one_of(WILD, st.text(max_size=10), st.sampled_from(["9" * 18, "-9"]))),
            )
            at = data.draw(st.integers(0, len(text)))
            query[name] = data.draw(st.sampled_from([wild, text[:at] + wild + text[at:], text[:at] + wild]))
        address = replace(address, query=query)
    else:
        name = data.draw(st.sampled_from(["authorization", "x-amz-date", "x-amz-content-sha256", "date"]))
        text, wild = request.headers.get(name, ""), data.draw(st.one_of(WILD, st.text(max_size=10)))
        at = data.draw(st.integers(0, len(text)))
        request = with_headers(request, {name: data.draw(st.sampled_from([wild, text[:at] + wild + text[at:]]))})
    assert status_of(lambda: scheme.authenticate(request, address, accounts(), NOW, rules)) in (200, 400, 403, 411)
