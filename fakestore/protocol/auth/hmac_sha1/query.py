"""Signature version 2 in the query of a presigned URL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from fakestore.http import Request
from fakestore.http.integers import parse_integer
from fakestore.model.accounts import Accounts
from fakestore.model.errors import ACCESS_DENIED
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.encoding import headers_in_query
from fakestore.protocol.auth.errors import SignatureComparison, expired
from fakestore.protocol.auth.hmac_sha1.string_to_sign import (
    compare_texts,
    sign_text,
    signable_addresses,
    string_to_sign,
)
from fakestore.protocol.auth.payload import unsigned_payload
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.scheme import VERSION_2, Authentication, SignatureProperties, SigningContext

_PROPERTIES = SignatureProperties(VERSION_2, "REST-QUERY-STRING")
_PARAMETERS = frozenset({"AWSAccessKeyId", "Expires", "Signature"})

#: Headers that SDKs repeat in the query when they presign. The signature covers those that are sent, so the parameters
#: are ignored. [repeated-headers-in-the-query]
_IGNORED_PARAMETERS = frozenset({"content-md5", "content-type", "Content-MD5", "Content-Type"})


class HmacSha1Query(NamedTuple):
    """A presigned URL with ``AWSAccessKeyId``, ``Expires`` and ``Signature``."""

    name: str = "a presigned URL with signature version 2"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return the parameters of the credentials."""
        return _PARAMETERS | _IGNORED_PARAMETERS

    def authorization_word(self, scheme_word: str) -> None:
        """Return no word: the credentials are in the query."""

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Return whether the query has an access key or a signature of this scheme."""
        return "Signature" in address.query or "AWSAccessKeyId" in address.query

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the URL.

        Raises:
            ErrorResponse: AccessDenied, InvalidAccessKeyId or SignatureDoesNotMatch.
        """
        access_key_id, expires, _ = _read_credentials(address.query)
        seconds = _read_expiry(expires)
        account = accounts.find(access_key_id)
        if seconds < now.timestamp():
            raise expired(f"Expires is {expires}", datetime.fromtimestamp(seconds, UTC), now)
        if rules.verify:
            self.compare(request, address, accounts, rules).check()
        return Authentication(account, unsigned_payload(request, rules, checks_hash=True), _PROPERTIES)

    def compare(self, request: Request, address: Address, accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        """Return the received signature and what the store would have signed.

        Raises:
            ErrorResponse: AccessDenied or InvalidAccessKeyId.
        """
        access_key_id, expires, signature = _read_credentials(address.query)
        account = accounts.find(access_key_id)
        texts = [_presigned_text(request, each, expires, rules) for each in signable_addresses(address)]
        return compare_texts(account, signature, texts)

    def presign(
        self, request: Request, address: Address, context: SigningContext, expires_in: timedelta
    ) -> dict[str, str]:
        """Return the parameters of the credentials. Headers of the request are signed and must be sent again.

        Raises:
            ValueError: If `expires_in` is negative.
        """
        if expires_in < timedelta(0):
            raise ValueError(f"expires_in must not be negative, but it is {expires_in}")
        expires = str(int((context.now + expires_in).timestamp()))
        text = _presigned_text(request, address, expires, context.rules)
        return {
            "AWSAccessKeyId": context.account.access_key_id,
            "Expires": expires,
            "Signature": sign_text(text, context.account.secret_key),
        }


def _read_credentials(query: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the access key, the text of Expires, and the signature.

    Raises:
        ErrorResponse: AccessDenied, if one of them is missing.
    """
    missing = sorted(name for name in _PARAMETERS if not query.get(name))
    if missing:
        raise ACCESS_DENIED.error(
            "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters",
            explanation=f"the presigned URL lacks {', '.join(missing)}",
        )
    return query["AWSAccessKeyId"], query["Expires"], query["Signature"]


def _read_expiry(expires: str) -> int:
    """Return the moment at which a presigned URL expires, in seconds since 1970.

    Raises:
        ErrorResponse: AccessDenied, if the moment is invalid.
    """
    seconds = parse_integer(expires)
    if seconds is None:
        raise ACCESS_DENIED.error(
            f"Invalid date (should be seconds since epoch): {expires}",
            explanation=f"Expires is {expires!r}; expected the number of seconds since 1970-01-01T00:00:00Z",
        )
    return seconds


def _presigned_text(request: Request, address: Address, expires: str, rules: AuthRules) -> bytes:
    # Headers in the query count as sent, so that the metadata of an upload can be part of its URL (fact presigned-008).
    headers = {**headers_in_query(address, rules, _PARAMETERS), **request.headers}
    return string_to_sign(request.method, headers, expires, address, rules.header_prefix)
