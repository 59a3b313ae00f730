"""The headers of an object: parsed from a PUT or copy, rendered for a GET."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, Self
from urllib.parse import quote

from fakestore.http.content_encoding import without_aws_chunked
from fakestore.http.dates import http_date
from fakestore.http.encoded_words import decode_words, encode_words
from fakestore.http.integers import parse_integer
from fakestore.model.acl import PRIVATE, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.encryption import ServerSideEncryption
from fakestore.model.errors import (
    HEADER_SECTION_TOO_LARGE,
    INVALID_REDIRECT_LOCATION,
    INVALID_STORAGE_CLASS,
    METADATA_TOO_LARGE,
    invalid_argument,
)
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.object_lock import UNLOCKED, Lock
from fakestore.model.object_version import (
    DEFAULT_CONTENT_TYPE,
    NO_METADATA,
    Metadata,
    NewObject,
    ObjectVersion,
)
from fakestore.model.semantics import Semantics
from fakestore.model.storage_class import StorageClass
from fakestore.model.tags import NO_TAGS
from fakestore.model.version_ids import NULL
from fakestore.model.versioning import Versioning
from fakestore.operations.core.acl import ACL_HEADERS, check_accepts_acl, parse_acl_headers
from fakestore.operations.core.archive import restore_headers
from fakestore.operations.core.authorization import NOTHING, PUT_OBJECT_TAGGING, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.checksums import parse_requested_algorithm
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import (
    ENCRYPTION_HEADERS,
    check_kms_key,
    encryption_headers,
    parse_encryption,
)
from fakestore.operations.core.lock_headers import LOCK_HEADERS
from fakestore.operations.core.object_lock import check_has_object_lock, lock_access, parse_lock
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.tagging import TAGGING_HEADER, parse_new_tags

#: The access that a PUT or copy with an ACL needs in addition. Every requester has it unless a policy denies it.
#: [acl-of-a-put]
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
    storage_class: StorageClass | None
    encryption: ServerSideEncryption | None
    acl: RequestedAcl | None
    tags: FrozenMapping | None
    redirect: str | None
    checksum_algorithm: ChecksumAlgorithm | None
    lock: Lock

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: RequestHeaderSectionTooLarge, InvalidStorageClass, MetadataTooLarge, InvalidArgument, and
                those of :func:`parse_acl_headers`, :func:`parse_encryption`, :func:`parse_new_tags` and
                :func:`parse_lock`.
        """
        if context.form is None:  # the fields of a form have a limit of their own
            _check_header_section(context)
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
        return (*acl, *tags, *lock_access(self.lock))

    def check(self, context: RequestContext, bucket: BucketRecord) -> None:
        """Check that the bucket accepts such an object.

        Raises:
            ErrorResponse: InvalidRequest, if the object is to be locked and the bucket has no Object Lock; those of
                :func:`check_accepts_acl` and :func:`check_kms_key`.
        """
        check_accepts_acl(bucket, self.acl)
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


class CopyHeaders(PutHeaders):
    """The headers of a copy about the new object. Its metadata is read only if it replaces that of the source."""

    service_headers: ClassVar[tuple[str, ...]] = (
        *PutHeaders.service_headers,
        "metadata-directive",
        "tagging-directive",
        "checksum-algorithm",
    )

    @classmethod
    def _replaces(cls, context: RequestContext, what: str) -> bool:
        text = context.service_headers.get(f"{what}-directive", "COPY")
        if text not in ("COPY", "REPLACE"):
            header = context.dialect.header(f"{what}-directive")
            raise invalid_argument(
                header,
                text,
                f"Unknown {what} directive.",
                explanation=f"{header} is {text!r}; expected COPY or REPLACE",
            )
        return text == "REPLACE"

    @classmethod
    def _parse_algorithm(cls, context: RequestContext) -> ChecksumAlgorithm | None:
        return parse_requested_algorithm(context)

    @property
    def changes_source(self) -> bool:
        """Whether a copy onto itself changes metadata, storage class, redirection or encryption."""
        return (self.metadata, self.storage_class, self.redirect, self.encryption) != (None, None, None, None)


def _check_header_section(context: RequestContext) -> None:
    """Check the size of the header section, with the Host header.

    Raises:
        ErrorResponse: RequestHeaderSectionTooLarge.
    """
    request, limit = context.request, context.limits.header_section
    size = request.headers.size
    if "host" not in request.headers:
        size += len("host") + len(request.host) + 4
    if size > limit:
        raise HEADER_SECTION_TOO_LARGE.error(
            explanation=f"the headers have {size:,} bytes together, more than the {limit:,} that are accepted",
            MaxSizeAllowed=str(limit),
        )


def parse_metadata(context: RequestContext) -> Metadata:
    """Return the metadata that the headers state.

    Raises:
        ErrorResponse: MetadataTooLarge; InvalidArgument, if Expires is not a number.
    """
    headers = context.request.headers
    return Metadata(
        content_type=headers.get("content-type") or DEFAULT_CONTENT_TYPE,
        cache_control=headers.get("cache-control"),
        content_disposition=headers.get("content-disposition"),
        content_encoding=_parse_content_encoding(context),
        content_language=headers.get("content-language"),
        expires=_parse_expires(context),
        user=_parse_user_metadata(context),
    )


def _parse_content_encoding(context: RequestContext) -> str | None:
    text = context.request.headers.get("content-encoding")
    # The encoding of the transfer is undone before the object is stored.
    return without_aws_chunked(text) if text is not None and context.dialect.aws_chunked else text


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


def _parse_user_metadata(context: RequestContext) -> dict[str, str]:
    prefix, limit = "meta-", context.limits.metadata
    metadata = {
        name[len(prefix) :]: value for name, value in context.service_headers.items() if name.startswith(prefix)
    }
    size = metadata_size(metadata)
    if size > limit:
        raise METADATA_TOO_LARGE.error(
            explanation=f"the user metadata has {size:,} bytes of UTF-8, more than the {limit:,} that are accepted",
            Size=str(size),
            MaxSizeAllowed=str(limit),
        )
    if context.form is not None:  # its fields are text, which nothing encodes [metadata-of-a-form]
        return metadata
    if context.semantics.metadata_is_decoded:
        return {name: decode_words(value) for name, value in metadata.items()}
    return metadata


def metadata_size(metadata: Mapping[str, str]) -> int:
    """Return the size that the limit of user metadata bounds: the UTF-8 bytes of names and values together."""
    return sum(_utf8_size(name) + _utf8_size(value) for name, value in metadata.items())


def _utf8_size(text: str) -> int:
    """Return the UTF-8 size of header text, whose characters stand for bytes that may be UTF-8 already."""
    if text.isascii():
        return len(text)
    try:
        wire = text.encode("latin-1")
        wire.decode()
    except UnicodeError:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(wire)


def _parse_expires(context: RequestContext) -> str | None:
    text = context.request.headers.get("expires")
    if text is not None and context.semantics.expires_is_number and parse_integer(text) is None:
        raise invalid_argument(
            "Expires",
            text,
            explanation=f"Expires is {text!r}; send the milliseconds before expiration, with at most 18 digits",
        )
    return text


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


def expiration_headers(bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the expiration header, if a lifecycle rule applies to the current object `version`."""
    expiry = bucket.get_expiry(version)
    if expiry is None:
        return {}
    # Percent-encoded, because the id may hold quotation marks, line breaks and any script. [rule-id-is-encoded]
    rule_id = quote(expiry.rule_id, safe="")
    return {"expiration": f'expiry-date="{http_date(expiry.date)}", rule-id="{rule_id}"'}


def version_headers(bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the version id header for a version that is read, if the bucket was ever versioned."""
    return {} if bucket.versioning is Versioning.NEVER else {"version-id": version.version_id}


def put_response_headers(bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the dialect's headers for a version that was just written. A null version has no version id header."""
    headers = expiration_headers(bucket, version)
    if version.version_id != NULL:
        headers["version-id"] = version.version_id
    return headers | encryption_headers(version.server_side_encryption)


def get_response_headers(
    version: ObjectVersion, semantics: Semantics, now: datetime
) -> tuple[dict[str, str], dict[str, str]]:
    """Return everything that was stored with the object: standard headers, and those of the dialect."""
    metadata = version.all_metadata
    standard: dict[str, str | None] = {
        "Accept-Ranges": "bytes",
        "Content-Type": metadata.content_type,
        "Cache-Control": metadata.cache_control,
        "Content-Disposition": metadata.content_disposition,
        "Content-Encoding": metadata.content_encoding,
        "Content-Language": metadata.content_language,
        "Expires": metadata.expires,
    }
    encode = encode_words if semantics.metadata_is_decoded else str
    service = {f"meta-{name}": encode(value) for name, value in metadata.user.items()} | encryption_headers(
        version.server_side_encryption
    )
    if version.tags:
        service["tagging-count"] = str(len(version.tags))
    if version.redirect is not None:
        service["website-redirect-location"] = version.redirect
    # The recorded service omits the default class. [storage-class-header]
    if version.storage_class is not StorageClass.STANDARD:
        service["storage-class"] = version.storage_class
    service |= restore_headers(version, now)
    return {name: value for name, value in standard.items() if value is not None}, service
