"""Signature version 4: AWS4-HMAC-SHA256, in the Authorization header or in the query of a presigned URL."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fakestore.http import Request
from fakestore.http.dates import parse_http_date
from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import (
    ACCESS_DENIED,
    AUTHORIZATION_HEADER_MALFORMED,
    AUTHORIZATION_QUERY_PARAMETERS,
    INVALID_REQUEST,
    ErrorCode,
    ErrorResponse,
    invalid_argument,
)
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.aws_chunked import CHUNKED_PAYLOADS, ChunkSigner, chunked_payload, unsigned_payload
from fakestore.protocol.auth.base import Authentication, AuthRules, check_clock_skew, find_account
from fakestore.protocol.auth.encoding import (
    encode_path,
    encode_text,
    is_same_signature,
    url_with_query,
    wire_bytes,
    with_headers,
)
from fakestore.protocol.auth.errors import expired, iso_date, wrong_signature
from fakestore.protocol.auth.payload import HashedPayload, Payload
from fakestore.protocol.auth.signing_key import SERVICE, TERMINAL, Scope, hmac_sha256, signing_key

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"

#: The longest time for which a presigned URL can be valid.
LONGEST_EXPIRY = timedelta(days=7)

_TIMESTAMP = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z", re.ASCII)
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_SECONDS = re.compile(r"-?[0-9]{1,12}", re.ASCII)
_BLANKS = re.compile(r"[ \t]{2,}|\t")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_REQUIRED = ("Algorithm", "Credential", "Signature", "Date", "SignedHeaders", "Expires")


@dataclass(frozen=True, slots=True)
class Credentials:
    """The credentials in a request.

    Args:
        access_key_id: The access key.
        scope: The scope that the signature is for.
        signed_headers: The names of the signed headers, in lower case.
        signature: The signature.
    """

    access_key_id: str
    scope: Scope
    signed_headers: frozenset[str]
    signature: str


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """The parts of a request that its signature covers.

    Args:
        request: The request.
        query: The decoded query, without the signature.
        signed_headers: The names of the signed headers, in lower case.
        payload_hash: The last line of the canonical request.
        timestamp: The date of the request, for example ``20130524T000000Z``.
        scope: The scope that the signature is for.
    """

    request: Request
    query: Mapping[str, str]
    signed_headers: frozenset[str]
    payload_hash: str
    timestamp: str
    scope: Scope

    def canonical_request(self) -> bytes:
        """Return the request in the form that is hashed and signed."""
        query = sorted((encode_text(name), encode_text(value)) for name, value in self.query.items())
        names = sorted(self.signed_headers)
        lines = [
            self.request.method,
            encode_path(self.request.target),
            "&".join(f"{name}={value}" for name, value in query),
            *(f"{name}:{self._header(name)}" for name in names),
            "",
            ";".join(names),
            self.payload_hash,
        ]
        return b"\n".join(map(wire_bytes, lines))

    def _header(self, name: str) -> str:
        value = self.request.headers.get(name)
        if value is None:
            # A header that was signed and not sent makes another signature (fact presigned-006).
            value = host_header(self.request) if name == "host" else ""
        return _BLANKS.sub(" ", value)

    def string_to_sign(self, canonical_request: bytes) -> bytes:
        """Return the text that the signature is made of."""
        digest = hashlib.sha256(canonical_request).hexdigest()
        return wire_bytes(f"{ALGORITHM}\n{self.timestamp}\n{self.scope}\n{digest}")

    def signature(self, secret_key: str) -> str:
        """Return the signature of the owner of `secret_key`."""
        text = self.string_to_sign(self.canonical_request())
        return self._sign(text, secret_key)

    def _sign(self, text: bytes, secret_key: str) -> str:
        return hmac_sha256(signing_key(secret_key, self.scope), text).hex()

    def verify(self, account: Account, received: str, form: ErrorForm, rules: AuthRules) -> None:
        """Check that the scope is right, that what must be signed is signed, and that `account` made the signature.

        Raises:
            ErrorResponse: AccessDenied, SignatureDoesNotMatch, or an error of `form` if the scope is wrong.
        """
        check_scope(self.scope, self.timestamp, form, rules)
        check_signed_headers(self.request, self.signed_headers, rules)
        canonical = self.canonical_request()
        text = self.string_to_sign(canonical)
        if not is_same_signature(self._sign(text, account.secret_key), received):
            raise wrong_signature(account, received, text, canonical)


def host_header(request: Request) -> str:
    """Return the Host header as a client sends it for this request, which is without a default port."""
    return request.host.removesuffix(_DEFAULT_PORTS.get(request.scheme, ""))


def parse_timestamp(text: str) -> datetime | None:
    """Return the moment of a text such as ``20130524T000000Z``, or None if it is not valid."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime(*map(int, match.groups()), tzinfo=UTC)  # type: ignore[arg-type,misc]  # six integers
    except ValueError:
        return None


def render_timestamp(moment: datetime) -> str:
    """Return a moment in UTC as ``20130524T000000Z``."""
    return f"{moment.year:04d}{moment:%m%dT%H%M%SZ}"


@dataclass(frozen=True, slots=True)
class ErrorForm:
    """How the errors of one form of credentials are worded.

    Args:
        row: The row of the error table.
        beginning: The text in front of what is wrong with the credential.
    """

    row: ErrorCode
    beginning: str

    def error(self, text: str, *, explanation: str = "", **elements: str) -> ErrorResponse:
        """Return the error for a credential with a message that ends in `text`."""
        return ErrorResponse(self.row, f"{self.beginning}{text}", explanation=explanation, elements=elements)


_HEADER = ErrorForm(AUTHORIZATION_HEADER_MALFORMED, "The authorization header is malformed; ")


def query_error_form(rules: AuthRules) -> ErrorForm:
    """Return how errors about the parameter ``X-Amz-Credential`` are worded."""
    return ErrorForm(AUTHORIZATION_QUERY_PARAMETERS, f"Error parsing the {rules.parameter('Credential')} parameter; ")


def parse_credential(text: str, form: ErrorForm) -> tuple[str, Scope]:
    """Return the access key and the scope of ``<access key>/YYYYMMDD/REGION/SERVICE/aws4_request``.

    Raises:
        ErrorResponse: If the text does not have this form.
    """
    parts = text.rsplit("/", 4)
    if len(parts) != 5 or not parts[0]:
        raise form.error(
            'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
            explanation=f"the credential has {text.count('/') + 1} parts separated by slashes; expected five, which are"
            " access key, date, region, service and aws4_request",
        )
    return parts[0], Scope(*parts[1:])


def check_scope(scope: Scope, timestamp: str, form: ErrorForm, rules: AuthRules) -> None:
    """Check the scope of a signature against the request's date and the store's region.

    Raises:
        ErrorResponse: If one of its parts is wrong.
    """
    date = parse_timestamp(f"{scope.date}T000000Z")
    if date is None:
        raise form.error(
            f'incorrect date format "{scope.date}". This date in the credential must be in the format "yyyyMMdd".'
        )
    if scope.date != timestamp[:8]:
        raise form.error(
            f'Invalid credential date "{scope.date}". This date is not the same as {rules.parameter("Date")}:'
            f' "{timestamp[:8]}".'
        )
    if rules.region is not None and scope.region != rules.region:
        raise form.error(
            f"the region '{scope.region}' is wrong; expecting '{rules.region}'",
            explanation=f"the request is signed for the region {scope.region!r} and the store is in {rules.region!r};"
            f" configure the client with the region {rules.region!r}",
            Region=rules.region,
        )
    if scope.service != SERVICE:
        raise form.error(f'incorrect service "{scope.service}". This endpoint belongs to "{SERVICE}".')
    if scope.terminal != TERMINAL:
        raise form.error(f'incorrect terminal "{scope.terminal}". This endpoint uses "{TERMINAL}".')


def check_signed_headers(request: Request, signed_headers: frozenset[str], rules: AuthRules) -> None:
    """Check that Host and every header of the dialect is signed.

    The header with the hash of the body need not be, because its value is signed in any case (fact presigned-011).

    Raises:
        ErrorResponse: AccessDenied, with the names of the headers that are not signed.
    """
    exempt = rules.header("content-sha256")
    unsigned = [
        name
        for name in request.headers
        if name.startswith(rules.header_prefix) and name not in signed_headers and name != exempt
    ]
    if "host" not in signed_headers:
        unsigned.append("host")
    if unsigned:
        names = ", ".join(sorted(unsigned))
        raise ACCESS_DENIED.error(
            "There were headers present in the request which were not signed",
            explanation=f"the request was sent with headers that its signature does not cover: {names}. Host and every"
            f" header that begins with {rules.header_prefix!r} must be signed",
            HeadersNotSigned=names,
        )


def parse_signed_headers(text: str) -> frozenset[str]:
    """Return the names in a list such as ``host;x-amz-date``."""
    return frozenset(text.lower().split(";"))


def parse_authorization(authorization: str) -> Credentials:
    """Return the credentials in ``AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...``.

    Raises:
        ErrorResponse: AuthorizationHeaderMalformed.
    """
    parts: dict[str, str] = {}
    for part in authorization.partition(" ")[2].split(","):
        name, equals, value = part.strip(" \t").partition("=")
        if not equals or name in parts:
            raise _HEADER.error(
                "the authorization header requires three components: Credential, SignedHeaders, and Signature.",
                explanation="a part of the Authorization header is repeated or has no '='",
            )
        parts[name] = value
    missing = [name for name in ("Credential", "SignedHeaders", "Signature") if not parts.get(name)]
    if missing:
        raise _HEADER.error(
            "the authorization header requires three components: Credential, SignedHeaders, and Signature.",
            explanation=f"the Authorization header lacks {' and '.join(missing)}",
        )
    access_key_id, scope = parse_credential(parts["Credential"], _HEADER)
    return Credentials(access_key_id, scope, parse_signed_headers(parts["SignedHeaders"]), parts["Signature"])


def _payload(signed: SignedRequest, account: Account, signature: str, rules: AuthRules) -> Payload:
    """Return how the body of a signed request is decoded and checked."""
    request, payload_hash = signed.request, signed.payload_hash
    if payload_hash in CHUNKED_PAYLOADS:
        signer = None
        if rules.verify:
            key = signing_key(account.secret_key, signed.scope)
            signer = ChunkSigner(account, key, signed.timestamp, str(signed.scope), signature)
        return chunked_payload(request, rules, payload_hash, signer)
    if payload_hash == UNSIGNED or not rules.verify:
        return unsigned_payload(request, rules)
    if not _SHA256.fullmatch(payload_hash):
        name = rules.header("content-sha256")
        raise invalid_argument(
            name,
            payload_hash,
            f"{name} must be {UNSIGNED}, {', '.join(sorted(CHUNKED_PAYLOADS))} or a valid sha256 value.",
            explanation=f"{name} is {payload_hash!r}",
        )
    return HashedPayload(payload_hash)


@dataclass(frozen=True, slots=True)
class Version4Header:
    """``Authorization: AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...``."""

    name: str = "an Authorization header with signature version 4"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return no parameters: the credentials are in a header."""
        return frozenset()

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Whether the Authorization header begins with ``AWS4-HMAC-SHA256``."""
        authorization = request.headers.get("authorization")
        return authorization is not None and authorization.partition(" ")[0] == ALGORITHM

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the request.

        Raises:
            ErrorResponse: AuthorizationHeaderMalformed, InvalidAccessKeyId, AccessDenied, RequestTimeTooSkewed,
                InvalidRequest, InvalidArgument, SignatureDoesNotMatch or MissingContentLength.
        """
        credentials = parse_authorization(request.headers.get("authorization", ""))
        account = find_account(accounts, credentials.access_key_id)
        sent, moment = self._date(request, rules)
        check_clock_skew(moment, sent, now, iso_date(now), rules)
        signed = SignedRequest(
            request,
            address.query,
            credentials.signed_headers,
            self._payload_hash(request, rules),
            render_timestamp(moment),
            credentials.scope,
        )
        if rules.verify:
            signed.verify(account, credentials.signature, _HEADER, rules)
        return Authentication(account, _payload(signed, account, credentials.signature, rules))

    def _payload_hash(self, request: Request, rules: AuthRules) -> str:
        name = rules.header("content-sha256")
        payload_hash = request.headers.get(name)
        if payload_hash is None and rules.verify:
            raise INVALID_REQUEST.error(
                f"Missing required header for this request: {name}",
                explanation=f"signature version 4 needs this header with the SHA-256 of the body, or {UNSIGNED}",
            )
        return payload_hash or UNSIGNED

    def _date(self, request: Request, rules: AuthRules) -> tuple[str, datetime]:
        name = rules.header("date")
        own = request.headers.get(name)
        sent = own if own is not None else request.headers.get("date", "")
        moment = parse_timestamp(sent)
        if moment is None and own is None:
            moment = parse_http_date(sent)
        if moment is None:
            raise ACCESS_DENIED.error(
                f"AWS authentication requires a valid Date or {name} header",
                explanation=f"the date of the request is {sent!r}; expected {name} in the form '20130524T000000Z'",
            )
        return sent, moment

    def sign(
        self, request: Request, address: Address, account: Account, now: datetime, rules: AuthRules
    ) -> dict[str, str]:
        """Return the date, the hash of the body and Authorization.

        A body in memory is hashed. The hash of another body is left open, with ``UNSIGNED-PAYLOAD``.
        """
        moment = parse_timestamp(request.headers.get(rules.header("date"), "")) or now
        timestamp = render_timestamp(moment)
        payload_hash = request.headers.get(rules.header("content-sha256"))
        if payload_hash is None:
            payload_hash = hashlib.sha256(request.body).hexdigest() if isinstance(request.body, bytes) else UNSIGNED
        added = {
            _titled(rules, "date"): timestamp,
            _titled(rules, "content-sha256"): payload_hash,
        }
        request = with_headers(request, added)
        names = names_to_sign(request, rules)
        scope = Scope(timestamp[:8], rules.home_region)
        signed = SignedRequest(request, address.query, names, payload_hash, timestamp, scope)
        added["Authorization"] = (
            f"{ALGORITHM} Credential={account.access_key_id}/{scope},SignedHeaders={';'.join(sorted(names))},"
            f"Signature={signed.signature(account.secret_key)}"
        )
        return added


def names_to_sign(request: Request, rules: AuthRules) -> frozenset[str]:
    """Return the names of the headers that the store signs: those that must be, Content-Type and Content-MD5."""
    optional = {"content-md5", "content-type"}
    return frozenset(
        ["host", *(name for name in request.headers if name in optional or name.startswith(rules.header_prefix))]
    )


def _titled(rules: AuthRules, name: str) -> str:
    return rules.header(name).title()


@dataclass(frozen=True, slots=True)
class PresignedQuery:
    """The parameters of a presigned URL.

    Args:
        credentials: The credentials.
        timestamp: The date of the URL, for example ``20130524T000000Z``.
        moment: The same date.
        expires: The element for the error of an expired URL: the parameter ``X-Amz-Expires`` and its text.
        valid_for: How long the URL is valid after its date.
    """

    credentials: Credentials
    timestamp: str
    moment: datetime
    expires: Mapping[str, str]
    valid_for: timedelta

    @classmethod
    def parse(cls, query: Mapping[str, str], rules: AuthRules) -> PresignedQuery:
        """Return the parameters of a presigned URL.

        Raises:
            ErrorResponse: AuthorizationQueryParametersError, if one of them is missing or invalid.
        """
        names = {name: rules.parameter(name) for name in _REQUIRED}
        _check_parameters_are_there(query, list(names.values()))
        values = {name: query[full_name] for name, full_name in names.items()}
        if values["Algorithm"] != ALGORITHM:
            raise AUTHORIZATION_QUERY_PARAMETERS.error(
                f'{names["Algorithm"]} only supports "{ALGORITHM}"',
                explanation=f"{names['Algorithm']} is {values['Algorithm']!r}",
            )
        access_key_id, scope = parse_credential(values["Credential"], query_error_form(rules))
        moment = _parse_date(values["Date"], names["Date"])
        valid_for = _valid_for(values["Expires"], names["Expires"])
        signed_headers = parse_signed_headers(values["SignedHeaders"])
        credentials = Credentials(access_key_id, scope, signed_headers, values["Signature"])
        return cls(credentials, values["Date"], moment, {names["Expires"]: values["Expires"]}, valid_for)

    def check_time(self, now: datetime, rules: AuthRules) -> None:
        """Check that the URL is valid now.

        Raises:
            ErrorResponse: AccessDenied, if the URL has expired or is not valid yet.
        """
        if rules.max_clock_skew is not None and self.moment - now > rules.max_clock_skew:
            raise ACCESS_DENIED.error(
                "Request is not valid yet",
                explanation=f"the presigned URL is dated {iso_date(self.moment)} and the store's clock says"
                f" {iso_date(now)}; check the clocks",
                ServerTime=iso_date(now),
            )
        if now - self.moment > self.valid_for:
            raise expired(self.moment + self.valid_for, now, **self.expires)


@dataclass(frozen=True, slots=True)
class Version4Query:
    """A presigned URL with ``X-Amz-Algorithm``, ``X-Amz-Credential``, ``X-Amz-Signature`` and so on."""

    name: str = "a presigned URL with signature version 4"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return the parameters of the credentials."""
        return frozenset(map(rules.parameter, (*_REQUIRED, "Content-Sha256", "Security-Token")))

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Whether the query has an algorithm, a credential or a signature of this form."""
        return any(rules.parameter(name) in address.query for name in ("Algorithm", "Credential", "Signature"))

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the URL.

        Raises:
            ErrorResponse: AuthorizationQueryParametersError, InvalidAccessKeyId, AccessDenied, InvalidArgument,
                SignatureDoesNotMatch or MissingContentLength.
        """
        presigned = PresignedQuery.parse(address.query, rules)
        credentials = presigned.credentials
        account = find_account(accounts, credentials.access_key_id)
        presigned.check_time(now, rules)
        payload_hash = address.query.get(rules.parameter("Content-Sha256"))
        if payload_hash is None:
            payload_hash = request.headers.get(rules.header("content-sha256"), UNSIGNED)
        signature_name = rules.parameter("Signature")
        signed = SignedRequest(
            request,
            {name: value for name, value in address.query.items() if name != signature_name},
            credentials.signed_headers,
            payload_hash,
            presigned.timestamp,
            credentials.scope,
        )
        if rules.verify:
            signed.verify(account, credentials.signature, query_error_form(rules), rules)
        return Authentication(account, _payload(signed, account, credentials.signature, rules))

    def presign(
        self,
        request: Request,
        address: Address,
        account: Account,
        now: datetime,
        expires_in: timedelta,
        rules: AuthRules,
    ) -> str:
        """Return the presigned URL of the request. Headers of the request are signed and must be sent again.

        Raises:
            ValueError: If `expires_in` is not between 1 second and 7 days.
        """
        if not timedelta(seconds=1) <= expires_in <= LONGEST_EXPIRY:
            raise ValueError(f"expires_in must be between 1 second and 7 days, but it is {expires_in}")
        timestamp = render_timestamp(now)
        scope = Scope(timestamp[:8], rules.home_region)
        names = names_to_sign(request, rules)
        added = {
            rules.parameter("Algorithm"): ALGORITHM,
            rules.parameter("Credential"): f"{account.access_key_id}/{scope}",
            rules.parameter("Date"): timestamp,
            rules.parameter("Expires"): str(int(expires_in.total_seconds())),
            rules.parameter("SignedHeaders"): ";".join(sorted(names)),
        }
        payload_hash = request.headers.get(rules.header("content-sha256"), UNSIGNED)
        signed = SignedRequest(request, {**address.query, **added}, names, payload_hash, timestamp, scope)
        added[rules.parameter("Signature")] = signed.signature(account.secret_key)
        return url_with_query(request, added)


def _check_parameters_are_there(query: Mapping[str, str], required: list[str]) -> None:
    missing = [name for name in required if name not in query]
    if missing:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            "Query-string authentication version 4 requires the"
            f" {', '.join(required[:-1])}, and {required[-1]} parameters.",
            explanation=f"the presigned URL lacks {', '.join(missing)}",
        )


def _parse_date(text: str, name: str) -> datetime:
    moment = parse_timestamp(text)
    if moment is None:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f"{name} must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", explanation=f"{name} is {text!r}"
        )
    return moment


def _valid_for(text: str, name: str) -> timedelta:
    if not _SECONDS.fullmatch(text):
        raise AUTHORIZATION_QUERY_PARAMETERS.error(f"{name} should be a number", explanation=f"{name} is {text!r}")
    seconds = int(text)
    if seconds < 0:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(f"{name} must be non-negative", explanation=f"{name} is {text!r}")
    if seconds > LONGEST_EXPIRY.total_seconds():
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f"{name} must be less than a week (in seconds); that is, the given {name} must be less than 604800 seconds",
            explanation=f"{name} is {text!r}",
        )
    return timedelta(seconds=seconds)
