"""The decisions in which services differ: one field for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fakestore.model.checksums import ChecksumAlgorithm, can_compute
from fakestore.model.encryption import Encryption
from fakestore.model.ownership import ObjectOwnership
from fakestore.model.public_access_block import PublicAccessBlock
from fakestore.model.storage_class import SPECIFIED_STORAGE_CLASSES, StorageClass


class AnonymousRequests(Enum):
    """How a request without credentials is answered."""

    REFUSED = "refused"
    #: ACLs and policies decide: ``AllUsers`` and the principal ``*`` include anonymous requesters.
    AUTHORIZED = "authorized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantics:
    """The meaning of a service's operations, where services differ.

    Each field is named like its decision in docs/semantics.md.

    Example:
        >>> from fakestore import Dialect
        >>> dialect = Dialect(semantics=Semantics(delete_removes_null_version=False))

    Args:
        delete_removes_null_version: Whether a simple DELETE removes the null version of the key, if versioning is
            enabled or suspended.
        copy_ignores_future_modified_since: Whether a copy ignores a ``copy-source-if-modified-since`` that lies in the
            future. If not, the copy is refused, because the source was not modified since then.
        anonymous_requests: How a request without credentials is answered.
        default_checksum: The checksum that the service computes of an object that was sent without one.
        default_encryption: The encryption of an object that was sent without one.
        default_kms_key: The id of the key that encrypts an object with KMS if the request names none.
        encrypted_entity_tags_are_opaque: Whether the entity tag of an object is not its MD5, and differs between two
            writes of the same content, if the object is encrypted with KMS or a key of the client.
        storage_classes: The storage classes that the service has.
        delete_always_names_marker: Whether the answer to a DELETE says ``false`` in the header ``delete-marker`` if
            it neither wrote nor removed a marker. If not, the header is absent then.
        delete_sends_length: Whether the answer to a DELETE has a Content-Length.
        copy_returns_null_version_id: Whether a copy that wrote the null version names it, if the bucket was ever
            versioned.
        copy_dates_have_zone: Whether the date in a CopyObjectResult ends in ``.000Z``, as in other documents.
        expires_is_number: Whether Expires must be a number of milliseconds. If not, it is any text.
        metadata_is_decoded: Whether encoded words (RFC 2047) in user metadata are decoded when it is stored, and text
            that is not ASCII is encoded when it is read.
        has_regions: Whether buckets are in regions. If not, a LocationConstraint is refused.
        shows_bucket_arns: Whether answers about buckets carry their resource name (ARN).
        default_transition_minimum_size: What answers about lifecycle rules say about the size below which objects
            are not moved to another storage class; None if they say nothing unless a request did.
        accepts_unknown_principals: Whether a policy may name accounts and users that the store does not know, in a
            well-formed way.
        shows_display_names: Whether owners and grantees have a DisplayName in documents.
        default_object_ownership: The object ownership of a new bucket; None for no ownership controls.
        default_public_access_block: The public access block of a new bucket; None for none.
    """

    delete_removes_null_version: bool = True
    copy_ignores_future_modified_since: bool = False
    anonymous_requests: AnonymousRequests = AnonymousRequests.REFUSED
    default_checksum: ChecksumAlgorithm | None = None
    default_encryption: Encryption | None = None
    default_kms_key: str | None = None
    encrypted_entity_tags_are_opaque: bool = False
    storage_classes: frozenset[StorageClass] = SPECIFIED_STORAGE_CLASSES
    delete_always_names_marker: bool = True
    delete_sends_length: bool = True
    copy_returns_null_version_id: bool = False
    copy_dates_have_zone: bool = False
    expires_is_number: bool = True
    metadata_is_decoded: bool = False
    has_regions: bool = False
    shows_bucket_arns: bool = False
    default_transition_minimum_size: str | None = None
    accepts_unknown_principals: bool = False
    shows_display_names: bool = True
    default_object_ownership: ObjectOwnership | None = None
    default_public_access_block: PublicAccessBlock | None = None

    @property
    def computable_default_checksum(self) -> ChecksumAlgorithm | None:
        """The default checksum; None if the library that computes it is not installed.

        [checksums-without-the-library]
        """
        algorithm = self.default_checksum
        return algorithm if algorithm is not None and can_compute(algorithm) else None


#: The semantics of the specification.
DOCUMENT_SEMANTICS = Semantics()
