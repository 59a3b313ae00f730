"""Semantics: the behaviour that differs between services. Each difference has one field.

`Limits` are the sizes that a service accepts. A test can lower them, to reach them with small bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum, StrEnum

from fakestore.messages import check_types
from fakestore.model.acl import ACLS_OF_SERVICE, CannedAcl, ObjectOwnership, PublicAccessBlock
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.encryption import BlockedEncryption, Encryption
from fakestore.model.storage_class import SPECIFIED_STORAGE_CLASSES, StorageClass
from fakestore.model.versioning import Versioning

KIB = 1024
MIB = 1024**2
GIB = 1024**3
TIB = 1024**4

#: The highest number of a part of a multipart upload, and so the maximum number of parts.
MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest sizes that the store accepts, and the smallest size of a part, in bytes.

    The defaults are the limits of the service.

    Example:
        >>> from fakestore import FakeStore
        >>> store = FakeStore(limits=Limits(object_size=10))

    Args:
        object_size: The largest size of an object.
        copy_size: The largest size of the source of a copy.
        part_size: The largest size of a part of a multipart upload.
        min_part_size: The smallest size of a part of a multipart upload. The last part can be smaller.
        metadata: The largest size of the user metadata of an object: names without prefix, and values.
        header_section: The largest size of all headers together; in the default dialect, only in a request that writes
            an object.
        form_fields: The largest size of the form fields before the file, together with their headers.

    Raises:
        TypeError: If a limit is not a whole number.
        ValueError: If a limit is negative.
    """

    object_size: int = 5 * TIB
    copy_size: int = 5 * GIB
    part_size: int = 5 * GIB
    min_part_size: int = 5 * MIB
    metadata: int = 2 * KIB
    header_section: int = 8 * KIB
    form_fields: int = 20 * KIB

    def __post_init__(self) -> None:
        check_types(self, Limits)
        for each in fields(self):
            limit = getattr(self, each.name)
            if limit < 0:
                raise ValueError(f"limit {each.name} must be 0 or more bytes, not {limit}")


#: Objects with fewer bytes are not moved, unless the filter of a rule has a size.
SMALL_SIZE = 128 * KIB


class TransitionMinimum(StrEnum):
    """Which objects are too small for lifecycle rules to move.

    A rule whose filter has a size ignores this minimum.
    """

    #: Objects under 128 KiB.
    ALL_CLASSES = "all_storage_classes_128K"
    #: Objects under 128 KiB, except in transitions to GLACIER and DEEP_ARCHIVE, which move objects of any size.
    VARIES = "varies_by_storage_class"

    def allows(self, size: int, target: StorageClass) -> bool:
        """Return whether an object of `size` bytes is moved to a storage class."""
        return size >= SMALL_SIZE or (self is TransitionMinimum.VARIES and target.is_archive)


class AnonymousRequests(Enum):
    """How a request without credentials is answered."""

    #: The store answers 403 AccessDenied.
    REFUSED = "refused"
    #: The request is allowed if an ACL grants it to ``AllUsers``, or a policy allows it to the principal ``*``.
    AUTHORIZED = "authorized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantics:
    """What the operations do in cases that differ between services.

    docs/semantics.md has a decision on each field, and its value in each dialect.

    Example:
        >>> from fakestore import Dialect
        >>> dialect = Dialect(semantics=Semantics(delete_removes_null_version=False))

    Args:
        delete_removes_null_version: Whether a DELETE without a version id removes the null version of the key if
            versioning is enabled. If versioning is suspended, it does so in every dialect. MFA Delete and Object Lock
            can keep the null version.
        copy_ignores_future_modified_since: Whether a copy ignores the header ``copy-source-if-modified-since`` if its
            date is in the future. If not, the copy is refused, because the source was not modified after this date.
        anonymous_requests: Whether a request without credentials is always refused, or is allowed if an ACL or a
            policy allows it.
        compares_unverified_dates: Whether the date of a request is compared with the clock if signatures are not
            verified. The option ``max_clock_skew`` of a store replaces this value.
        default_checksum: The algorithm of the checksum that the service computes if the client sends no checksum of an
            object; None for no checksum.
        default_encryption: The encryption of an object that was sent without an encryption header; None for no
            encryption.
        default_kms_key: The id of the key that encrypts an object with KMS if the request names no key. If the
            field is None, the reply to such a request names no key.
        encrypted_entity_tags_are_opaque: Whether each write of an encrypted object gives it a new entity tag, instead
            of the MD5 of its content. This applies only to encryption with KMS or a customer key, and not to an object
            that was uploaded in parts.
        has_canned_acls_of_service: Whether the canned ACLs ``aws-exec-read`` and ``log-delivery-write`` exist.
        storage_classes: The storage classes that the service has.
        delete_always_names_marker: Whether the reply to a DELETE always has the header ``delete-marker``. If not, the
            header is only present if its value is ``true``.
        delete_sends_length: Whether the reply to a DELETE has a Content-Length.
        copy_names_null_version_in: The versionings of a destination at which the reply to a copy names a new null
            version.
        copy_names_null_source: Whether the reply to a copy of a null version names it.
        strict_copy_sources: Whether a copy source with an unencoded character outside ASCII, or with an invalid name of
            a bucket, is an invalid argument.
        reserves_bucket_names: Whether the names that Amazon S3 keeps for itself are invalid for a new bucket.
        documents_need_checksum: Whether some requests with a document, such as the deletion of many objects, need a
            Content-MD5 or a checksum.
        names_requested_version: Whether the replies to GET Object ACL, and to requests that name a version, always have
            the version id. If not, only the replies to some operations have it, and only after versioning was enabled.
        refuses_requests_without_an_operation: Whether the fake refuses a request without an operation if the public
            service refuses it. If not, UnsupportedRequest is raised.
        ignores_unknown_parameters: Whether a query parameter is ignored if no operation of the service has it. If not,
            it is unsupported.
        refuses_unknown_expectations: Whether the header ``Expect`` with another value than 100-continue is refused. If
            not, it is ignored.
        errors_name_resource: Whether the document of an error has the path of the resource.
        rule_ids_are_encoded: Whether headers show every id of a lifecycle rule percent-encoded. If not, only characters
            that a quoted string in a header cannot have are encoded.
        copy_dates_have_zone: Whether the date in a CopyObjectResult ends in ``.000Z``, as in other documents.
        expires_is_number: Whether the header Expires of an object must be a number of milliseconds. If not, it can be
            any text.
        metadata_is_decoded: Whether the store decodes encoded words (RFC 2047) in headers with user metadata, and sends
            user metadata that is not ASCII as encoded words.
        has_regions: Whether buckets are in regions. If not, a LocationConstraint with a region is unsupported.
        new_regions_need_version_4: Whether a request for a bucket in one of the newer regions of AWS must be signed
            with version 4.
        kms_needs_version_4: Whether a request for an object with KMS encryption must be signed with version 4.
        shows_bucket_arns: Whether replies about a bucket have its ARN.
        default_transition_minimum_size: Which objects are too small for lifecycle rules to move. The header
            ``transition-default-minimum-object-size`` of the request that sets the rules replaces this value. Replies
            about the rules have the header with the value that applies. If the field is None, objects under 128 KiB are
            too small, and replies have the header only if it was sent with the rules.
        accepts_unknown_principals: Whether a policy can name accounts, users, roles and services that the store does
            not have. Their names must be well-formed.
        shows_display_names: Whether owners and grantees have a DisplayName in documents.
        default_object_ownership: The object ownership of a new bucket; None for no ownership controls.
        default_public_access_block: The public access block of a new bucket; None for no block.
        default_blocked_encryption: The encryption that a bucket refuses for new objects, until its configuration says
            something else.
        customer_keys_need_https: Whether a request over http with a customer key (SSE-C) is refused.
        limits_every_header_section: Whether ``Limits.header_section`` is the limit of every request. If not, it limits
            only requests that write an object.
        largest_upload: The size in bytes of the largest object that one request can upload; None if only
            ``Limits.object_size`` limits it.

    Raises:
        TypeError: If a value has a wrong type.
    """

    delete_removes_null_version: bool = True
    copy_ignores_future_modified_since: bool = False
    anonymous_requests: AnonymousRequests = AnonymousRequests.REFUSED
    compares_unverified_dates: bool = True
    default_checksum: ChecksumAlgorithm | None = None
    default_encryption: Encryption | None = None
    default_kms_key: str | None = None
    encrypted_entity_tags_are_opaque: bool = False
    has_canned_acls_of_service: bool = False
    storage_classes: frozenset[StorageClass] = SPECIFIED_STORAGE_CLASSES
    delete_always_names_marker: bool = True
    delete_sends_length: bool = True
    copy_names_null_version_in: frozenset[Versioning] = frozenset({Versioning.NEVER})
    copy_names_null_source: bool = True
    strict_copy_sources: bool = False
    reserves_bucket_names: bool = False
    documents_need_checksum: bool = False
    names_requested_version: bool = True
    refuses_requests_without_an_operation: bool = False
    ignores_unknown_parameters: bool = False
    refuses_unknown_expectations: bool = True
    errors_name_resource: bool = True
    rule_ids_are_encoded: bool = False
    copy_dates_have_zone: bool = False
    expires_is_number: bool = True
    metadata_is_decoded: bool = False
    has_regions: bool = False
    new_regions_need_version_4: bool = False
    kms_needs_version_4: bool = False
    shows_bucket_arns: bool = False
    default_transition_minimum_size: TransitionMinimum | None = None
    accepts_unknown_principals: bool = False
    shows_display_names: bool = True
    default_object_ownership: ObjectOwnership | None = None
    default_public_access_block: PublicAccessBlock | None = None
    default_blocked_encryption: BlockedEncryption = BlockedEncryption.NONE
    customer_keys_need_https: bool = False
    limits_every_header_section: bool = False
    largest_upload: int | None = None

    def __post_init__(self) -> None:
        check_types(self, Semantics)

    def canned_acls(self, *, of_bucket: bool) -> list[CannedAcl]:
        """Return the canned ACLs that the service has for buckets, or for objects. [canned-acls-of-the-service]"""
        return [
            canned
            for canned in CannedAcl
            if (self.has_canned_acls_of_service or canned not in ACLS_OF_SERVICE)
            and (of_bucket or canned is not CannedAcl.LOG_DELIVERY_WRITE)
        ]


#: The semantics of the specification.
DOCUMENT_SEMANTICS = Semantics()
