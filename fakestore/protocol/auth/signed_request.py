"""What signature version 4 signs: the canonical request, with a date and a scope."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from fakestore.http.message import DEFAULT_PORTS, Request
from fakestore.http.values import wire_bytes
from fakestore.messages import iso_date
from fakestore.model.accounts import Account
from fakestore.protocol.auth.scheme import SignatureComparison

ALGORITHM = "AWS4-HMAC-SHA256"

_BLANKS = re.compile(r"[ \t]{2,}|\t")
_TIMESTAMP = re.compile("[0-9]{8}T(?!24)[0-9]{6}Z")  # some versions of Python know an hour 24


def parse_iso_basic(text: str) -> datetime | None:
    """Return the moment of a text in the basic format of ISO 8601, ``20130524T000000Z``, or None if it is invalid."""
    try:
        return datetime.fromisoformat(text) if _TIMESTAMP.fullmatch(text) else None
    except ValueError:
        return None


def render_iso_basic(moment: datetime) -> str:
    """Return a moment in UTC in the basic format, such as ``20130524T000000Z``."""
    return iso_date(moment).replace("-", "").replace(":", "")


class SigningScope(NamedTuple):
    """The day, the region and the service that a signature is for.

    Example:
        >>> str(SigningScope("20130524", "us-east-1"))
        '20130524/us-east-1/s3/aws4_request'
    """

    date: str
    region: str
    service: str = "s3"
    terminal: str = "aws4_request"

    def __str__(self) -> str:
        return "/".join(self)

    def sign(self, secret_key: str, text: bytes) -> str:
        return hmac.digest(_signing_key(secret_key, self), text, "sha256").hex()


@lru_cache(maxsize=256)
def _signing_key(secret_key: str, scope: SigningScope) -> bytes:
    key = b"AWS4" + secret_key.encode("utf-8", "surrogatepass")
    for part in scope:
        key = hmac.digest(key, part.encode("utf-8", "surrogatepass"), "sha256")
    return key


class SignedRequest(NamedTuple):
    """The parts of a request that its signature covers.

    Args:
        query: The decoded query, without the signature.
        signed_headers: The names of the signed headers, in lower case.
        payload_hash: The last line of the canonical request.
        timestamp: The date of the request, for example ``20130524T000000Z``.
    """

    request: Request
    query: Mapping[str, str]
    signed_headers: frozenset[str]
    payload_hash: str
    timestamp: str
    scope: SigningScope

    def canonical_request(self) -> bytes:
        query = sorted((_encode(name), _encode(value)) for name, value in self.query.items())
        names = sorted(self.signed_headers)
        lines = [
            self.request.method,
            _encode_path(self.request.target),
            "&".join(f"{name}={value}" for name, value in query),
            *(f"{name}:{self._header(name)}" for name in names),
            "",
            ";".join(names),
            self.payload_hash,
        ]
        return b"\n".join(map(wire_bytes, lines))

    def _header(self, name: str) -> str:
        value = self.request.headers.by_name.get(name)
        if value is None and name == "host":  # clients send it without a default port
            value = self.request.host.removesuffix(f":{DEFAULT_PORTS.get(self.request.scheme)}")
        # A signed header that was not sent changes the signature (fact presigned-006).
        return _BLANKS.sub(" ", value or "")

    def compare(self, account: Account, received: str) -> SignatureComparison:
        """Return the received signature and what the store would have signed for `account`."""
        canonical = self.canonical_request()
        hashed = hashlib.sha256(canonical).hexdigest()
        text = wire_bytes(f"{ALGORITHM}\n{self.timestamp}\n{self.scope}\n{hashed}")
        expected = self.scope.sign(account.secret_key, text)
        not_sent = tuple(sorted(self.signed_headers.difference(self.request.headers.by_name, {"host"})))
        return SignatureComparison(account, received, expected, text, canonical, not_sent)

    def signature(self, account: Account) -> str:
        return self.compare(account, "").expected


def _encode(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _encode_path(target: str) -> str:
    """Return the path of a request target, decoded and encoded again as signatures require."""
    path = target.partition("?")[0] or "/"
    return quote(unquote_to_bytes(path.encode("utf-8", "surrogatepass")))
