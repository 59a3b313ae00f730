"""Server-side encryption of an object, and the KMS keys. It is stored and returned; the fake encrypts nothing."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from fakestore.errors import (
    INVALID_ARGUMENT,
    KMS_DISABLED,
    KMS_INVALID_STATE,
    KMS_NOT_FOUND,
    MALFORMED_XML,
    UnsupportedRequest,
)
from fakestore.xml.declarations import TextType, child, children, document, element

_ARN = r"arn:aws[a-z-]*:kms:(?P<region>[^:]+):\d{12}:\S+"

_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


class KmsKeyState(StrEnum):
    """Whether a key can encrypt and decrypt."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    PENDING_DELETION = "pending deletion"


class KmsKeys(dict[str, KmsKeyState]):
    """The state of each key, by its id as clients send it. Without any key, every id is accepted."""

    def check(self, key_id: str, *, account: str, region: str) -> None:
        """Check that a key can encrypt and decrypt. The account number and the region are for the error."""
        if not self or self.get(key_id) is KmsKeyState.ENABLED:
            return
        if self.get(key_id) is KmsKeyState.DISABLED:
            raise KMS_DISABLED.error(f"{key_id} is disabled.")
        if key_id in self:
            raise KMS_INVALID_STATE.error(f"{key_id} is pending deletion.")
        arn = re.fullmatch(_ARN, key_id)
        if arn is not None and arn["region"] != region:
            message = f"Invalid arn {arn['region']}"
        elif arn is not None:
            message = f"Key '{key_id}' does not exist"
        elif re.fullmatch(_UUID, key_id):
            message = f"Key 'arn:aws:kms:{region}:{account}:key/{key_id}' does not exist"
        else:
            message = f"Invalid keyId '{key_id}'"
        raise KMS_NOT_FOUND.error(message, explanation=f"unknown key {key_id!r}; known keys: {', '.join(sorted(self))}")


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
        bucket_key: Whether a bucket key is used; None if neither the request nor the bucket decides it.
        context: The encryption context in base64, as the client sent it.
    """

    method: Encryption
    key_id: str | None = None
    bucket_key: bool | None = None
    context: str | None = None


class CustomerKey(NamedTuple):
    """Encryption with a customer key, which the client sends with every request.

    Attributes:
        md5: The MD5 of the key in base64. The key itself is not kept.
    """

    md5: str


ServerSideEncryption = ManagedEncryption | CustomerKey


class BlockedEncryption(StrEnum):
    """What the new objects of a bucket cannot be encrypted with."""

    #: Nothing is blocked.
    NONE = "NONE"
    #: Customer keys are refused.
    CUSTOMER_KEY = "SSE-C"


def _parse_header_value(text: str) -> str:
    if not text or not (text.isascii() and text.isprintable()):
        raise ValueError("printable ASCII characters, because it becomes the value of a header")
    return text


@element()
class DefaultEncryption:
    """The default encryption method, and the id of its key; None for the key of the service."""

    method: Encryption = child("SSEAlgorithm", choices={**{str(each): each for each in Encryption}, DSSE: DSSE})
    key_id: str | None = child("KMSMasterKeyID", default=None, kind=TextType(_parse_header_value))

    def validate(self) -> None:
        if self.method == DSSE:
            raise UnsupportedRequest(
                f"<SSEAlgorithm> is {DSSE}, which is not supported; supported: {', '.join(Encryption)}"
            )
        if self.key_id is not None and self.method is not Encryption.KMS:
            raise INVALID_ARGUMENT.error(
                "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse",
                explanation=f"<KMSMasterKeyID> was sent with the algorithm {self.method}, which has no key",
                ArgumentName="ApplyServerSideEncryptionByDefault",
            )


@element()
class EncryptionRule:
    """How the new objects of a bucket are encrypted, and how they cannot be.

    Args:
        default: The encryption of objects that come without a method; None if the service decides it.
        bucket_key: Whether objects that are encrypted with KMS use a bucket key.
        blocked: What new objects cannot be encrypted with; empty if the service decides it.
    """

    default: DefaultEncryption | None = child("ApplyServerSideEncryptionByDefault", default=None)
    bucket_key: bool | None = child("BucketKeyEnabled", default=None)
    blocked: tuple[BlockedEncryption, ...] = children(
        "EncryptionType", inside="BlockedEncryptionTypes", default=(), least=1, most=1
    )

    def validate(self) -> None:
        if self.default is None and self.bucket_key is not None:
            raise UnsupportedRequest(
                "<BucketKeyEnabled> without <ApplyServerSideEncryptionByDefault> is not supported; send both"
            )
        if self.default is None and not self.blocked:
            raise MALFORMED_XML.error(
                explanation="<Rule> needs <ApplyServerSideEncryptionByDefault> or <BlockedEncryptionTypes>"
            )

    def complete(self, requested: ManagedEncryption | None, of_service: Encryption | None) -> ManagedEncryption | None:
        """Return the encryption of a new object. A method in the request does not get the key of the bucket.

        Args:
            of_service: The method of the service if neither the request nor the rule has one; None for no method.
        """
        if self.default is not None:
            chosen = requested or ManagedEncryption(self.default.method, self.default.key_id)
        elif of_service is not None:
            chosen = requested or ManagedEncryption(of_service)
        else:
            return requested
        if chosen.method is not Encryption.KMS or chosen.bucket_key is not None:
            return chosen
        return chosen._replace(bucket_key=bool(self.bucket_key))


@document("ServerSideEncryptionConfiguration")
class EncryptionConfiguration:
    """The encryption of the objects of a bucket: always one rule."""

    rules: tuple[EncryptionRule, ...] = children("Rule", least=1, most=1)


def hides_md5(encryption: ServerSideEncryption | None) -> bool:
    """Return whether the entity tag of an object with this encryption is not the MD5 of its content."""
    return isinstance(encryption, CustomerKey) or (encryption is not None and encryption.method is Encryption.KMS)
