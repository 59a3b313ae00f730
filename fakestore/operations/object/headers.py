"""What travels with an object in headers: asked for by a PUT or a copy, answered by a GET."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from fakestore.http.fields import check_header_section, read_integer, read_user_metadata
from fakestore.model.acl import RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_ARGUMENT, INVALID_RANGE, INVALID_STORAGE_CLASS
from fakestore.model.object_version import (
    DEFAULT_CONTENT_TYPE,
    Encryption,
    Metadata,
    ObjectVersion,
    StorageClass,
)
from fakestore.model.version_ids import NULL
from fakestore.operations.core.authorization import Access, Right, authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.grants import acl_from_headers
from fakestore.protocol.dialect import Dialect

#: Beside what writing the object needs.
SET_ACL = Access("s3:PutObjectAcl", Right.ANY_ACCOUNT)


class PutHeaders(NamedTuple):
    """What the headers of a PUT or a copy ask for, beside content and metadata; ``acl`` where they ask for one."""

    storage_class: StorageClass
    encryption: Encryption | None
    acl: RequestedAcl | None


def asked_of(call: Call) -> PutHeaders:
    """Read and check the headers of the object to be written, but for its metadata; the body is not touched.

    Raises:
        ErrorResponse: RequestHeaderSectionTooLarge, InvalidStorageClass, InvalidArgument, and those of the ACL;
            AccessDenied, where the policy denies to set one. [acl-of-a-put]
    """
    check_header_section(call.request, call.limits)
    acl = acl_from_headers(call)
    if acl is not None:
        with call.bucket() as bucket:
            authorize_acl(call, bucket)
    return PutHeaders(
        _storage_class(call.own_headers.get("storage-class")),
        _encryption(call.own_headers.get("server-side-encryption"), call.dialect),
        acl,
    )


def authorize_acl(call: Call, bucket: BucketRecord) -> None:
    """Refuse a request that asks for an ACL, where the policy denies to set one: AccessDenied. [acl-of-a-put]"""
    authorize(SET_ACL, call.account, bucket, call.key, None)


def metadata_of(call: Call) -> Metadata:
    """The metadata that the headers state.

    Raises:
        ErrorResponse: MetadataTooLarge; InvalidArgument, for an Expires that is none.
    """
    headers = call.request.headers
    user = read_user_metadata(call.own_headers, call.limits)
    return Metadata(
        content_type=headers.get("content-type") or DEFAULT_CONTENT_TYPE,
        cache_control=headers.get("cache-control"),
        content_disposition=headers.get("content-disposition"),
        content_encoding=headers.get("content-encoding"),
        content_language=headers.get("content-language"),
        expires=_expires(headers.get("expires")),
        user=user,
    )


def _expires(value: str | None) -> str | None:
    if value is not None and read_integer(value) is None:
        raise INVALID_ARGUMENT.error(
            explanation=f"Expires is {value!r}; it is an integer of at most 18 digits, the number of milliseconds"
            " before expiration",
            ArgumentName="Expires",
            ArgumentValue=value,
        )
    return value


def _storage_class(value: str | None) -> StorageClass:
    if value is None:
        return StorageClass.STANDARD
    try:
        return StorageClass(value)
    except ValueError:
        raise INVALID_STORAGE_CLASS.error(
            explanation=f"{value!r} is no storage class; there are {', '.join(StorageClass.__members__)}",
            StorageClassRequested=value,
        ) from None


def _encryption(value: str | None, dialect: Dialect) -> Encryption | None:
    if value is None:
        return None
    try:
        return Encryption(value)
    except ValueError:
        raise INVALID_ARGUMENT.error(
            "The encryption method specified is not supported",
            explanation=f"{value!r} is no encryption algorithm; there are {', '.join(e.value for e in Encryption)}",
            ArgumentName=f"{dialect.header_prefix}server-side-encryption",
            ArgumentValue=value,
        ) from None


def written_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Version id (not of a null version), expiration and encryption of what was just written."""
    headers = call.expiration_headers(bucket, version)
    call.version_id = version.version_id
    if version.version_id != NULL:
        headers[f"{call.dialect.header_prefix}version-id"] = version.version_id
    if version.encryption is not None:
        headers[f"{call.dialect.header_prefix}server-side-encryption"] = version.encryption.value
    return headers


def object_headers(call: Call, version: ObjectVersion) -> dict[str, str]:
    """Everything that was stored with the object, as it was sent."""
    prefix = call.dialect.header_prefix
    metadata = version.all_metadata
    headers = {"Accept-Ranges": "bytes", "Content-Type": metadata.content_type}
    optional: Mapping[str, str | None] = {
        "Cache-Control": metadata.cache_control,
        "Content-Disposition": metadata.content_disposition,
        "Content-Encoding": metadata.content_encoding,
        "Content-Language": metadata.content_language,
        "Expires": metadata.expires,
        f"{prefix}server-side-encryption": version.encryption and version.encryption.value,
        # The recorded service leaves the default class out. [storage-class-header]
        f"{prefix}storage-class": version.storage_class.value
        if version.storage_class is not StorageClass.STANDARD
        else None,
    }
    headers |= {name: value for name, value in optional.items() if value is not None}
    headers |= {f"{prefix}meta-{name}": value for name, value in metadata.user.items()}
    return headers


_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)", re.ASCII)


def range_of(header: str | None, version: ObjectVersion) -> range | None:
    """The bytes that a Range header asks for; ``None`` for all, also where it is malformed or asks for several.

    Raises:
        ErrorResponse: InvalidRange, where it asks for none of the bytes there are.
    """
    found = _RANGE.fullmatch(header) if header is not None else None
    if found is None or found[0] == "bytes=-":
        return None
    size = version.size
    first, last = map(_byte_number, found.groups())
    if found[1] and found[2] and last < first:
        return None
    if not found[1]:
        first, last = size - min(last, size), size - 1
    elif not found[2]:
        last = size - 1
    if first >= size:
        raise INVALID_RANGE.error(
            explanation=f"Range is {header!r} and the object has {size:,} bytes",
            RangeRequested=header or "",
            ActualObjectSize=str(size),
        )
    return range(first, min(last, size - 1) + 1)


def _byte_number(digits: str) -> int:
    """A position in content; what is beyond the end of any content stays beyond it, however many digits it has."""
    return int(digits or "0") if len(digits) <= 18 else 10**18
