"""The headers of a PUT about the new object."""

from __future__ import annotations

from typing import ClassVar, Self

from fakestore.model.acl import PRIVATE, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.encryption import ServerSideEncryption
from fakestore.model.errors import HEADER_SECTION_TOO_LARGE, INVALID_REDIRECT_LOCATION, INVALID_STORAGE_CLASS
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.object_lock import UNLOCKED, Lock
from fakestore.model.object_version import NO_METADATA, Metadata, NewObject, ObjectVersion
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import NO_TAGS
from fakestore.operations.core.authorization import NOTHING, PUT_OBJECT_TAGGING, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import ENCRYPTION_HEADERS, check_kms_key, parse_encryption
from fakestore.operations.core.object_lock_headers import LOCK_HEADERS
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.tagging import TAGGING_HEADER, parse_new_tags
from fakestore.operations.object.metadata import parse_metadata
from fakestore.operations.shared.acl import ACL_HEADERS, check_accepts_acl, parse_acl_headers
from fakestore.operations.shared.object_lock import check_has_object_lock, lock_access, parse_lock

#: The access that a PUT or copy with an ACL needs in addition. Every requester has it unless a policy denies it.
#: [denied-acl-headers]
_PUT_ACL = Access("s3:PutObjectAcl", NOTHING)


@parameters
class PutHeaders(Parameters):
    """The headers of a PUT about the new object.

    Args:
        metadata: The metadata; None if a copy keeps that of its source.
        storage_class: The storage class; None if the request names none.
        encryption: The encryption; None if the request names none.
        acl: The ACL; None if the request names none.
        tags: The tags; None if a copy keeps those of its source.
        redirect: The location to which a website redirects; None if the request names none.
        checksum_algorithm: The algorithm that a copy requests.
        lock: The retention and the legal hold.
    """

    service_headers: ClassVar[tuple[str, ...]] = (
        "meta-*",
        "storage-class",
        "website-redirect-location",
        TAGGING_HEADER,
        *ENCRYPTION_HEADERS,
        *ACL_HEADERS,
        *LOCK_HEADERS,
    )

    metadata: Metadata | None
    storage_class: StorageClass | None = None
    encryption: ServerSideEncryption | None = None
    acl: RequestedAcl | None = None
    tags: FrozenMapping | None = NO_TAGS
    redirect: str | None = None
    checksum_algorithm: ChecksumAlgorithm | None = None
    lock: Lock = UNLOCKED

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: RequestHeaderSectionTooLarge, InvalidStorageClass, MetadataTooLarge, InvalidArgument, and
                those of :func:`parse_acl_headers`, :func:`parse_encryption`, :func:`parse_new_tags` and
                :func:`parse_lock`.
        """
        if context.form is None:  # the fields of a form have a limit of their own
            check_header_section(context)
            if not context.service_headers:  # then only standard headers are about the object, as in most requests
                return cls(parse_metadata(context))
        return cls(
            acl=parse_acl_headers(context),
            storage_class=_parse_storage_class(context),
            encryption=parse_encryption(context),
            metadata=parse_metadata(context) if cls._replaces(context, "metadata") else None,
            tags=parse_new_tags(context) or NO_TAGS if cls._replaces(context, "tagging") else None,
            redirect=_parse_redirect(context),
            checksum_algorithm=cls._parse_algorithm(context),
            lock=parse_lock(context),
        )

    @classmethod
    def _replaces(cls, context: RequestContext, what: str) -> bool:
        return True

    @classmethod
    def _parse_algorithm(cls, context: RequestContext) -> ChecksumAlgorithm | None:
        return None  # it is ignored [checksum-algorithm-of-a-put]

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The accesses to set an ACL, tags, a retention and a legal hold, each if the request has some."""
        acl = () if self.acl is None else (_PUT_ACL,)
        tags = (PUT_OBJECT_TAGGING,) if self.tags else ()
        lock = () if self.lock is UNLOCKED else lock_access(self.lock)
        return (*acl, *tags, *lock)

    def check(self, context: RequestContext, bucket: BucketRecord) -> None:
        """Check that the bucket accepts such an object.

        Raises:
            ErrorResponse: InvalidRequest, if the object is to be locked and the bucket has no Object Lock; those of
                :func:`check_accepts_acl` and :func:`check_kms_key`.
        """
        if self.acl is not None:
            check_accepts_acl(bucket, self.acl)
        if self.encryption is not None or bucket.default_encryption is not None:  # otherwise the service has the key
            check_kms_key(context, bucket, bucket.complete_encryption(self.encryption))
        if self.lock != UNLOCKED:
            check_has_object_lock(bucket)

    def new_object(self, body: ReceivedBody, source: ObjectVersion | None = None) -> NewObject:
        """Return the object to store.

        Args:
            body: Its content.
            source: The source of a copy, whose metadata and tags it may keep.
        """
        metadata = NO_METADATA if source is None else source.all_metadata
        tags = NO_TAGS if source is None else source.tags
        return NewObject(
            content=body.content,
            digest=body.digest,
            metadata=metadata if self.metadata is None else self.metadata,
            storage_class=self.storage_class or StorageClass.STANDARD,
            encryption=self.encryption,
            acl=self.acl or PRIVATE,
            checksum=body.checksum,
            tags=tags if self.tags is None else self.tags,
            redirect=self.redirect,
            lock=self.lock,
        )


def check_header_section(context: RequestContext) -> None:
    """Check the size of the header section, with the Host header.

    Raises:
        ErrorResponse: RequestHeaderSectionTooLarge.
    """
    request, limit = context.request, context.limits.header_section
    size = request.headers.size
    if "host" not in context.headers:
        size += len(f"host: {request.host}\r\n")
    if size > limit:
        raise HEADER_SECTION_TOO_LARGE.error(
            explanation=f"the headers have {size:,} bytes together, more than the {limit:,} that are accepted",
            MaxSizeAllowed=str(limit),
        )


def _parse_redirect(context: RequestContext) -> str | None:
    """Return where a website redirects requests for the object, or None.

    Raises:
        ErrorResponse: InvalidRedirectLocation.
    """
    location = context.service_headers.get("website-redirect-location")
    if location is not None and not location.startswith(("/", "http://", "https://")):
        raise INVALID_REDIRECT_LOCATION.error(
            explanation=f"{context.dialect.header('website-redirect-location')} is {location!r}; expected a path that"
            " begins with '/', or a URL of http or https",
        )
    return location


def _parse_storage_class(context: RequestContext) -> StorageClass | None:
    text = context.service_headers.get("storage-class")
    if text is None:
        return None
    try:
        storage_class = StorageClass(text)
    except ValueError:
        storage_class = None
    known = context.semantics.storage_classes
    if storage_class not in known:
        raise INVALID_STORAGE_CLASS.error(
            explanation=f"unknown storage class {text!r}; expected one of {', '.join(sorted(known))}",
            StorageClassRequested=text,
        )
    return storage_class
