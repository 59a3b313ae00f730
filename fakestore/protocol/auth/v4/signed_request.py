"""The parts of a request that a signature of version 4 covers, and the text that is made of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple

from fakestore.http.request import DEFAULT_PORTS, Request
from fakestore.model.accounts import Account
from fakestore.model.errors import ACCESS_DENIED
from fakestore.protocol.auth.encoding import encode_path, encode_text, wire_bytes
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.signing_key import SigningScope, hmac_sha256, signing_key
from fakestore.protocol.auth.v4.credentials import ALGORITHM, ErrorWording, check_scope

_BLANKS = re.compile(r"[ \t]{2,}|\t")


class SignedRequest(NamedTuple):
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
    scope: SigningScope

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

    def compare(self, account: Account, received: str) -> SignatureComparison:
        """Return the received signature and what the store would have signed for `account`."""
        canonical = self.canonical_request()
        text = self.string_to_sign(canonical)
        not_sent = tuple(sorted(self.signed_headers.difference(self.request.headers, {"host"})))
        return SignatureComparison(account, received, self._sign(text, account.secret_key), text, canonical, not_sent)

    def verify(self, account: Account, received: str, wording: ErrorWording, rules: AuthRules) -> SignatureComparison:
        """Check that the scope is right, that what must be signed is signed, and that `account` made the signature.

        Raises:
            ErrorResponse: AccessDenied, SignatureDoesNotMatch, or an error in this wording if the scope is wrong.
        """
        check_scope(self.scope, self.timestamp, wording, rules)
        check_signed_headers(self.request, self.signed_headers, rules)
        comparison = self.compare(account, received)
        comparison.check()
        return comparison


def host_header(request: Request) -> str:
    """Return the Host header as a client sends it for this request, which is without a default port."""
    return request.host.removesuffix(f":{DEFAULT_PORTS.get(request.scheme)}")


def names_to_sign(request: Request, rules: AuthRules) -> frozenset[str]:
    """Return the names of the headers that the store signs: those that must be, Content-Type and Content-MD5."""
    optional = {"content-md5", "content-type"}
    return frozenset(
        ["host", *(name for name in request.headers if name in optional or name.startswith(rules.header_prefix))]
    )


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
        covered = ", ".join(sorted(filter(None, signed_headers))) or "no header"
        raise ACCESS_DENIED.error(
            "There were headers present in the request which were not signed",
            explanation=f"the request was sent with headers that its signature does not cover: {names}. It covers"
            f" {covered}. Host and every header that begins with {rules.header_prefix!r} must"
            " be signed",
            HeadersNotSigned=names,
        )
