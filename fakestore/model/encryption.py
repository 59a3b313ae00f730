"""Server-side encryption of an object. It is stored and returned; the fake encrypts nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Encryption(StrEnum):
    """A server-side encryption method with keys that the service manages."""

    #: The service has the key.
    AES256 = "AES256"
    #: The key management service (KMS) has the key.
    KMS = "aws:kms"


#: Two layers of encryption with KMS, a method of the public service that the fake does not support.
DSSE = "aws:kms:dsse"


class ManagedEncryption(NamedTuple):
    """Encryption with a key that the service or its key management service (KMS) has.

    The last three fields are only for KMS.

    Attributes:
        method: The method.
        key_id: The id of the key, as the client sent it; by default ``Semantics.default_kms_key``.
        bucket_key: Whether a bucket key is used; None if neither the request nor the bucket says it.
        context: The encryption context in base64, as the client sent it.
    """

    method: Encryption
    key_id: str | None = None
    bucket_key: bool | None = None
    context: str | None = None


class CustomerKey(NamedTuple):
    """Encryption with a key that the client sends with every request.

    Attributes:
        md5: The MD5 of the key in base64. The key itself is not kept.
    """

    md5: str


ServerSideEncryption = ManagedEncryption | CustomerKey


class BlockedEncryption(StrEnum):
    """What the new objects of a bucket cannot be encrypted with."""

    #: Nothing is blocked.
    NONE = "NONE"
    #: A key that the client sends with every request is refused.
    CUSTOMER_KEY = "SSE-C"


class DefaultEncryption(NamedTuple):
    """How the objects of a bucket are encrypted that are written without a method.

    Example:
        >>> DefaultEncryption(Encryption.KMS, "my-key").complete(None)
        ManagedEncryption(method=<Encryption.KMS: 'aws:kms'>, key_id='my-key', bucket_key=False, context=None)

    Args:
        method: The method.
        key_id: The id of the key; only for KMS. None for the key of the service.
        bucket_key: Whether objects that are encrypted with KMS use a bucket key.
    """

    method: Encryption
    key_id: str | None = None
    bucket_key: bool = False

    def complete(self, requested: ManagedEncryption | None) -> ManagedEncryption:
        """Return the encryption of a new object. A method in the request does not get the key of the bucket."""
        chosen = requested or ManagedEncryption(self.method, self.key_id)
        if chosen.method is not Encryption.KMS or chosen.bucket_key is not None:
            return chosen
        return chosen._replace(bucket_key=self.bucket_key)


def hides_md5(encryption: ServerSideEncryption | None) -> bool:
    """Return whether the entity tag of an object with this encryption is not the MD5 of its content."""
    return isinstance(encryption, CustomerKey) or (encryption is not None and encryption.method is Encryption.KMS)
