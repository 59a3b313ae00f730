"""Server-side encryption of an object. It is stored and returned; the fake encrypts nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Encryption(StrEnum):
    """A server-side encryption method with keys that the service manages."""

    AES256 = "AES256"
    KMS = "aws:kms"


class ManagedEncryption(NamedTuple):
    """Encryption with a key that the service or its key management keeps.

    Args:
        method: The method.
        key_id: The id of the key, as it was sent; only for KMS.
        bucket_key: Whether the request asked for a bucket key; only for KMS.
    """

    method: Encryption
    key_id: str | None = None
    bucket_key: bool = False


class CustomerKey(NamedTuple):
    """Encryption with a key that the client sends with every request.

    Args:
        md5: The MD5 of the key in base64. The key itself is not kept.
    """

    md5: str


ServerSideEncryption = ManagedEncryption | CustomerKey


def hides_md5(encryption: ServerSideEncryption | None) -> bool:
    """Return whether the entity tag of an object with this encryption is not the MD5 of its content."""
    return isinstance(encryption, CustomerKey) or (encryption is not None and encryption.method is Encryption.KMS)
