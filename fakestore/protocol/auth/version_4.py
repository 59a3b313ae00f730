"""Signature version 4, with HMAC-SHA256: in the Authorization header, in a presigned URL and in a form."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from fakestore.errors import (
    ACCESS_DENIED,
    AUTHORIZATION_HEADER_MALFORMED,
    AUTHORIZATION_QUERY_PARAMETERS,
    INVALID_REQUEST,
    ErrorResponse,
    UnsupportedRequest,
)
from fakestore.http.form import require_field
from fakestore.http.message import Request, with_headers
from fakestore.http.values import parse_http_date
from fakestore.messages import counted, iso_date
from fakestore.model.accounts import Account
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.payload import UNSIGNED, signed_payload
from fakestore.protocol.auth.scheme import (
    OWN_SCHEME,
    AuthSettings,
    Claim,
    FormScheme,
    HeaderScheme,
    Payload,
    QueryScheme,
    SignatureComparison,
    SignatureProperties,
    SigningContext,
    check_clock_skew,
    expired,
    is_other_version_4,
    with_presigned_for,
    with_signed_for,
)
from fakestore.protocol.auth.signed_request import (
    ALGORITHM,
    SignedRequest,
    SigningScope,
    parse_iso_basic,
    render_iso_basic,
)

#: The longest time for which a presigned URL can be valid.
LONGEST_EXPIRY = timedelta(days=7)

_PARAMETERS = ("Algorithm", "Credential", "Signature", "Date", "SignedHeaders", "Expires")
_FIELDS = ("Algorithm", "Credential", "Date", "Signature")
_SECONDS = re.compile(r"-?[0-9]{1,12}")


@dataclass(frozen=True)
class Version4Header(HeaderScheme):
    """``Authorization: AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...``."""

    name = "an Authorization header with signature version 4"

    def authorization_word(self, scheme_word: str) -> str:
        return ALGORITHM

    def read(self, request: Request, address: Address, settings: AuthSettings) -> Claim:
        parts = _parse_authorization(request.headers.by_name.get("authorization", ""))
        access_key_id, scope = _HeaderClaim.parse_credential(parts["Credential"], settings)
        hash_name = settings.header("content-sha256")
        payload_hash = request.headers.by_name.get(hash_name)
        if not payload_hash:
            raise INVALID_REQUEST.error(
                f"Missing required header for this request: {hash_name}",
                explanation=f"signature version 4 needs the header {hash_name} with the SHA-256 of the body, or"
                f" {UNSIGNED}",
            )
        own_date = request.headers.by_name.get(settings.header("date"))
        date = request.headers.by_name.get("date", "") if own_date is None else own_date
        moment = parse_iso_basic(date)
        if moment is None and own_date is None:
            moment = parse_http_date(date)
        signed = SignedRequest(
            request,
            address.query,
            _parse_names(parts["SignedHeaders"]),
            payload_hash,
            date if moment is None else render_iso_basic(moment),
            scope,
        )
        return _HeaderClaim(access_key_id, parts["Signature"], settings, scope, signed, date, moment)

    def sign(self, request: Request, address: Address, context: SigningContext) -> dict[str, str]:
        """Return the date, the hash of the body and Authorization.

        A body in memory is hashed. For any other body, the hash is ``UNSIGNED-PAYLOAD``.
        """
        account, settings = context.account, context.settings
        moment = parse_iso_basic(request.headers.by_name.get(settings.header("date"), "")) or context.now
        timestamp = render_iso_basic(moment)
        payload_hash = request.headers.by_name.get(settings.header("content-sha256"))
        if payload_hash is None:
            payload_hash = hashlib.sha256(request.body).hexdigest() if isinstance(request.body, bytes) else UNSIGNED
        added = {settings.parameter("Date"): timestamp, settings.parameter("Content-Sha256"): payload_hash}
        request = with_headers(request, added)
        names = _names_to_sign(request, settings)
        scope = SigningScope(timestamp[:8], context.region)
        signed = SignedRequest(request, address.query, names, payload_hash, timestamp, scope)
        added["Authorization"] = (
            f"{ALGORITHM} Credential={account.access_key_id}/{scope},SignedHeaders={';'.join(sorted(names))},"
            f"Signature={signed.signature(account)}"
        )
        return added


@dataclass(frozen=True)
class Version4Query(QueryScheme):
    """A presigned URL with ``X-Amz-Algorithm``, ``X-Amz-Credential``, ``X-Amz-Signature`` and so on."""

    name = "a presigned URL with signature version 4"

    def credential_parameters(self, settings: AuthSettings) -> frozenset[str]:
        return frozenset(map(settings.parameter, (*_PARAMETERS, "Content-Sha256", "Security-Token")))

    def is_used_by(self, request: Request, address: Address, settings: AuthSettings) -> bool:
        return any(settings.parameter(name) in address.query for name in ("Algorithm", "Credential", "Signature"))

    def read(self, request: Request, address: Address, settings: AuthSettings) -> Claim:
        names = [settings.parameter(name) for name in _PARAMETERS]
        missing = [name for name in names if name not in address.query]
        if missing:
            raise AUTHORIZATION_QUERY_PARAMETERS.error(
                "Query-string authentication version 4 requires the"
                f" {', '.join(names[:-1])}, and {names[-1]} parameters.",
                explanation=f"the presigned URL lacks {', '.join(missing)}",
            )
        algorithm, credential, received, date, signed_headers, expires = (address.query[name] for name in names)
        _check_algorithm(algorithm, settings)
        access_key_id, scope = _QueryClaim.parse_credential(credential, settings)
        moment = _parse_date(date, settings)
        named = address.query.get(settings.parameter("Content-Sha256"))
        payload_hash = named or request.headers.by_name.get(settings.header("content-sha256")) or UNSIGNED
        signed_query = {name: value for name, value in address.query.items() if name != settings.parameter("Signature")}
        signed = SignedRequest(request, signed_query, _parse_names(signed_headers), payload_hash, date, scope)
        return _QueryClaim(access_key_id, received, settings, scope, signed, moment, expires)

    def presign(
        self, request: Request, address: Address, context: SigningContext, expires_in: timedelta
    ) -> dict[str, str]:
        """Return the parameters of the credentials. Headers of the request are signed and must be sent again."""
        if not timedelta(seconds=1) <= expires_in <= LONGEST_EXPIRY:
            raise ValueError(f"expires_in must be between 1 second and 7 days, but it is {expires_in}")
        account, settings = context.account, context.settings
        timestamp = render_iso_basic(context.now)
        scope = SigningScope(timestamp[:8], context.region)
        names = _names_to_sign(request, settings)
        added = {
            settings.parameter("Algorithm"): ALGORITHM,
            settings.parameter("Credential"): f"{account.access_key_id}/{scope}",
            settings.parameter("Date"): timestamp,
            settings.parameter("Expires"): str(int(expires_in.total_seconds())),
            settings.parameter("SignedHeaders"): ";".join(sorted(names)),
        }
        payload_hash = request.headers.by_name.get(settings.header("content-sha256"), UNSIGNED)
        signed = SignedRequest(request, {**address.query, **added}, names, payload_hash, timestamp, scope)
        added[settings.parameter("Signature")] = signed.signature(account)
        return added


@dataclass(frozen=True)
class Version4Form(FormScheme):
    """A form with the fields ``policy``, ``X-Amz-Algorithm``, ``X-Amz-Credential`` and so on."""

    name = "form fields with signature version 4"

    def credential_fields(self, settings: AuthSettings) -> frozenset[str]:
        return frozenset(settings.header(name.lower()) for name in (*_FIELDS, "Security-Token"))

    def is_used_by(self, fields: Mapping[str, str], settings: AuthSettings) -> bool:
        return any(settings.header(name.lower()) in fields for name in _FIELDS)

    def read(self, fields: Mapping[str, str], settings: AuthSettings) -> Claim:
        algorithm, credential, date, received = (require_field(fields, settings.parameter(name)) for name in _FIELDS)
        policy = require_field(fields, "policy").encode()
        _check_algorithm(algorithm, settings)
        access_key_id, scope = _FormClaim.parse_credential(credential, settings)
        _parse_date(date, settings)
        return _FormClaim(access_key_id, received, settings, scope, date, policy)


@dataclass(frozen=True)
class _ScopedClaim(Claim):
    settings: AuthSettings
    scope: SigningScope

    @classmethod
    def parse_credential(cls, text: str, settings: AuthSettings) -> tuple[str, SigningScope]:
        """Return access key and scope of ``<access key>/YYYYMMDD/REGION/SERVICE/aws4_request``."""
        access_key_id, *scope = text.rsplit("/", 4)
        if len(scope) != 4 or not access_key_id:
            reason = "the access key in the credential is empty"
            if len(scope) != 4:
                reason = f"the credential has {counted(len(scope) + 1, 'part')}"
            raise cls.credential_error(
                settings,
                'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
                explanation=f"{reason}; expected five parts separated by slashes: access key, date, region, service and"
                " aws4_request",
            )
        return access_key_id, SigningScope(*scope)

    @classmethod
    def credential_error(cls, settings: AuthSettings, problem: str, *, explanation: str) -> ErrorResponse:
        """Return the error for the credential, which is a parameter of the query or a field of a form."""
        name = settings.parameter("Credential")
        message = f"Error parsing the {name} parameter; {problem}"
        return ErrorResponse(AUTHORIZATION_QUERY_PARAMETERS, message, explanation=explanation)

    def check_region(self) -> None:
        """Check the region of the scope. The error names the right region, which clients follow. [regions]"""
        region, expected = self.scope.region, self.settings.region
        if expected in (None, region):
            return
        error = self.credential_error(
            self.settings,
            f"the region '{region}' is wrong; expecting '{expected}'",
            explanation=f"the scope of the signature is '{self.scope}', but this request needs"
            f" '{self.scope._replace(region=expected)}'; configure the client with the region {expected!r}",
        )
        raise error.replace(elements={"Region": expected}, service_headers={"bucket-region": expected})

    def check_scope(self, timestamp: str) -> None:
        """Check the other parts of the scope, and its date against the date of the request."""
        scope = self.scope
        expected = SigningScope(timestamp[:8], scope.region)
        if scope == expected:
            return
        explanation = f"the scope of the signature is '{scope}', but this request of {timestamp} needs '{expected}'"
        if parse_iso_basic(f"{scope.date}T000000Z") is None:
            problem = (
                f'incorrect date format "{scope.date}". This date in the credential must be in the format "yyyyMMdd".'
            )
        elif scope.date != expected.date:
            name = self.settings.parameter("Date")
            problem = f'Invalid credential date "{scope.date}". This date is not the same as {name}: "{expected.date}".'
        elif scope.service != expected.service:
            problem = f'incorrect service "{scope.service}". This endpoint belongs to "{expected.service}".'
        else:
            problem = f'incorrect terminal "{scope.terminal}". This endpoint uses "{expected.terminal}".'
        raise self.credential_error(self.settings, problem, explanation=explanation)


@dataclass(frozen=True)
class _RequestClaim(_ScopedClaim):
    signed: SignedRequest

    def check_coverage(self) -> None:
        self.check_scope(self.signed.timestamp)
        # The header with the hash may be unsigned, because its value is signed in any case (fact presigned-011).
        exempt = self.settings.header("content-sha256")
        unsigned = _required_headers(self.signed.request, self.settings) - self.signed.signed_headers - {exempt}
        if unsigned:
            names = ", ".join(sorted(unsigned))
            covered = ", ".join(sorted(filter(None, self.signed.signed_headers))) or "no header"
            raise ACCESS_DENIED.error(
                "There were headers present in the request which were not signed",
                explanation=f"the request was sent with headers that its signature does not cover: {names}. It covers"
                f" {covered}. Host and every header that begins with {self.settings.header_prefix!r} must be signed",
                HeadersNotSigned=names,
            )

    def compare(self, account: Account) -> SignatureComparison:
        comparison = self.signed.compare(account, self.received)
        if comparison.is_right:
            return comparison
        return with_signed_for(
            comparison,
            self.signed.request,
            changes=(),  # the signature names the headers that it covers, but not their values
            sign=lambda request: self.signed._replace(request=request).signature(account),
        )

    def payload(self, comparison: SignatureComparison | None) -> Payload:
        return signed_payload(self.signed, self.settings, comparison)


@dataclass(frozen=True)
class _HeaderClaim(_RequestClaim):
    date: str
    moment: datetime | None
    properties = SignatureProperties(ALGORITHM, "REST-HEADER")

    @classmethod
    def credential_error(cls, settings: AuthSettings, problem: str, *, explanation: str) -> ErrorResponse:
        message = f"The authorization header is malformed; {problem}"
        return ErrorResponse(AUTHORIZATION_HEADER_MALFORMED, message, explanation=explanation)

    @property
    def explains_errors(self) -> bool:
        return self.moment is not None

    def check_date(self, now: datetime) -> None:
        if self.moment is None:
            name = self.settings.header("date")
            raise ACCESS_DENIED.error(
                f"{self.settings.scheme_word} authentication requires a valid Date or {name} header",
                explanation=f"the date of the request is {self.date!r}; expected {name} in the form '20130524T000000Z'",
            )
        check_clock_skew(self.moment, self.date, now, iso_date, self.settings.max_clock_skew)


@dataclass(frozen=True)
class _QueryClaim(_RequestClaim):
    moment: datetime
    expires: str

    def compare(self, account: Account) -> SignatureComparison:
        return with_presigned_for(
            super().compare(account),
            self.signed.query,
            Version4Query().credential_parameters(self.settings),
            sign=lambda query: self.signed._replace(query=query).signature(account),
            headers=self.signed.signed_headers,
        )

    @property
    def properties(self) -> SignatureProperties:
        return SignatureProperties(ALGORITHM, "REST-QUERY-STRING", self.moment)

    def check_term(self) -> None:
        self._valid_for()

    def check_date(self, now: datetime) -> None:
        settings, valid_for = self.settings, self._valid_for()
        if settings.max_clock_skew is not None and self.moment - now > settings.max_clock_skew:
            raise ACCESS_DENIED.error(
                "Request is not valid yet",
                explanation=f"the presigned URL is dated {iso_date(self.moment)} and the store's clock says"
                f" {iso_date(now)}; it may be at most {settings.max_clock_skew} ahead. Check the clocks",
                ServerTime=iso_date(now),
            )
        if not valid_for or now - self.moment > valid_for:
            name = settings.parameter("Expires")
            received = f"{settings.parameter('Date')} is {self.signed.timestamp}, {name} is {self.expires}"
            raise expired(received, self.moment + valid_for, now, **{name: self.expires})

    def _valid_for(self) -> timedelta:
        name, text = self.settings.parameter("Expires"), self.expires
        if not _SECONDS.fullmatch(text):
            problem = "should be a number"
        elif int(text) < 0:
            problem = "must be non-negative"
        elif int(text) > LONGEST_EXPIRY.total_seconds():
            problem = (
                f"must be less than a week (in seconds); that is, the given {name} must be less than 604800 seconds"
            )
        else:
            return timedelta(seconds=int(text))
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f"{name} {problem}",
            explanation=f"{name} is {text!r}; expected a number of seconds from 0 to 604800 (7 days)",
        )


@dataclass(frozen=True)
class _FormClaim(_ScopedClaim):
    date: str
    policy: bytes
    properties = SignatureProperties(ALGORITHM, "POST")

    def check_coverage(self) -> None:
        self.check_scope(self.date)

    def compare(self, account: Account) -> SignatureComparison:
        expected = self.scope.sign(account.secret_key, self.policy)
        return SignatureComparison(account, self.received, expected, self.policy)


def _parse_names(signed_headers: str) -> frozenset[str]:
    return frozenset(signed_headers.lower().split(";"))


def _required_headers(request: Request, settings: AuthSettings) -> frozenset[str]:
    """Return the names of the headers that a signature must cover: Host, and the headers of the dialect."""
    return frozenset({"host", *(name for name in request.headers.by_name if name.startswith(settings.header_prefix))})


def _names_to_sign(request: Request, settings: AuthSettings) -> frozenset[str]:
    """Return the names of the headers that the store signs: the required headers, Content-Type and Content-MD5."""
    return _required_headers(request, settings) | ({"content-md5", "content-type"} & request.headers.by_name.keys())


def _parse_authorization(authorization: str) -> dict[str, str]:
    """Return the parts of ``AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...``."""
    parts: dict[str, str] = {}
    text = authorization.partition(" ")[2]
    if not text:
        raise _malformed(f"has nothing after {ALGORITHM!r}")
    for part in text.split(","):
        name, equals, value = part.strip(" \t").partition("=")
        if not equals:
            raise _malformed("has a part without '='")
        if name in parts:
            raise _malformed("has a repeated part")
        parts[name] = value
    missing = [name for name in ("Credential", "SignedHeaders", "Signature") if not parts.get(name)]
    if missing:
        raise _malformed(f"lacks {' and '.join(missing)}")
    return parts


def _malformed(reason: str) -> ErrorResponse:
    return AUTHORIZATION_HEADER_MALFORMED.error(
        "The authorization header is malformed; the authorization header requires three components: Credential,"
        " SignedHeaders, and Signature.",
        explanation=f"the Authorization header {reason}",
    )


def _parse_date(text: str, settings: AuthSettings) -> datetime:
    """Return the moment of the parameter ``X-Amz-Date``, or of the field of a form."""
    moment = parse_iso_basic(text)
    if moment is None:
        name = settings.parameter("Date")
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f"{name} must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", explanation=f"{name} is {text!r}"
        )
    return moment


def _check_algorithm(text: str, settings: AuthSettings) -> None:
    """Check the parameter ``X-Amz-Algorithm``, or the field of a form."""
    name = settings.parameter("Algorithm")
    if is_other_version_4(text):
        raise UnsupportedRequest(f"{name} is {text!r}, but this store expects {ALGORITHM!r}; {OWN_SCHEME}")
    if text != ALGORITHM:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f'{name} only supports "{ALGORITHM}"', explanation=f"{name} is {text!r}"
        )
