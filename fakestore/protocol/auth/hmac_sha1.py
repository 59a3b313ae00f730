"""The authentication of 2006: HMAC-SHA1, in the Authorization header or in the query of a presigned URL."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from fakestore.http import Request
from fakestore.http.dates import http_date, parse_http_date
from fakestore.http.integers import parse_integer
from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import ACCESS_DENIED, invalid_argument
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.base import (
    Authentication,
    AuthRules,
    SignatureForm,
    Verifier,
    check_clock_skew,
    find_account,
    headers_in_query,
    unsigned_payload,
)
from fakestore.protocol.auth.encoding import is_same_signature, url_with_query, wire_bytes, with_headers
from fakestore.protocol.auth.errors import expired, wrong_signature
from fakestore.protocol.credentials import authorization_scheme, parse_credentials

#: The query parameters that are signed with the resource.
SIGNED_PARAMETERS = frozenset(
    [
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
        "response-cache-control",
        "response-content-disposition",
        "response-content-encoding",
        "response-content-language",
        "response-content-type",
        "response-expires",
    ]
)

_IN_HEADER = SignatureForm("AWS", "REST-HEADER")
_IN_QUERY = SignatureForm("AWS", "REST-QUERY-STRING")
_QUERY_PARAMETERS = frozenset({"AWSAccessKeyId", "Expires", "Signature"})

#: Headers that botocore repeats in the query when it presigns. They are signed as they are sent, in headers.
_REPEATED_HEADERS = frozenset({"content-md5", "content-type"})


def string_to_sign(method: str, headers: Mapping[str, str], date: str, address: Address, prefix: str) -> bytes:
    """Return method, Content-MD5, Content-Type, date, the headers with `prefix` and the resource, a line each.

    The resource has the subresources in it. Header text is ISO-8859-1, the resource is UTF-8.

    Args:
        method: The method.
        headers: The headers by lower-case name.
        date: The text of the line for the date.
        address: What the request names.
        prefix: The prefix of the headers that are signed.
    """
    lines = [method, headers.get("content-md5", ""), headers.get("content-type", ""), date]
    lines += [f"{name}:{value}" for name, value in sorted(headers.items()) if name.startswith(prefix)]
    subresources = [
        f"{name}={value}" if value else name
        for name, value in sorted(address.query.items())
        if name in SIGNED_PARAMETERS
    ]
    resource = address.resource + ("?" + "&".join(subresources) if subresources else "")
    return b"\n".join([*map(wire_bytes, lines), resource.encode("utf-8", "surrogatepass")])


def sign_text(text: bytes, secret_key: str) -> str:
    """Return the base64 of the HMAC-SHA1 of a text."""
    return base64.b64encode(hmac.digest(secret_key.encode("utf-8", "surrogatepass"), text, hashlib.sha1)).decode()


def signature_by(verifier: Verifier, request: Request, address: Address, secret_key: str) -> str:
    """Return the signature that `verifier` makes.

    Raises:
        TypeError: If it is not a text.
    """
    signature: object = verifier.signature(request, address, secret_key)
    if not isinstance(signature, str):
        raise TypeError(f"the signature of a Verifier must be a str; {verifier!r} returned {signature!r}")
    return signature


class HmacSha1Header(NamedTuple):
    """``Authorization: <scheme word> <access key>:<signature>`` with a Date."""

    name: str = "an Authorization header in the form of 2006"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return no parameters: the credentials are in a header."""
        return frozenset()

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Whether the Authorization header begins with the dialect's scheme word."""
        return authorization_scheme(request.headers) == rules.scheme_word

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the request.

        Raises:
            ErrorResponse: AccessDenied, InvalidArgument, InvalidAccessKeyId, RequestTimeTooSkewed or
                SignatureDoesNotMatch.
        """
        access_key_id, signature = _read_authorization(request, rules)
        account = find_account(accounts, access_key_id)
        _check_date(request, now, rules)
        if rules.verify:
            _check_signature(request, address, account, signature, rules)
        return Authentication(account, unsigned_payload(request, rules), _IN_HEADER)

    def sign(
        self, request: Request, address: Address, account: Account, now: datetime, rules: AuthRules
    ) -> dict[str, str]:
        """Return Authorization, and Date if the request has no date yet."""
        added = {}
        if "date" not in request.headers and rules.header("date") not in request.headers:
            added["Date"] = http_date(now)
            request = with_headers(request, added)
        signature, _ = _make_signature(request, address, account, rules)
        return {**added, "Authorization": f"{rules.scheme_word} {account.access_key_id}:{signature}"}


def _make_signature(request: Request, address: Address, account: Account, rules: AuthRules) -> tuple[str, bytes | None]:
    """Return the signature of a request, and the text that is signed, which is known unless a Verifier signs."""
    if rules.verifier is not None:
        return signature_by(rules.verifier, request, address, account.secret_key), None
    # The signed date is empty if the dialect's own date header, which is signed anyway, was sent.
    date = "" if rules.header("date") in request.headers else request.headers.get("date", "")
    text = string_to_sign(request.method, request.headers, date, address, rules.header_prefix)
    return sign_text(text, account.secret_key), text


def _check_signature(request: Request, address: Address, account: Account, received: str, rules: AuthRules) -> None:
    expected, text = _make_signature(request, address, account, rules)
    if not is_same_signature(expected, received):
        raise wrong_signature(account, received, text, in_document=False)


def _read_authorization(request: Request, rules: AuthRules) -> tuple[str, str]:
    authorization = request.headers["authorization"]
    credentials = parse_credentials(authorization.partition(" ")[2])
    if credentials is None:
        raise invalid_argument(
            "Authorization",
            authorization,
            "Authorization header is invalid",
            explanation="the Authorization header does not have the form"
            f" '{rules.scheme_word} <access key>:<signature>'",
        )
    return credentials


def _check_date(request: Request, now: datetime, rules: AuthRules) -> None:
    name = rules.header("date")
    text = request.headers.get(name if name in request.headers else "date")
    moment = parse_http_date(text) if text else None
    if moment is None:
        reason = f"Date is {text!r}, which is not a valid HTTP date" if text else f"neither Date nor {name} was sent"
        raise ACCESS_DENIED.error(
            f"A valid Date or {name} header is required",
            explanation=f"{reason}; auth=store.auth() dates a request and signs it",
        )
    check_clock_skew(moment, text or "", now, http_date, rules)


class HmacSha1Query(NamedTuple):
    """A presigned URL with ``AWSAccessKeyId``, ``Expires`` and ``Signature``."""

    name: str = "a presigned URL in the form of 2006"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return the parameters of the credentials."""
        return _QUERY_PARAMETERS | _REPEATED_HEADERS

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Whether the query has an access key or a signature of this form."""
        return "Signature" in address.query or "AWSAccessKeyId" in address.query

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the URL.

        Raises:
            ErrorResponse: AccessDenied, InvalidAccessKeyId or SignatureDoesNotMatch.
        """
        query = address.query
        seconds = _read_expiry(query)
        account = find_account(accounts, query["AWSAccessKeyId"])
        if seconds < now.timestamp():
            raise expired(datetime.fromtimestamp(seconds, UTC), now)
        if rules.verify:
            text = _presigned_text(request, address, query["Expires"], rules)
            if not is_same_signature(sign_text(text, account.secret_key), query["Signature"]):
                raise wrong_signature(account, query["Signature"], text)
        return Authentication(account, unsigned_payload(request, rules), _IN_QUERY)

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
            ValueError: If `expires_in` is negative.
        """
        if expires_in < timedelta(0):
            raise ValueError(f"expires_in must not be negative, but it is {expires_in}")
        expires = str(int((now + expires_in).timestamp()))
        text = _presigned_text(request, address, expires, rules)
        return url_with_query(
            request,
            {
                "AWSAccessKeyId": account.access_key_id,
                "Expires": expires,
                "Signature": sign_text(text, account.secret_key),
            },
        )


def _read_expiry(query: Mapping[str, str]) -> int:
    """Return the moment at which a presigned URL expires, in seconds since 1970.

    Raises:
        ErrorResponse: AccessDenied, if a parameter of the credentials is missing or the moment is invalid.
    """
    missing = sorted(name for name in _QUERY_PARAMETERS if not query.get(name))
    if missing:
        raise ACCESS_DENIED.error(
            "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters",
            explanation=f"the presigned URL lacks {', '.join(missing)}",
        )
    expires = query["Expires"]
    seconds = parse_integer(expires)
    if seconds is None:
        raise ACCESS_DENIED.error(
            f"Invalid date (should be seconds since epoch): {expires}",
            explanation=f"Expires is {expires!r}; expected the number of seconds since 1970-01-01T00:00:00Z",
        )
    return seconds


def _presigned_text(request: Request, address: Address, expires: str, rules: AuthRules) -> bytes:
    # Headers in the query count as sent, so that the metadata of an upload can be part of its URL (fact presigned-008).
    headers = {**headers_in_query(address, rules, _QUERY_PARAMETERS), **request.headers}
    return string_to_sign(request.method, headers, expires, address, rules.header_prefix)
