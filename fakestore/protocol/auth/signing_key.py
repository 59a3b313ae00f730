"""The signing keys of signature version 4."""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from typing import NamedTuple

TERMINAL = "aws4_request"
SERVICE = "s3"


class SigningScope(NamedTuple):
    """The day, the region and the service that a signature is for.

    Example:
        >>> str(SigningScope("20130524", "us-east-1"))
        '20130524/us-east-1/s3/aws4_request'

    Args:
        date: The day in UTC, for example ``"20130524"``.
        region: The region, for example ``"us-east-1"``.
        service: The service.
        terminal: The last word.
    """

    date: str
    region: str
    service: str = SERVICE
    terminal: str = TERMINAL

    def __str__(self) -> str:
        return f"{self.date}/{self.region}/{self.service}/{self.terminal}"


def hmac_sha256(key: bytes, text: bytes) -> bytes:
    """Return the HMAC-SHA256 of a text."""
    return hmac.digest(key, text, hashlib.sha256)


@lru_cache(maxsize=256)
def signing_key(secret_key: str, scope: SigningScope) -> bytes:
    """Return the key that signs for `scope` in the name of the owner of `secret_key`."""
    key = b"AWS4" + secret_key.encode("utf-8", "surrogatepass")
    for part in (scope.date, scope.region, scope.service, scope.terminal):
        key = hmac_sha256(key, part.encode("utf-8", "surrogatepass"))
    return key
