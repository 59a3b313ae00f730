"""Signature version 4 in the Authorization header."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import NamedTuple

from fakestore.http import Request
from fakestore.http.dates import parse_http_date
from fakestore.messages import iso_date
from fakestore.model.accounts import Accounts
from fakestore.model.errors import ACCESS_DENIED, AUTHORIZATION_HEADER_MALFORMED, INVALID_REQUEST, ErrorResponse
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.claim import check_clock_skew
from fakestore.protocol.auth.encoding import with_headers
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.payload import UNSIGNED
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.scheme import Authentication, SignatureProperties, SigningContext
from fakestore.protocol.auth.signing_key import SigningScope
from fakestore.protocol.auth.v4.credentials import (
    ALGORITHM,
    Credentials,
    ErrorWording,
    parse_credential,
    parse_signed_headers,
)
from fakestore.protocol.auth.v4.payload import signed_payload
from fakestore.protocol.auth.v4.signed_request import SignedRequest, names_to_sign
from fakestore.protocol.auth.v4.timestamps import parse_timestamp, render_timestamp

_PROPERTIES = SignatureProperties(ALGORITHM, "REST-HEADER")
_ERRORS = ErrorWording(AUTHORIZATION_HEADER_MALFORMED, "The authorization header is malformed; ")


class Version4Header(NamedTuple):
    """``Authorization: AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...``."""

    name: str = "an Authorization header with signature version 4"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return no parameters: the credentials are in a header."""
        return frozenset()

    def authorization_word(self, scheme_word: str) -> str:
        """Return ``AWS4-HMAC-SHA256``."""
        return ALGORITHM

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Return whether the Authorization header begins with ``AWS4-HMAC-SHA256``."""
        return request.headers.get("authorization", "").partition(" ")[0] == ALGORITHM

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the request.

        Raises:
            ErrorResponse: AuthorizationHeaderMalformed, InvalidAccessKeyId, AccessDenied, RequestTimeTooSkewed,
                InvalidRequest, InvalidArgument, SignatureDoesNotMatch or MissingContentLength.
        """
        credentials = parse_authorization(request.headers.get("authorization", ""))
        account = accounts.find(credentials.access_key_id)
        sent, moment = self._date(request, rules)
        check_clock_skew(moment, sent, now, iso_date, rules)
        signed = self._signed_request(request, address, credentials, moment, rules)
        comparison = signed.verify(account, credentials.signature, _ERRORS, rules) if rules.verify else None
        return Authentication(account, signed_payload(signed, comparison, rules), _PROPERTIES)

    def compare(self, request: Request, address: Address, accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        """Return the received signature and what the store would have signed.

        Raises:
            ErrorResponse: As :meth:`authenticate`, if the credentials, the date or the hash of the body are missing or
                malformed, or the access key is unknown.
        """
        credentials = parse_authorization(request.headers.get("authorization", ""))
        account = accounts.find(credentials.access_key_id)
        _, moment = self._date(request, rules)
        signed = self._signed_request(request, address, credentials, moment, rules)
        return signed.compare(account, credentials.signature)

    def _signed_request(
        self, request: Request, address: Address, credentials: Credentials, moment: datetime, rules: AuthRules
    ) -> SignedRequest:
        return SignedRequest(
            request,
            address.query,
            credentials.signed_headers,
            self._payload_hash(request, rules),
            render_timestamp(moment),
            credentials.scope,
        )

    def _payload_hash(self, request: Request, rules: AuthRules) -> str:
        name = rules.header("content-sha256")
        payload_hash = request.headers.get(name)
        if payload_hash is None and rules.verify:
            raise INVALID_REQUEST.error(
                f"Missing required header for this request: {name}",
                explanation=f"signature version 4 needs the header {name} with the SHA-256 of the body, or {UNSIGNED}",
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
                f"{rules.scheme_word} authentication requires a valid Date or {name} header",
                explanation=f"the date of the request is {sent!r}; expected {name} in the form '20130524T000000Z'",
            )
        return sent, moment

    def sign(self, request: Request, address: Address, context: SigningContext) -> dict[str, str]:
        """Return the date, the hash of the body and Authorization.

        A body in memory is hashed. The hash of another body is left open, with ``UNSIGNED-PAYLOAD``.
        """
        account, rules = context.account, context.rules
        moment = parse_timestamp(request.headers.get(rules.header("date"), "")) or context.now
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
        scope = SigningScope(timestamp[:8], rules.home_region)
        signed = SignedRequest(request, address.query, names, payload_hash, timestamp, scope)
        added["Authorization"] = (
            f"{ALGORITHM} Credential={account.access_key_id}/{scope},SignedHeaders={';'.join(sorted(names))},"
            f"Signature={signed.signature(account.secret_key)}"
        )
        return added


def parse_authorization(authorization: str) -> Credentials:
    """Return the credentials in ``AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...``.

    Raises:
        ErrorResponse: AuthorizationHeaderMalformed.
    """
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
    access_key_id, scope = parse_credential(parts["Credential"], _ERRORS)
    return Credentials(access_key_id, scope, parse_signed_headers(parts["SignedHeaders"]), parts["Signature"])


def _malformed(reason: str) -> ErrorResponse:
    return _ERRORS.error(
        "the authorization header requires three components: Credential, SignedHeaders, and Signature.",
        explanation=f"the Authorization header {reason}",
    )


def _titled(rules: AuthRules, name: str) -> str:
    return rules.header(name).title()
