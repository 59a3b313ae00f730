"""The ServerSideEncryptionConfiguration document: the default encryption of a bucket."""

from __future__ import annotations

from fakestore.documents.shape import child, children, document, element
from fakestore.documents.text_types import HEADER_VALUE
from fakestore.model.encryption import DSSE, DefaultEncryption, Encryption
from fakestore.model.errors import INVALID_ARGUMENT
from fakestore.model.unsupported import UnsupportedRequest


@element()
class ApplyByDefault:
    """A method of encryption, and its key."""

    algorithm: str = child("SSEAlgorithm", choices={name: name for name in (*Encryption, DSSE)})
    key_id: str | None = child("KMSMasterKeyID", default=None, kind=HEADER_VALUE)

    def validate(self) -> None:
        """Refuse a key without KMS, and what the fake does not support.

        Raises:
            ErrorResponse: InvalidArgument.
            UnsupportedRequest: If the method is the two layers of KMS.
        """
        if self.algorithm == DSSE:
            raise UnsupportedRequest(
                f"<SSEAlgorithm> is {DSSE}, which is not supported; supported: {', '.join(Encryption)}"
            )
        if self.key_id is not None and self.algorithm != Encryption.KMS:
            raise INVALID_ARGUMENT.error(
                "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse",
                explanation=f"<KMSMasterKeyID> was sent with the algorithm {self.algorithm}, which has no key",
                ArgumentName="ApplyServerSideEncryptionByDefault",
            )


@element(unsupported=("BlockedEncryptionTypes",))
class EncryptionRule:
    """The only rule of a bucket."""

    default: ApplyByDefault = child("ApplyServerSideEncryptionByDefault")
    bucket_key: bool = child("BucketKeyEnabled", default=False)


@document("ServerSideEncryptionConfiguration")
class ServerSideEncryptionConfiguration:
    """The default encryption of a bucket."""

    rules: tuple[EncryptionRule, ...] = children("Rule", least=1, most=1)

    @classmethod
    def from_default(cls, default: DefaultEncryption) -> ServerSideEncryptionConfiguration:
        """Return the document of a default encryption."""
        rule = ApplyByDefault(algorithm=default.method, key_id=default.key_id)
        return cls(rules=(EncryptionRule(default=rule, bucket_key=default.bucket_key),))

    def to_default(self) -> DefaultEncryption:
        """Return the default encryption."""
        (rule,) = self.rules
        return DefaultEncryption(Encryption(rule.default.algorithm), rule.default.key_id, rule.bucket_key)
