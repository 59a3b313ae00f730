"""The headers of an object: parsed from a PUT or copy, rendered for a GET."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self
from urllib.parse import quote

from fakestore.http.dates import http_date
from fakestore.http.encoded_words import decode_words, encode_words
from fakestore.http.integers import parse_integer
from fakestore.model.acl import PRIVATE, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import (
    HEADER_SECTION_TOO_LARGE,
    INVALID_STORAGE_CLASS,
    METADATA_TOO_LARGE,
    invalid_argument,
)
from fakestore.model.object_version import (
    DEFAULT_CONTENT_TYPE,
    Encryption,
    Metadata,
    NewObject,
    ObjectVersion,
    StorageClass,
)
from fakestore.model.semantics import Semantics
from fakestore.model.version_ids import NULL
from fakestore.model.versioning import Versioning
from fakestore.operations.core.acl import ACL_HEADERS, parse_acl_headers
from fakestore.operations.core.authorization import NOTHING, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters

#: What a PUT or copy that asks for an ACL needs in addition: that no policy denies it. [acl-of-a-put]
_PUT_ACL = Access("s3:PutObjectAcl", NOTHING)


class MetadataDirective(Enum):
    """Whether a copy keeps the metadata of its source."""

    COPY = "COPY"
    REPLACE = "REPLACE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutHeaders(Parameters):
    """What the headers of a PUT say about the new object.

    Args:
        metadata: The metadata; None if a copy keeps that of its source.
        storage_class: The storage class; None if the request names none.
        encryption: The encryption; None if the request names none.
        acl: The ACL; None if the request names none.
    """

    service_headers: ClassVar[tuple[str, ...]] = (
        "meta-*",
        "storage-class",
        "server-side-encryption",
        *ACL_HEADERS,
    )

    metadata: Metadata | None
    storage_class: StorageClass | None
    encryption: Encryption | None
    acl: RequestedAcl | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: RequestHeaderSectionTooLarge, InvalidStorageClass, MetadataTooLarge, InvalidArgument, and
                those of :func:`parse_acl_headers`.
        """
        _check_header_section(context)
        return cls(
            acl=parse_acl_headers(context),
            storage_class=_parse_storage_class(context),
            encryption=_parse_encryption(context),
            metadata=parse_metadata(context) if cls._replaces_metadata(context) else None,
        )

    @classmethod
    def _replaces_metadata(cls, context: RequestContext) -> bool:
        return True

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The access to set an ACL, if the request names one."""
        return () if self.acl is None else (_PUT_ACL,)

    def new_object(self, body: ReceivedBody, metadata: Metadata | None = None) -> NewObject:
        """Return the object to store.

        Args:
            body: Its content.
            metadata: The metadata of the source, for a copy that keeps it.
        """
        kept = self.metadata if self.metadata is not None else metadata
        return NewObject(
            content=body.content,
            digest=body.digest,
            metadata=Metadata() if kept is None else kept,
            storage_class=self.storage_class or StorageClass.STANDARD,
            encryption=self.encryption,
            acl=self.acl or PRIVATE,
        )


class CopyHeaders(PutHeaders):
    """What the headers of a copy say about the new object. Metadata that is not used is not read."""

    service_headers: ClassVar[tuple[str, ...]] = (*PutHeaders.service_headers, "metadata-directive")

    @classmethod
    def _replaces_metadata(cls, context: RequestContext) -> bool:
        text = context.service_headers.get("metadata-directive", MetadataDirective.COPY.value)
        try:
            return MetadataDirective(text) is MetadataDirective.REPLACE
        except ValueError:
            header = context.dialect.header("metadata-directive")
            raise invalid_argument(
                header,
                text,
                "Unknown metadata directive.",
                explanation=f"{header} is {text!r}; expected COPY or REPLACE",
            ) from None

    @property
    def changes_source(self) -> bool:
        """Whether a copy onto itself changes metadata, storage class or encryption."""
        return self.metadata is not None or self.storage_class is not None or self.encryption is not None


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
        content_encoding=headers.get("content-encoding"),
        content_language=headers.get("content-language"),
        expires=_parse_expires(context),
        user=_parse_user_metadata(context),
    )


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
        return StorageClass(text)
    except ValueError:
        raise INVALID_STORAGE_CLASS.error(
            explanation=f"unknown storage class {text!r}; expected one of {', '.join(StorageClass)}",
            StorageClassRequested=text,
        ) from None


def _parse_encryption(context: RequestContext) -> Encryption | None:
    text = context.service_headers.get("server-side-encryption")
    if text is None:
        return None
    try:
        return Encryption(text)
    except ValueError:
        raise invalid_argument(
            context.dialect.header("server-side-encryption"),
            text,
            "The encryption method specified is not supported",
            explanation=f"unknown encryption algorithm {text!r}; expected one of {', '.join(Encryption)}",
        ) from None


def expiration_headers(bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the expiration header, if a lifecycle rule applies to the current object `version`."""
    expiry = bucket.expiry_of(version)
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
    if version.encryption is not None:
        headers["server-side-encryption"] = version.encryption
    return headers


def get_response_headers(version: ObjectVersion, semantics: Semantics) -> tuple[dict[str, str], dict[str, str]]:
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
    service = {f"meta-{name}": encode(value) for name, value in metadata.user.items()}
    if version.encryption is not None:
        service["server-side-encryption"] = version.encryption
    # The recorded service omits the default class. [storage-class-header]
    if version.storage_class is not StorageClass.STANDARD:
        service["storage-class"] = version.storage_class
    return {name: value for name, value in standard.items() if value is not None}, service
