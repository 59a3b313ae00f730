"""The errors of authentication: what is refused, with which error and with which explanation."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from urllib.parse import quote

import pytest
from botocore.credentials import Credentials
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st

from fakestore import ErrorResponse, FakeStore, SparseContent, UnsupportedRequest
from fakestore.http import Headers, Request
from tests.support.cases import each
from tests.support.wire import elements, md5_base64

from .arrange import (
    CREDENTIALS,
    FORMS,
    KEY,
    NOW,
    S3_WITH_VERSION_2,
    SECRET,
    SIGNERS,
    URL,
    V2_HEADER,
    V2_QUERY,
    V4_HEADER,
    V4_QUERY,
    Answer,
    answer_to,
    new_store,
    sign_by,
    signed,
    with_headers,
    with_target,
)

of_header_forms = pytest.mark.parametrize("form", [V4_HEADER, V2_HEADER])
of_query_forms = pytest.mark.parametrize("form", [V4_QUERY, V2_QUERY])


@pytest.fixture
def accepting():
    return new_store(signatures="accept")


def refused(store: FakeStore, request: Request) -> Answer:
    """Return the error for a request that is not authenticated, or whose body is not the signed one."""
    answer = answer_to(store, request)
    assert answer.status in (400, 403)
    assert answer.account is None or answer.code == "XAmzContentSHA256Mismatch"
    assert len(store["photos"]) == 0
    return answer


def accepted(store: FakeStore, request: Request) -> bool:
    return answer_to(store, request).status == 200


def without_parameter(request: Request, name: str) -> Request:
    path, _, query = request.target.partition("?")
    kept = [pair for pair in query.split("&") if pair.partition("=")[0] != name]
    return replace(request, target=f"{path}?{'&'.join(kept)}")


# Presigned URLs


@of_query_forms
def test_expired_url_is_refused_also_without_verification(store, accepting, form):
    request = signed(form)
    for one in (store, accepting):
        with freeze_time(NOW + timedelta(seconds=61)):
            answer = refused(one, request)
        assert (answer.code, answer.message) == ("AccessDenied", "Request has expired")
        assert answer.elements["Expires"] == "2026-11-21T12:01:00Z"
        assert answer.elements["ServerTime"] == "2026-11-21T12:01:01Z"
        assert answer.elements.get("X-Amz-Expires") == ("60" if form == V4_QUERY else None)
        with freeze_time(NOW + timedelta(seconds=60)):
            assert accepted(one, request)


def test_url_from_the_future_is_refused(store):
    with freeze_time(NOW + timedelta(minutes=16)):
        request = signed(V4_QUERY)
    assert refused(store, request).message == "Request is not valid yet"
    assert accepted(new_store(max_clock_skew=None), request)


def test_url_with_an_invalid_time_is_refused(store):
    for case in each(
        ("604801", "less than a week"),
        ("-1", "non-negative"),
        ("soon", "should be a number"),
        ("", "a number"),
    ):
        with case as (expires, words):
            answer = refused(store, with_target(signed(V4_QUERY), "X-Amz-Expires=60", f"X-Amz-Expires={expires}"))
            assert answer.code == "AuthorizationQueryParametersError"
            assert words in answer.message
    at_once = with_target(signed(V4_QUERY), "X-Amz-Expires=60", "X-Amz-Expires=0")
    assert refused(store, at_once).code == "AccessDenied"


def test_empty_parameter_of_version_2_counts_as_missing(store):
    for case in each("AWSAccessKeyId", "Signature", "Expires"):
        with case as name:
            answer = refused(store, with_target(without_parameter(signed(V2_QUERY), name), "?", f"?{name}=&"))
            assert answer.message.startswith("Query-string authentication requires")
            assert f"lacks {name}" in answer.explanation


def test_invalid_expires_of_version_2_is_refused(store):
    for case in each("soon", "-1", "1e9", "9" * 30):
        with case as text:
            answer = refused(
                store, with_target(signed(V2_QUERY), f"Expires={NOW.timestamp() + 60:.0f}", f"Expires={text}")
            )
            assert answer.message == f"Invalid date (should be seconds since epoch): {text}"


def test_presigned_time_has_bounds(store):
    presign = partial(store.presign, "GET", "photos", "cat.jpg")
    for seconds in (0, 604801):
        with pytest.raises(ValueError, match="between 1 second and 7 days"):
            presign(expires_in=seconds)
    for case in each(1.9, float("nan"), float("inf"), 1e300):
        with case as seconds:
            with pytest.raises(ValueError, match=r"expires_in .* a whole number of seconds"):
                presign(expires_in=seconds)
    with pytest.raises(TypeError, match=r"expires_in .*timedelta\(0\): expected a number of seconds"):
        presign(expires_in=timedelta(0))
    for case in each("", "GET\n", "GE T"):
        with case as method:
            with pytest.raises(ValueError, match="method"):
                store.presign(method, "photos", "cat.jpg", expires_in=60)
    store["photos"].put("cat.jpg", b"meow")
    assert accepted(store, Request.to_url("GET", presign(expires_in=604800)))
    with pytest.raises(ValueError, match="must not be negative"):
        new_store(dialect=S3_WITH_VERSION_2).presign("GET", "photos", "cat.jpg", expires_in=-1)


def test_missing_query_parameter_is_the_recorded_error(store):
    for case in each("Algorithm", "Credential", "Signature", "Date", "SignedHeaders", "Expires"):
        with case as name:
            answer = refused(store, without_parameter(signed(V4_QUERY), f"X-Amz-{name}"))
            assert (answer.code, answer.status) == ("AuthorizationQueryParametersError", 400)
            assert answer.message == (
                "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature,"
                " X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."
            )
            assert name in answer.explanation
    for name in ("AWSAccessKeyId", "Signature", "Expires"):
        answer = refused(store, without_parameter(signed(V2_QUERY), name))
        assert (answer.code, answer.status) == ("AccessDenied", 403)
        assert answer.message.startswith("Query-string authentication requires the Signature, Expires and")


def test_wrong_part_of_a_presigned_url_is_named():
    store = new_store(region="us-east-1")
    for case in each(
        ("%2F", "%252F", 'expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request"'),
        ("us-east-1", "eu-west-1", "the region 'eu-west-1' is wrong"),
        ("%2Fs3%2F", "%2Fsqs%2F", 'incorrect service "sqs"'),
        ("aws4_request", "aws5_request", 'incorrect terminal "aws5_request"'),
        ("20261121%2F", "20261120%2F", 'Invalid credential date "20261120"'),
        ("20261121%2F", "today%2F", 'incorrect date format "today"'),
        ("HMAC-SHA256", "HMAC-MD5", "only supports"),
        ("20261121T120000Z", "2026-11-21", "ISO8601 Long Format"),
        ("20261121T120000Z", "20261331T120000Z", "ISO8601 Long Format"),
    ):
        with case as (old, new, words):
            answer = refused(store, with_target(signed(V4_QUERY), old, new))
            assert answer.code == "AuthorizationQueryParametersError"
            assert words in answer.message


@pytest.mark.parametrize("form", [V4_HEADER, V4_QUERY])
def test_headers_that_are_not_signed_are_listed(store, form):
    request = with_headers(signed(form), {"Cache-Control": "no-store"})
    extra = with_headers(request, {"x-amz-meta-b": "1", "x-amz-decoded-content-length": "1"})
    answer = refused(store, extra)
    assert (answer.code, answer.message) == (
        "AccessDenied",
        "There were headers present in the request which were not signed",
    )
    assert answer.elements == {"HeadersNotSigned": "x-amz-decoded-content-length, x-amz-meta-b"}
    assert accepted(store, request)


def test_host_must_be_signed(store):
    request = with_target(signed(V4_QUERY), "SignedHeaders=host", "SignedHeaders=range")
    assert refused(store, request).elements == {"HeadersNotSigned": "host"}
    nothing = with_target(request, "SignedHeaders=range", "SignedHeaders=%3B")
    assert "It covers no header." in refused(store, nothing).explanation


def test_explanation_has_a_year_of_four_digits(store):
    request = with_target(signed(V4_QUERY), "20261121T120000Z", "00010101T000000Z")
    assert "0001-01-01T00:01:00Z" in refused(store, request).explanation


@pytest.mark.parametrize("name", ["Content-MD5", "x-amz-meta-a"])
def test_signed_header_that_was_not_sent_is_refused(store, name):
    request = signed(V4_QUERY, headers={name: md5_base64(b"")})
    assert refused(store, with_headers(request, {name: None})).code == "SignatureDoesNotMatch"
    assert accepted(store, request)


# Authorization


@of_header_forms
@pytest.mark.parametrize("minutes", [-16, 16])
def test_old_and_future_requests_are_refused(store, form, minutes):
    with freeze_time(NOW + timedelta(minutes=minutes)):
        request = signed(form)
    for one in (store, new_store(signatures="accept", max_clock_skew=timedelta(minutes=15))):
        answer = refused(one, request)
        assert answer.code == "RequestTimeTooSkewed"
        assert list(answer.elements) == ["RequestTime", "ServerTime", "MaxAllowedSkewMilliseconds"]
        assert answer.elements["MaxAllowedSkewMilliseconds"] == "900000"
    assert accepted(new_store(max_clock_skew=None), request)


@pytest.mark.decision("date-header")
@pytest.mark.parametrize("form", [V4_HEADER, V4_QUERY, V2_HEADER])
def test_date_is_not_compared_in_s3_if_signatures_are_accepted(store, accepting, form):
    with freeze_time(NOW + timedelta(days=4000)):
        request = signed(form)
    assert refused(store, request).code in ("RequestTimeTooSkewed", "AccessDenied")
    assert accepted(accepting, request)


@pytest.mark.parametrize("form", FORMS)
def test_unknown_access_key_is_refused_also_without_verification(store, accepting, form):
    request = signed(form)
    authorization = request.headers.get("authorization", "").replace(KEY, "AKNOBODY") or None
    changed = replace(request, target=request.target.replace(KEY, "AKNOBODY"))
    for one in (store, accepting):
        answer = refused(one, with_headers(changed, {"Authorization": authorization}))
        assert answer.code == "InvalidAccessKeyId"
        assert KEY in answer.explanation
    with freeze_time(NOW + timedelta(hours=1)):  # the key is looked up before the date is compared
        answer = refused(store, with_headers(changed, {"Authorization": authorization}))
        assert answer.code == "InvalidAccessKeyId"


@pytest.mark.decision("session-tokens")
@pytest.mark.parametrize("form", FORMS)
def test_token_of_permanent_keys_is_refused(store, accepting, form):
    request = signed(form, credentials=Credentials(KEY, SECRET, "session-token"))
    answer = refused(store, request)
    assert (answer.status, answer.code) == (400, "InvalidToken")
    assert answer.message == "The provided token is malformed or otherwise invalid."
    assert "session-token" not in answer.explanation
    assert accepted(accepting, request)
    accepting["photos"].put("cat.jpg")
    head = signed(form, "HEAD", credentials=Credentials(KEY, SECRET, "session-token"))
    assert (answer_to(store, head).status, answer_to(accepting, head).status) == (400, 200)


@of_header_forms
def test_any_signature_is_accepted_without_verification(accepting, form):
    request = signed(form, body=b"meow")
    authorization = request.headers["authorization"][:-4] + "0000"
    changed = with_headers(request, {"Authorization": authorization, "x-amz-meta-a": "unsigned"})
    assert accepted(accepting, replace(changed, body=b"woof"))
    assert accepting["photos"]["cat.jpg"].content == b"woof"


def test_malformed_authorization_of_version_4_is_refused_and_its_part_named(accepting):
    scope, others = "20261121/us-east-1/s3/aws4_request", "SignedHeaders=host,Signature=c"
    for case in each(
        ("", "three components", "has nothing after 'AWS4-HMAC-SHA256'"),
        (" ", "three components", "has nothing after 'AWS4-HMAC-SHA256'"),
        (" Credential", "three components", "without '='"),
        (" Credential=a", "three components", "lacks SignedHeaders and Signature"),
        (f" Credential=a/{scope},SignedHeaders=host,Signature=", "three components", "lacks Signature"),
        (f" Credential=a,Credential=b,{others}", "three components", "repeated"),
        (f" Credential=a/s3/aws4_request,{others}", "the Credential is mal-formed", "has 3 parts"),
        (f" Credential=/{scope},{others}", "mal-formed", "access key in the credential is empty"),
    ):
        with case as (rest, message, explanation):
            answer = refused(accepting, with_headers(signed(V4_HEADER), {"Authorization": f"AWS4-HMAC-SHA256{rest}"}))
            assert answer.code == "AuthorizationHeaderMalformed"
            assert message in answer.message
            assert explanation in answer.explanation


def test_version_4_may_be_dated_by_the_header_date(store):
    request = signed(V4_HEADER, headers={"Date": ""})  # botocore fills it
    assert "x-amz-date" not in request.headers
    with freeze_time(NOW + timedelta(minutes=16)):
        assert refused(store, request).code == "RequestTimeTooSkewed"
    assert accepted(store, request)


def test_request_of_version_2_needs_a_date(accepting):
    for case in each({}, {"Date": "yesterday"}, {"x-amz-date": ""}):
        with case as date:
            request = Request.to_url("GET", URL, {"Authorization": f"AWS {KEY}:signature", **date})
            answer = refused(accepting, request)
            assert answer.code == "AccessDenied"
            assert answer.message == "A valid Date or x-amz-date header is required"


def test_version_4_needs_its_date(store):
    for case in each(
        ("x-amz-date", None, "AccessDenied"),
        ("x-amz-date", "Sat, 21 Nov 2026 12:00:00 GMT", "AccessDenied"),
    ):
        with case as (name, value, code):
            answer = refused(store, with_headers(signed(V4_HEADER), {name: value}))
            assert answer.code == code
            assert name in answer.message


@pytest.mark.decision("authorization-header")
@pytest.mark.parametrize("signatures", ["accept", "verify"])
def test_version_4_needs_the_hash_of_the_body_in_every_request(signatures):
    store = new_store(signatures=signatures)
    base = "https://s3.amazonaws.com/"
    for case in each(
        *(("GET", path) for path in ("", "photos", "photos/cat.jpg", "photos/cat.jpg?tagging", "unknown/cat.jpg")),
        *(("PUT", path) for path in ("photos", "photos/cat.jpg", "photos?policy")),
        *(("HEAD", "photos"), ("DELETE", "photos/cat.jpg"), ("POST", "photos?delete"), ("POST", "photos/a?uploads")),
    ):
        with case as (method, path):
            unhashed = with_headers(signed(V4_HEADER, method, base + path), {"x-amz-content-sha256": None})
            answer = answer_to(store, unhashed)
            assert answer.status == 400
            assert "header x-amz-content-sha256 with the SHA-256" in answer.explanation
            if method != "HEAD":
                message = "Missing required header for this request: x-amz-content-sha256"
                assert (answer.code, answer.message) == ("InvalidRequest", message)


def test_an_empty_hash_of_the_body_counts_as_missing(accepting):
    request = with_headers(signed(V4_HEADER, body=b"meow"), {"x-amz-content-sha256": ""})
    assert (answer_to(accepting, request).status, answer_to(accepting, request).code) == (400, "InvalidRequest")
    for store, form in ((accepting, V2_HEADER), (accepting, V4_QUERY), (new_store(), V4_QUERY)):
        request = with_headers(signed(form, "PUT", body=b"meow"), {"x-amz-content-sha256": ""})
        assert answer_to(store, request).status == 200, form


@pytest.fixture
def session(store):
    """A session that signs with signature version 4 and sends to the store."""
    session = store.session()
    session.mount("https://", store.adapter())
    yield session
    session.close()


def test_unknown_payload_hash_is_refused(store, session):
    reply = session.put(URL, data=b"meow", headers={"x-amz-content-sha256": "STREAMING-SOMETHING"})
    assert store.exchanges[-1].error_code == "InvalidArgument"
    assert "x-amz-content-sha256 is 'STREAMING-SOMETHING'" in store.exchanges[-1].explanation
    assert elements(reply)["Message"] == (
        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER,"
        " STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER,"
        " STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"
        " or a valid sha256 value."
    )


def test_body_is_checked_against_its_signed_hash(store):
    content = SparseContent(100_000)
    request = signed(V4_HEADER, body=bytes(content))
    for case in each(bytes(99_999) + b"1", iter([bytes(99_999), b"1"]), SparseContent(99_999)):
        with case as body:
            assert refused(store, replace(request, body=body)).code == "XAmzContentSHA256Mismatch"
    assert accepted(store, replace(request, body=content))
    assert isinstance(store["photos"]["cat.jpg"].content, SparseContent)


def test_body_is_checked_against_the_hash_in_the_query_of_a_presigned_url(store):
    signer, digest = SIGNERS[V4_QUERY](credentials=CREDENTIALS), hashlib.sha256(b"meow").hexdigest()
    signer.payload = lambda request: digest  # botocore itself leaves the body open
    request = sign_by(signer, "PUT", f"{URL}?X-Amz-Content-Sha256={digest}", body=b"meow")
    assert refused(store, replace(request, body=b"woof")).code == "XAmzContentSHA256Mismatch"
    assert accepted(store, request)


@pytest.mark.decision("unexpected-body")
@pytest.mark.parametrize("form", [V4_HEADER, V4_QUERY])
def test_signed_hash_of_a_body_that_is_ignored_is_checked(store, form):
    for method, signed_body in [("GET", b""), ("HEAD", b""), ("GET", b"meow")]:
        headers = {"X-Amz-Content-SHA256": hashlib.sha256(signed_body).hexdigest()}
        request = signed(form, method, "https://s3.amazonaws.com/photos", headers, signed_body)
        assert accepted(store, request)
        evil = with_headers(request, {"Content-Length": "4"})
        for body in (b"evil", iter([b"ev", b"il"])):
            assert refused(store, replace(evil, body=body)).code == "XAmzContentSHA256Mismatch"


def test_unsigned_payload_is_not_checked(store):
    request = signed(V4_QUERY, body=b"meow")
    assert accepted(store, replace(request, body=b"woof"))


@pytest.mark.decision("authorization-header")
@of_query_forms
def test_presigned_url_with_an_authorization_header_is_refused(store, form):
    for case in each(f"AWS {KEY}:signature", "Bearer secret-token", "secret-token"):
        with case as authorization:
            answer = refused(store, with_headers(signed(form), {"Authorization": authorization}))
            assert answer.code == "InvalidArgument"
            assert answer.message.startswith("Only one auth mechanism allowed")
            assert ("header of another scheme" in answer.explanation) is ("secret-token" in authorization)
            assert "secret-token" not in answer.explanation


@pytest.mark.parametrize("authorization", ["Bearer secret-token", "secret-token", "Basic c2VjcmV0LXRva2Vu"])
def test_unknown_scheme_is_refused_without_repeating_a_token(store, authorization):
    answer = refused(store, Request.to_url("GET", URL, {"Authorization": authorization}))
    assert answer.code == "AccessDenied"
    assert "'AWS' or 'AWS4-HMAC-SHA256'" in answer.explanation
    assert authorization.rpartition(" ")[2] not in answer.explanation
    assert ("a signature scheme of your own" in answer.explanation) is (" " in authorization)


def test_scheme_of_version_4_is_case_sensitive(store):
    answer = refused(store, with_headers(signed(V4_HEADER), {"Authorization": "aws4-hmac-sha256 Credential=a"}))
    assert answer.explanation.endswith("write 'AWS4-HMAC-SHA256' in upper case")
    assert "auth_scheme" not in refused(store, Request.to_url("GET", URL, {"Authorization": "Foo a:b"})).explanation


@pytest.mark.decision("version-2-by-region")
@pytest.mark.parametrize("signatures", ["accept", "verify"])
def test_new_region_knows_version_4_only(signatures):
    for region, status in (("eu-central-1", 400), ("eu-west-3", 400), ("us-west-2", 200), ("sa-east-1", 200)):
        store = new_store(region=region, signatures=signatures)
        url = f"https://s3.{region}.amazonaws.com/photos/cat.jpg"
        for form in (V2_HEADER, V2_QUERY):
            answer = answer_to(store, signed(form, url=url))
            assert (region, answer.status) == (region, status)
            if status == 400:
                assert (answer.code, answer.message) == (
                    "InvalidRequest",
                    "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.",
                )
                assert all(word in answer.explanation for word in (region, "signature_version", "s3v4"))
        for form in (V4_HEADER, V4_QUERY):
            assert answer_to(store, signed(form, url=url, region_name=region)).status == 200


def test_error_of_a_scheme_has_a_code_of_the_table():
    error = ErrorResponse.of("AccessDenied", "Request has expired", explanation="too late")
    assert (error.code, error.message, error.explanation) == ("AccessDenied", "Request has expired", "too late")
    with pytest.raises(ValueError, match=r"'AccessDenyed'.* Did you mean 'AccessDenied'"):
        ErrorResponse.of("AccessDenyed")


# What an explanation shows


SECRETS = {"x-amz-security-token": "session-token", "x-amz-mfa": "serial 123456"}


@pytest.mark.parametrize("form", FORMS)
def test_explanation_shows_what_would_be_signed_and_no_secret(store, form):
    answer = refused(store, replace(signed(form, headers=SECRETS), method="DELETE"))
    assert answer.code == "SignatureDoesNotMatch"
    assert "The string to sign is" in answer.explanation
    assert "DELETE" in answer.explanation
    assert answer.elements["SignatureProvided"][:8] in answer.explanation
    assert answer.elements["SignatureProvided"] not in answer.explanation
    for case in each(answer.explanation, *answer.elements.values()):
        with case as text:
            assert not any(secret in text for secret in (*SECRETS.values(), SECRET))
            assert all(secret.encode().hex(" ") not in text for secret in SECRETS.values())


@of_header_forms
def test_explanation_never_has_the_expected_signature(store, form):
    good = signed(form)
    signature = good.headers["authorization"].replace("Signature=", ":").rpartition(":")[2]
    authorization = good.headers["authorization"].replace(signature, "0" * len(signature))
    answer = refused(store, with_headers(good, {"Authorization": authorization}))
    assert signature not in answer.explanation
    assert signature not in "".join(answer.elements.values())


@pytest.mark.parametrize("form", FORMS)
def test_error_of_a_signature_shows_the_signed_text(store, form):
    elements = refused(store, replace(signed(form), method="GET")).elements
    names = {"AWSAccessKeyId", "StringToSign", "SignatureProvided", "StringToSignBytes"}
    if form in (V4_HEADER, V4_QUERY):
        names |= {"CanonicalRequest", "CanonicalRequestBytes"}
    assert set(elements) == names
    assert bytes.fromhex(elements["StringToSignBytes"]).decode() == elements["StringToSign"]


# What is read leniently


def test_names_of_signed_headers_may_have_upper_case(store):
    request = signed(V4_HEADER, headers={"x-amz-meta-a": "1"})
    names = re.search("SignedHeaders=([^,]+)", request.headers["authorization"])[1]
    changed = request.headers["authorization"].replace(names, names.title())
    assert changed != request.headers["authorization"]
    assert accepted(store, with_headers(request, {"Authorization": changed}))


@pytest.mark.parametrize("form", FORMS)
def test_access_key_may_contain_slashes(form):
    store = new_store(access_key_id="team/ann/key")
    request = signed(form, credentials=Credentials("team/ann/key", SECRET))
    assert answer_to(store, request).account is store.default_account


@pytest.mark.decision("repeated-headers-in-the-query")
@of_query_forms
def test_header_counts_that_is_sent_with_another_value_than_in_the_query(store, accepting, form):
    url = f"{URL}?x-amz-meta-a=query"
    # With version 2, botocore moves headers to the query.
    in_query = signed(form, url=url) if form == V4_QUERY else signed(form, headers={"x-amz-meta-a": "query"})
    assert "x-amz-meta-a=query" in in_query.target
    in_both = with_headers(in_query, {"x-amz-meta-a": "header"})
    assert accepted(accepting, in_both)
    assert accepting["photos"]["cat.jpg"].metadata == {"a": "header"}
    assert refused(store, in_both).code == ("AccessDenied" if form == V4_QUERY else "SignatureDoesNotMatch")
    assert accepted(store, in_query)
    assert store["photos"]["cat.jpg"].metadata == {"a": "query"}
    if form == V4_QUERY:
        assert accepted(store, signed(form, url=url, headers={"x-amz-meta-a": "header"}))
        assert store["photos"]["cat.jpg"].metadata == {"a": "header"}


# Every altered part is noticed


TEXT = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=8)
PATHS = st.text("ab/+ %~é日", min_size=1, max_size=8).map(lambda text: f"a{text}")


def altered(part: str, request: Request, other: str) -> Request:
    """Return the request with another value of one part."""
    if part == "path":
        path, mark, query = request.target.partition("?")
        return replace(request, target=f"{path}{quote(other, safe='')}{mark}{query}")
    if part == "bucket":
        return replace(request, target=request.target.replace("/photos/", "/other/", 1))
    if part == "host":
        return replace(request, host="s3.us-east-1.amazonaws.com")
    if part == "body":
        return replace(request, body=other.encode())
    if part == "date":
        return with_headers(request, {"x-amz-date": "20261121T120001Z"})
    if part == "signature" and "authorization" in request.headers:
        authorization = request.headers["authorization"] + other.replace(",", "")
        return with_headers(request, {"Authorization": authorization})
    if part == "signature":
        return with_target(request, "Signature=", f"Signature={quote(other, safe='')}")
    return with_headers(request, {part: other})


@given(data=st.data(), form=st.sampled_from(FORMS), path=PATHS, value=TEXT)
def test_every_altered_part_is_refused(data, form, path, value):
    headers = {"x-amz-meta-a": value, "Content-Type": "text/plain", "Content-MD5": md5_base64(b"meow")}
    url = f"https://s3.amazonaws.com/photos/{quote(path)}"
    request = signed(form, "PUT", url, headers, b"meow")
    parts = ["path", "bucket", "signature", "x-amz-meta-a", "x-amz-meta-b", "Content-Type", "Content-MD5"]
    if form in (V4_HEADER, V4_QUERY):
        parts.append("host")
    if form == V4_HEADER:
        parts += ["body", "date"]
    part = data.draw(st.sampled_from(parts))
    other = data.draw(TEXT.filter(lambda text: text != value))
    changed = altered(part, request, other)
    store = new_store()
    if changed != request:
        refused(store, changed)
    assert accepted(store, request)


@given(form=st.sampled_from(FORMS), value=TEXT, other=TEXT)
def test_altered_query_or_method_is_refused(form, value, other):
    store = new_store()
    names = ["response-content-type", "response-expires"]
    request = signed(form, "GET", f"{URL}?{names[0]}={quote(value, safe='')}")
    changes = [
        with_target(request, names[0], names[1]),
        replace(request, target=f"{request.target}&{names[1]}=1"),
        replace(request, method="HEAD"),
    ]
    if value != other:
        old, new = (f"{names[0]}={quote(text, safe='')}" for text in (value, other))
        changes.append(with_target(request, old, new))
    for case in each(*changes):
        with case as changed:
            assert refused(store, changed).code == "SignatureDoesNotMatch"
    assert answer_to(store, request).code == "NoSuchKey"


# Malformed credentials


WILD = st.one_of(
    st.text(st.characters(max_codepoint=0xFF), max_size=30), st.text(max_size=10), st.sampled_from(["9" * 18, "-9"])
)


def distort(data, text: str) -> str:
    """Return a text in which something is inserted, replaced at the end, or replaced as a whole."""
    wild, at = data.draw(WILD), data.draw(st.integers(0, len(text)))
    return data.draw(st.sampled_from([wild, text[:at] + wild + text[at:], text[:at] + wild]))


def is_answered(store: FakeStore, request: Request) -> None:
    """Assert that a request is answered or unsupported, and raises nothing else."""
    with suppress(UnsupportedRequest):
        assert store.handle(request).status in (200, 400, 403, 411)


@given(data=st.data(), form=st.sampled_from([V4_HEADER, V2_HEADER]), signatures=st.sampled_from(["verify", "accept"]))
def test_malformed_headers_are_answered_with_an_error(data, form, signatures):
    request = signed(form)
    name = data.draw(st.sampled_from(["authorization", "x-amz-date", "x-amz-content-sha256", "date"]))
    text = distort(data, request.headers.get(name, ""))
    is_answered(new_store(signatures=signatures), with_headers(request, {name: text}))


@given(data=st.data(), form=st.sampled_from([V4_QUERY, V2_QUERY]), signatures=st.sampled_from(["verify", "accept"]))
def test_malformed_queries_are_answered_with_an_error(data, form, signatures):
    path, _, query = signed(form).target.partition("?")
    pairs = [pair.partition("=")[::2] for pair in query.split("&")]
    at = data.draw(st.integers(0, len(pairs) - 1))
    encoded = data.draw(st.booleans())
    wild = distort(data, pairs[at][1])
    pairs[at] = (pairs[at][0], quote(wild, safe="") if encoded else wild)
    target = f"{path}?{'&'.join('='.join(pair) for pair in pairs)}"
    is_answered(new_store(signatures=signatures), Request("PUT", "https", "s3.amazonaws.com", target, Headers()))
