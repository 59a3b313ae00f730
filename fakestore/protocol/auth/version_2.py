"""Signature version 2, with HMAC-SHA1: in the Authorization header, in a presigned URL and in a form."""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fakestore.errors import ACCESS_DENIED, invalid_argument
from fakestore.http.form import require_field
from fakestore.http.message import Headers, Request, with_headers
from fakestore.http.values import http_date, parse_http_date, parse_integer, wire_bytes
from fakestore.model.accounts import Account
from fakestore.model.metadata import SYSTEM_METADATA
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.payload import unsigned_payload
from fakestore.protocol.auth.scheme import (
    AuthSettings,
    Claim,
    FormScheme,
    HeaderScheme,
    Payload,
    QueryScheme,
    SignatureComparison,
    SignatureProperties,
    SigningContext,
    Verifier,
    check_clock_skew,
    expired,
    headers_in_query,
    with_presigned_for,
    with_signed_for,
)

#: The version of the signature, for conditions of policies.
VERSION_2 = "AWS"

_CREDENTIALS = re.compile(r"([^\s:]+):(\S+)")
_PARAMETERS = frozenset({"AWSAccessKeyId", "Expires", "Signature"})

#: The standard headers that are signed, besides the date.
_SIGNED_HEADERS = ("content-md5", "content-type")

#: Headers that SDKs repeat in the query when they presign. The signature covers the sent headers, so the parameters are
#: ignored. [repeated-headers-in-the-query]
_IGNORED_PARAMETERS = frozenset({"content-md5", "content-type", "Content-MD5", "Content-Type"})

#: The query parameters that are signed with the resource.
_SIGNED_PARAMETERS = {
    "accelerate",
    "acl",
    "analytics",
    "cors",
    "defaultObjectAcl",
    "delete",
    "inventory",
    "lifecycle",
    "location",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "partNumber",
    "policy",
    "replication",
    "requestPayment",
    "restore",
    "select",
    "select-type",
    "storageClass",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versionId",
    "versioning",
    "versions",
    "website",
    *(f"response-{name}" for name in SYSTEM_METADATA),
}


@dataclass(frozen=True)
class Version2Header(HeaderScheme):
    """``Authorization: <scheme word> <access key>:<signature>`` with a Date."""

    name = "an Authorization header with signature version 2"

    def authorization_word(self, scheme_word: str) -> str:
        return scheme_word

    def read(self, request: Request, address: Address, settings: AuthSettings) -> Claim:
        authorization = request.headers.by_name["authorization"]
        credentials = _CREDENTIALS.fullmatch(authorization.partition(" ")[2])
        if credentials is None:
            raise invalid_argument(
                "Authorization",
                authorization,
                "Authorization header is invalid",
                explanation="the Authorization header does not have the form"
                f" '{settings.scheme_word} <access key>:<signature>'",
            )
        access_key_id, received = credentials.groups()
        return _HeaderClaim(access_key_id, received, request, address, settings)

    def sign(self, request: Request, address: Address, context: SigningContext) -> dict[str, str]:
        """Return Authorization, and Date if the request has no date yet."""
        account, settings, added = context.account, context.settings, {}
        if request.headers.by_name.keys().isdisjoint(("date", f"{settings.header_prefix}date")):
            added["Date"] = http_date(context.now)
            request = with_headers(request, added)
        if settings.verifier is not None:
            signature = _signature_by(settings.verifier, request, address, account.secret_key)
        else:
            signature = _sign_text(_string_to_sign(request, address, settings), account.secret_key)
        return {**added, "Authorization": f"{settings.scheme_word} {account.access_key_id}:{signature}"}


@dataclass(frozen=True)
class Version2Query(QueryScheme):
    """A presigned URL with ``AWSAccessKeyId``, ``Expires`` and ``Signature``."""

    name = "a presigned URL with signature version 2"

    def credential_parameters(self, settings: AuthSettings) -> frozenset[str]:
        return _PARAMETERS | _IGNORED_PARAMETERS

    def is_used_by(self, request: Request, address: Address, settings: AuthSettings) -> bool:
        return "Signature" in address.query or "AWSAccessKeyId" in address.query

    def read(self, request: Request, address: Address, settings: AuthSettings) -> Claim:
        query = address.query
        missing = sorted(name for name in _PARAMETERS if not query.get(name))
        if missing:
            raise ACCESS_DENIED.error(
                "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters",
                explanation=f"the presigned URL lacks {', '.join(missing)}",
            )
        return _QueryClaim(query["AWSAccessKeyId"], query["Signature"], request, address, settings, query["Expires"])

    def presign(
        self, request: Request, address: Address, context: SigningContext, expires_in: timedelta
    ) -> dict[str, str]:
        """Return the parameters of the credentials. Headers of the request are signed and must be sent again."""
        if expires_in < timedelta(0):
            raise ValueError(f"expires_in must not be negative, but it is {expires_in}")
        expires = str(int((context.now + expires_in).timestamp()))
        text = _string_to_sign(request, address, context.settings, expires)
        return {
            "AWSAccessKeyId": context.account.access_key_id,
            "Expires": expires,
            "Signature": _sign_text(text, context.account.secret_key),
        }


@dataclass(frozen=True)
class Version2Form(FormScheme):
    """A form with the fields ``AWSAccessKeyId``, ``policy`` and ``signature``."""

    name = "form fields with signature version 2"

    def credential_fields(self, settings: AuthSettings) -> frozenset[str]:
        return frozenset({"awsaccesskeyid", "signature", settings.header("security-token")})

    def is_used_by(self, fields: Mapping[str, str], settings: AuthSettings) -> bool:
        return "awsaccesskeyid" in fields or "signature" in fields

    def read(self, fields: Mapping[str, str], settings: AuthSettings) -> Claim:
        names = ("AWSAccessKeyId", "Signature", "policy")
        access_key_id, received, policy = (require_field(fields, name) for name in names)
        return _FormClaim(access_key_id, received, policy.encode())


@dataclass(frozen=True)
class _RequestClaim(Claim):
    request: Request
    address: Address
    settings: AuthSettings
    #: The parameter ``Expires``; empty if the signature is in a header.
    expires: str = ""

    def compare(self, account: Account) -> SignatureComparison:
        address = self.address
        comparison = self._compare(account, address)
        if comparison.is_right or address.scope != "bucket" or address.resource.endswith("/"):
            return comparison
        # If the path is only a bucket, such as ``/photos``, botocore signs ``/photos/``. [signature]
        as_botocore = self._compare(account, address._replace(resource=f"{address.resource}/"))
        return as_botocore if as_botocore.is_right else comparison

    def _compare(self, account: Account, address: Address) -> SignatureComparison:
        text = self._text(self.request, address)
        comparison = SignatureComparison(account, self.received, _sign_text(text, account.secret_key), text)
        if comparison.is_right:
            return comparison
        return with_signed_for(
            comparison,
            self.request,
            changes=self._other_headers(),
            sign=lambda request: _sign_text(self._text(request, address), account.secret_key),
        )

    def _text(self, request: Request, address: Address) -> bytes:
        return _string_to_sign(request, address, self.settings, self.expires)

    def _other_headers(self) -> Iterator[Headers]:
        """Yield the headers of the request as the query repeats them, without each one, and without all of them."""
        sent = self.request.headers.by_name
        signed = [name for name in sent if name in _SIGNED_HEADERS or name.startswith(self.settings.header_prefix)]
        repeated = {name.lower(): value for name, value in self.address.query.items()}
        yield Headers(sent | {name: value for name, value in repeated.items() if name in (*signed, *_SIGNED_HEADERS)})
        for names in (*([name] for name in signed), signed):
            yield Headers({name: value for name, value in sent.items() if name not in names})

    def payload(self, comparison: SignatureComparison | None) -> Payload:
        return unsigned_payload(self.request, self.settings, checks_hash=True)


@dataclass(frozen=True)
class _HeaderClaim(_RequestClaim):
    properties = SignatureProperties(VERSION_2, "REST-HEADER")

    def check_date(self, now: datetime) -> None:
        name, headers = f"{self.settings.header_prefix}date", self.request.headers.by_name
        text = headers.get(name, headers.get("date", ""))
        moment = parse_http_date(text)
        if moment is None:
            reason = (
                f"Date is {text!r}, which is not a valid HTTP date" if text else f"neither Date nor {name} was sent"
            )
            raise ACCESS_DENIED.error(
                f"A valid Date or {name} header is required",
                explanation=f"{reason}; date the request and sign it, for example with auth=store.auth()",
            )
        check_clock_skew(moment, text, now, http_date, self.settings.max_clock_skew)

    def compare(self, account: Account) -> SignatureComparison:
        if self.settings.verifier is None:
            return super().compare(account)
        expected = _signature_by(self.settings.verifier, self.request, self.address, account.secret_key)
        return SignatureComparison(account, self.received, expected, None)

    @property
    def explains_errors(self) -> bool:
        return self.settings.verifier is None


@dataclass(frozen=True)
class _QueryClaim(_RequestClaim):
    properties = SignatureProperties(VERSION_2, "REST-QUERY-STRING")

    def compare(self, account: Account) -> SignatureComparison:
        def sign(query: Mapping[str, str]) -> str:
            return _sign_text(self._text(self.request, self.address._replace(query=query)), account.secret_key)

        return with_presigned_for(super().compare(account), self.address.query, _PARAMETERS, sign)

    def check_term(self) -> None:
        self._seconds()

    def check_date(self, now: datetime) -> None:
        seconds = self._seconds()
        if seconds < now.timestamp():
            raise expired(f"Expires is {self.expires}", datetime.fromtimestamp(seconds, UTC), now)

    def _seconds(self) -> int:
        """Return the moment at which the URL expires, in seconds since 1970."""
        seconds = parse_integer(self.expires)
        if seconds is None:
            raise ACCESS_DENIED.error(
                f"Invalid date (should be seconds since epoch): {self.expires}",
                explanation=f"Expires is {self.expires!r}; expected the number of seconds since 1970-01-01T00:00:00Z",
            )
        return seconds


@dataclass(frozen=True)
class _FormClaim(Claim):
    policy: bytes
    properties = SignatureProperties(VERSION_2, "POST")

    def compare(self, account: Account) -> SignatureComparison:
        return SignatureComparison(account, self.received, _sign_text(self.policy, account.secret_key), self.policy)


def _string_to_sign(request: Request, address: Address, settings: AuthSettings, expires: str = "") -> bytes:
    """Return method, Content-MD5, Content-Type, date, the headers of the dialect and the resource, a line each.

    The resource has the subresources in it. Header text is ISO-8859-1, the resource is UTF-8.

    Args:
        expires: The parameter ``Expires`` of a presigned URL, which is signed as the date.
    """
    headers, prefix = request.headers.by_name, settings.header_prefix
    date = expires or headers.get("date", "")
    if expires:
        # Headers in the query count as sent headers, so the URL of an upload can contain its metadata
        # (fact presigned-008).
        headers = {**headers_in_query(address, settings, _PARAMETERS), **headers}
    elif f"{prefix}date" in headers:  # the dialect's own date header is signed anyway
        date = ""
    lines = [request.method, *[headers.get(name, "") for name in _SIGNED_HEADERS], date]
    lines += [f"{name}:{value}" for name, value in sorted(headers.items()) if name.startswith(prefix)]
    subresources = [
        f"{name}={value}" if value else name
        for name, value in sorted(address.query.items())
        if name in _SIGNED_PARAMETERS
    ]
    resource = address.resource + ("?" + "&".join(subresources) if subresources else "")
    return b"\n".join([*map(wire_bytes, lines), resource.encode("utf-8", "surrogatepass")])


def _sign_text(text: bytes, secret_key: str) -> str:
    return base64.b64encode(hmac.digest(secret_key.encode("utf-8", "surrogatepass"), text, "sha1")).decode()


def _signature_by(verifier: Verifier, request: Request, address: Address, secret_key: str) -> str:
    signature: object = verifier.signature(request, address, secret_key)
    if not isinstance(signature, str):
        raise TypeError(f"the signature of a Verifier must be a str; {verifier!r} returned {signature!r}")
    return signature
