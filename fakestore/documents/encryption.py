"""The ServerSideEncryptionConfiguration document: the default encryption of a bucket, and what it blocks."""

from __future__ import annotations

from fakestore.model.encryption import DSSE, BlockedEncryption, DefaultEncryption, Encryption
from fakestore.model.errors import INVALID_ARGUMENT, MALFORMED_XML
from fakestore.model.shape import child, children, document, element
from fakestore.model.text_types import HEADER_VALUE
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


@element()
class EncryptionRule:
    """The only rule of a bucket."""

    default: ApplyByDefault | None = child("ApplyServerSideEncryptionByDefault", default=None)
    bucket_key: bool | None = child("BucketKeyEnabled", default=None)
    blocked: tuple[BlockedEncryption, ...] = children(
        "EncryptionType", inside="BlockedEncryptionTypes", default=(), least=1, most=1
    )

    def validate(self) -> None:
        """Refuse a rule that says nothing, and a bucket key without a method.

        Raises:
            ErrorResponse: MalformedXML.
            UnsupportedRequest: If the rule has a bucket key and no method.
        """
        if self.default is None and self.bucket_key is not None:
            raise UnsupportedRequest(
                "<BucketKeyEnabled> without <ApplyServerSideEncryptionByDefault> is not supported; send both"
            )
        if self.default is None and not self.blocked:
            raise MALFORMED_XML.error(
                explanation="<Rule> needs <ApplyServerSideEncryptionByDefault> or <BlockedEncryptionTypes>"
            )


@document("ServerSideEncryptionConfiguration")
class ServerSideEncryptionConfiguration:
    """The default encryption of a bucket, and what its new objects cannot be encrypted with."""

    rules: tuple[EncryptionRule, ...] = children("Rule", least=1, most=1)

    @classmethod
    def of(
        cls, default: DefaultEncryption | None, blocked: BlockedEncryption | None
    ) -> ServerSideEncryptionConfiguration:
        """Return the document of the settings of a bucket."""
        rule = EncryptionRule(
            default=None if default is None else ApplyByDefault(algorithm=default.method, key_id=default.key_id),
            bucket_key=None if default is None else default.bucket_key,
            blocked=() if blocked is None else (blocked,),
        )
        return cls(rules=(rule,))

    @property
    def default(self) -> DefaultEncryption | None:
        """The default encryption."""
        (rule,) = self.rules
        if rule.default is None:
            return None
        return DefaultEncryption(Encryption(rule.default.algorithm), rule.default.key_id, bool(rule.bucket_key))

    @property
    def blocked(self) -> BlockedEncryption | None:
        """What new objects cannot be encrypted with; None if the document does not say it."""
        (rule,) = self.rules
        return rule.blocked[0] if rule.blocked else None
