"""Who asks: the Date and Authorization headers, and the signature where it is checked."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from fakestore.http.dates import http_date, parse_http_date
from fakestore.http.request import Request
from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import (
    ACCESS_DENIED,
    INVALID_ACCESS_KEY,
    INVALID_ARGUMENT,
    REQUEST_TIME_TOO_SKEWED,
    SIGNATURE_DOES_NOT_MATCH,
)
from fakestore.protocol.addressing import Address
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.unsupported import describe_scheme, parse_credentials

#: The query parameters that are signed with the resource, as the 2006 REST authentication lists them.
SIGNED_PARAMETERS = frozenset(
    [
        "acl",
        "cors",
        "delete",
        "lifecycle",
        "location",
        "logging",
        "notification",
        "partNumber",
        "policy",
        "requestPayment",
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


class Verifier(Protocol):
    """A signature algorithm: what the store signs with, and expects. The specification leaves it open."""

    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        """The signature of ``request`` by the owner of ``secret_key``: text without blanks."""


class HmacSha1(NamedTuple):
    """The 2006 REST authentication: base64 of HMAC-SHA1 over :meth:`string_to_sign`."""

    dialect: Dialect

    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        signed = self.string_to_sign(request, address).encode("latin-1")
        digest = hmac.new(secret_key.encode(), signed, hashlib.sha1).digest()
        return base64.b64encode(digest).decode()

    def string_to_sign(self, request: Request, address: Address) -> str:
        """Verb, Content-MD5, Content-Type, Date (empty where the dialect's own date header stands in for it),
        the dialect's headers sorted, and the resource with its subresources, a line each.

        As header text is, it is ISO-8859-1: each character stands for the byte that is signed.
        """
        headers, prefix = request.headers, self.dialect.header_prefix
        date_stand_in = f"{prefix}date"
        lines = [request.method, headers.get("content-md5") or "", headers.get("content-type") or ""]
        lines.append("" if date_stand_in in headers else headers.get("date") or "")
        lines += [f"{name}:{value}" for name, value in sorted(headers.items()) if name.startswith(prefix)]
        signed = [
            f"{name}={value}" if value else name
            for name, value in sorted(address.query.items())
            if name in SIGNED_PARAMETERS
        ]
        resource = address.resource + ("?" + "&".join(signed) if signed else "")
        return "\n".join([*lines, resource.encode("utf-8", "surrogatepass").decode("latin-1")])


def signature_by(verifier: Verifier, request: Request, address: Address, secret_key: str) -> str:
    """What ``verifier`` makes of the request.

    Raises:
        TypeError: no text.
    """
    signature: object = verifier.signature(request, address, secret_key)
    if not isinstance(signature, str):
        raise TypeError(f"a Verifier's signature is text, and that of {verifier!r} is {signature!r}")
    return signature


class Authenticator(NamedTuple):
    """The rules of the specification's section 5. ``verifier`` is ``None`` where signatures are accepted unread."""

    dialect: Dialect
    verifier: Verifier | None
    max_clock_skew: timedelta | None

    def account_of(self, request: Request, address: Address, accounts: Accounts, now: datetime) -> Account:
        """The account that made the request.

        Raises:
            ErrorResponse: AccessDenied, InvalidArgument, InvalidAccessKeyId, RequestTimeTooSkewed or
                SignatureDoesNotMatch, each with what to do about it.
        """
        access_key_id, signature = self._credentials(request)
        account = accounts.by_access_key(access_key_id)
        if account is None:
            known = ", ".join(f"{each.access_key_id} ({each})" for each in accounts)
            raise INVALID_ACCESS_KEY.error(
                explanation=f"no account has the access key {access_key_id!r}; access keys: {known}."
                " The default account's is set with fake_store(access_key_id=..., secret_key=...)",
                AWSAccessKeyId=access_key_id,
            )
        self._check_date(request, now)
        if self.verifier is not None:
            expected = signature_by(self.verifier, request, address, account.secret_key)
            if not hmac.compare_digest(*(text.encode("utf-8", "surrogatepass") for text in (expected, signature))):
                signed = (
                    f" over {self.verifier.string_to_sign(request, address)!r}"
                    if isinstance(self.verifier, HmacSha1)
                    else ""
                )
                raise SIGNATURE_DOES_NOT_MATCH.error(
                    explanation=f"the signature of {account} is {signature!r}, where {expected!r} was expected{signed}",
                    AWSAccessKeyId=access_key_id,
                    SignatureProvided=signature,
                )
        return account

    def _credentials(self, request: Request) -> tuple[str, str]:
        authorization = request.headers.get("authorization")
        if authorization is None:
            raise ACCESS_DENIED.error(
                explanation="the request has no Authorization header; anonymous requests are always refused."
                " Sign it with auth=store.auth(), or send it through store.session()"
            )
        ours = self.dialect.auth_scheme
        scheme, _, text = authorization.partition(" ")
        if scheme != ours:
            raise ACCESS_DENIED.error(explanation=describe_scheme(authorization, ours))
        credentials = parse_credentials(text)
        if credentials is None:
            raise INVALID_ARGUMENT.error(
                "Authorization header is invalid",
                explanation=f"Authorization is {authorization!r}, not '{ours} <access key>:<signature>'",
                ArgumentName="Authorization",
                ArgumentValue=authorization,
            )
        return credentials

    def _check_date(self, request: Request, now: datetime) -> None:
        name = f"{self.dialect.header_prefix}date"
        text = request.headers.get(name if name in request.headers else "date")
        moment = parse_http_date(text) if text else None
        if moment is None:
            why = f"Date is {text!r}, which is no HTTP date" if text else f"neither Date nor {name} was sent"
            raise ACCESS_DENIED.error(
                f"A valid Date or {name} header is required",
                explanation=f"{why}; auth=store.auth() dates a request and signs it",
            )
        if self.max_clock_skew is not None and abs(now - moment) > self.max_clock_skew:
            raise REQUEST_TIME_TOO_SKEWED.error(
                explanation=f"the request is dated {http_date(moment)} and the store's clock says {http_date(now)};"
                f" more than {self.max_clock_skew} apart. fake_store(max_clock_skew=None) does not mind",
                RequestTime=text or "",
                ServerTime=http_date(now),
                MaxAllowedSkewMilliseconds=str(int(self.max_clock_skew.total_seconds() * 1000)),
            )
