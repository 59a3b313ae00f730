"""The operations on objects: PUT, PUT Copy, GET, HEAD and DELETE."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote_to_bytes

from fakestore.model.acl import PRIVATE, AskedAcl
from fakestore.model.buckets import BucketRecord
from fakestore.model.errors import (
    INVALID_ARGUMENT,
    INVALID_RANGE,
    INVALID_REQUEST,
    INVALID_STORAGE_CLASS,
    METHOD_NOT_ALLOWED,
    Refusal,
)
from fakestore.model.names import check_key
from fakestore.model.versions import (
    DEFAULT_CONTENT_TYPE,
    NO_USER_METADATA,
    NULL,
    DeleteMarker,
    Encryption,
    Metadata,
    ObjectVersion,
    StorageClass,
)
from fakestore.operations.authorization import Access, Right, authorize
from fakestore.operations.call import Call
from fakestore.operations.conditions import (
    COPY_CONDITIONS,
    READ_CONDITIONS,
    WRITE_CONDITIONS,
    Conditions,
    write_conditions,
)
from fakestore.operations.grants import ACL_HEADERS, acl_from_headers
from fakestore.operations.mfa import check_mfa
from fakestore.operations.registry import operation
from fakestore.wire.errors import error_document
from fakestore.wire.headers import check_header_section, http_date, read_integer, read_user_metadata
from fakestore.wire.messages import Reply
from fakestore.wire.xml import document, root, text

PUT = Access("s3:PutObject", Right.BUCKET_WRITE)
READ = Access("s3:GetObject", Right.OBJECT_READ)
READ_VERSION = Access("s3:GetObjectVersion", Right.OBJECT_READ)
DELETE = Access("s3:DeleteObject", Right.BUCKET_WRITE)
DELETE_VERSION = Access("s3:DeleteObjectVersion", Right.BUCKET_OWNER_ALONE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the headers of a PUT or a copy ask for, beside the content."""

    metadata: Metadata
    storage_class: StorageClass
    encryption: Encryption | None
    acl: AskedAcl


@operation(
    "PUT Object",
    route="PUT object",
    access=PUT,
    headers=("meta-*", "storage-class", "server-side-encryption", *ACL_HEADERS),
    conditions=WRITE_CONDITIONS,
    takes_body=True,
)
def put_object(call: Call) -> Reply:
    asked = asked_of(call)
    check = write_conditions(call)
    if check is not None:
        with call.bucket() as bucket:
            check(bucket)
    content, digest = call.receive()
    with call.bucket() as bucket:
        if check is not None:
            check(bucket)
        version = bucket.put(
            call.key,
            content,
            f'"{digest}"',
            asked_acl=asked.acl,
            owner=call.account,
            metadata=asked.metadata,
            storage_class=asked.storage_class,
            encryption=asked.encryption,
            now=call.now,
        )
        return Reply(200, {"ETag": version.etag, **written_headers(call, bucket, version)})


@operation(
    "PUT Object Copy",
    route="PUT object from copy-source",
    access=PUT,
    headers=(
        "copy-source",
        "metadata-directive",
        "meta-*",
        "storage-class",
        "server-side-encryption",
        *COPY_CONDITIONS,
        *ACL_HEADERS,
    ),
    conditions=WRITE_CONDITIONS,
)
def put_object_copy(call: Call) -> Reply:
    call.check_no_body()
    asked = asked_of(call)
    replaces = replaces_metadata(call)
    conditions = Conditions.of(call, f"{call.dialect.header_prefix}copy-source-")
    check = write_conditions(call)
    name, key, version_id = copy_source_of(call)
    with call.bucket(name) as source_bucket:
        source = copied_version(source_bucket, key, version_id)
        read = READ if version_id is None else READ_VERSION
        authorize(read, call.account, source_bucket, key, version_id)
    check_copy(call, source, name, replaces=replaces)
    if failed := conditions.failed(source, call.now):
        raise failed.refusal()
    with call.bucket() as bucket:
        if check is not None:
            check(bucket)
        if call.interrupted is not None:
            embedded = error_document(call.interrupted(), call.address.resource, call.ids, leading_blanks=8)
            return Reply(200, body=embedded, chunked=True)
        copy = bucket.put(
            call.key,
            source.content,
            source.etag,
            asked_acl=asked.acl,
            owner=call.account,
            metadata=asked.metadata if replaces else source.all_metadata,
            storage_class=asked.storage_class,
            encryption=asked.encryption,
            now=call.now,
        )
        headers = written_headers(call, bucket, copy)
    if source.version_id != NULL:
        headers[f"{call.dialect.header_prefix}copy-source-version-id"] = source.version_id
    modified = text("LastModified", f"{copy.last_modified:%Y-%m-%dT%H:%M:%S}")
    result = root("CopyObjectResult", modified, text("ETag", copy.etag), dialect=call.dialect)
    return Reply(200, headers, document(result), chunked=True)


@operation(
    "HEAD Object",
    route="HEAD object",
    access=READ,
    version_access=READ_VERSION,
    query=("versionId",),
    conditions=READ_CONDITIONS,
)
@operation(
    "GET Object",
    route="GET object",
    access=READ,
    version_access=READ_VERSION,
    query=("versionId",),
    conditions=READ_CONDITIONS,
)
def get_object(call: Call) -> Reply:
    conditions = Conditions.of(call, "")
    with call.bucket() as bucket:
        version = bucket.version(call.key, call.named_version)
        headers = call.version_headers(bucket, version.version_id)
        if call.named_version is None:
            headers |= call.expiration_headers(bucket, version)
    headers |= {"ETag": version.etag, "Last-Modified": http_date(version.last_modified)}
    if failed := conditions.failed(version, call.now):
        if failed.unchanged:
            return Reply(304, headers)
        raise failed.refusal()
    headers |= object_headers(call, version)
    asked = range_of(call.request.headers.get("range"), version)
    if asked is None:
        return Reply(200, headers, version.content)
    headers["Content-Range"] = f"bytes {asked.start}-{asked.stop - 1}/{version.size}"
    return Reply(206, headers, version.content[asked.start : asked.stop])


@operation(
    "DELETE Object",
    route="DELETE object",
    access=DELETE,
    version_access=DELETE_VERSION,
    query=("versionId",),
)
def delete_object(call: Call) -> Reply:
    call.check_no_body()
    named = call.named_version
    prefix = call.dialect.header_prefix
    with call.bucket() as bucket:
        if named is None:
            marker = bucket.delete(
                call.key, owner=call.account, now=call.now, takes_null=call.dialect.delete_takes_null
            )
            call.version_id = marker.version_id if marker else None
        else:
            bucket.check_version_id(named)
            if bucket.mfa_delete:
                check_mfa(call, bucket)
            taken = bucket.delete_version(call.key, named)
            marker = taken if isinstance(taken, DeleteMarker) else None
            call.version_id = named
    headers = {"Content-Length": "0", f"{prefix}delete-marker": "true" if marker else "false"}
    if call.version_id is not None:
        headers[f"{prefix}version-id"] = call.version_id
    return Reply(204, headers)


# -- what a PUT and a copy ask for


def asked_of(call: Call) -> Asked:
    """Read and check every header that describes the object to be written; the body is not touched.

    Raises:
        Refusal: RequestHeaderSectionTooLarge, MetadataTooLarge, InvalidStorageClass, InvalidArgument, and those of
            the ACL.
    """
    check_header_section(call.request, call.limits)
    return Asked(
        metadata_of(call),
        _storage_class(call.header("storage-class")),
        _encryption(call.header("server-side-encryption"), f"{call.dialect.header_prefix}server-side-encryption"),
        acl_from_headers(call) or PRIVATE,
    )


def metadata_of(call: Call) -> Metadata:
    headers = call.request.headers
    user = read_user_metadata(call.request, f"{call.dialect.header_prefix}meta-", call.limits)
    return Metadata(
        content_type=headers.get("content-type") or DEFAULT_CONTENT_TYPE,
        cache_control=headers.get("cache-control"),
        content_disposition=headers.get("content-disposition"),
        content_encoding=headers.get("content-encoding"),
        content_language=headers.get("content-language"),
        expires=_expires(headers.get("expires")),
        user=MappingProxyType(user) if user else NO_USER_METADATA,
    )


def _expires(value: str | None) -> int | None:
    if value is None:
        return None
    milliseconds = read_integer(value)
    if milliseconds is None:
        raise INVALID_ARGUMENT(
            explanation=f"Expires is {value!r}; it is an integer, the number of milliseconds before expiration",
            ArgumentName="Expires",
            ArgumentValue=value,
        )
    return milliseconds


def _storage_class(value: str | None) -> StorageClass:
    if value is None:
        return StorageClass.STANDARD
    try:
        return StorageClass(value)
    except ValueError:
        raise INVALID_STORAGE_CLASS(
            explanation=f"{value!r} is no storage class; there are {', '.join(StorageClass.__members__)}",
            StorageClassRequested=value,
        ) from None


def _encryption(value: str | None, header: str) -> Encryption | None:
    if value is None:
        return None
    try:
        return Encryption(value)
    except ValueError:
        raise INVALID_ARGUMENT(
            "The encryption method specified is not supported",
            explanation=f"{value!r} is no encryption algorithm; there are {', '.join(e.value for e in Encryption)}",
            ArgumentName=header,
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


# -- the source of a copy


def copy_source_of(call: Call) -> tuple[str, str, str | None]:
    """Bucket, key and version id that ``x-svc-copy-source`` names; percent-decoded once, ``+`` being a space.

    Raises:
        Refusal: InvalidArgument, for a value of another form.
    """
    header = f"{call.dialect.header_prefix}copy-source"
    value = call.header("copy-source") or ""
    path, _, query = value.partition("?")
    parameter, _, version_id = query.partition("=")
    try:
        decoded = unquote_to_bytes(path.replace("+", " ").encode("latin-1")).decode()
    except UnicodeError:
        raise _bad_source(header, value, "is not UTF-8 once it is percent-decoded") from None
    name, slash, key = decoded.removeprefix("/").partition("/")
    if not slash or not name or not key:
        raise _bad_source(header, value, "has not the form /<bucket>/<key>, percent-encoded")
    if query and parameter != "versionId":
        raise _bad_source(header, value, "has behind its '?' not versionId=<id>; in a key write '?' as %3F")
    check_key(key)
    return name, key, version_id if query else None


def _bad_source(header: str, value: str, why: str) -> Refusal:
    return INVALID_ARGUMENT(
        "Invalid copy source object key",
        explanation=f"{header} is {value!r}, which {why}",
        ArgumentName=header,
        ArgumentValue=header,
    )


def copied_version(bucket: BucketRecord, key: str, version_id: str | None) -> ObjectVersion:
    """The version to copy; a delete marker named by its id is refused in a way of its own."""
    try:
        return bucket.version(key, version_id)
    except Refusal as refusal:
        if refusal.error is not METHOD_NOT_ALLOWED:
            raise
        raise INVALID_REQUEST(
            "The source of a copy request may not specifically refer to a delete marker by version id.",
            explanation=refusal.explanation,
        ) from None


def replaces_metadata(call: Call) -> bool:
    """Whether the directive asks for the request's metadata in place of the source's.

    Raises:
        Refusal: InvalidArgument, for a directive that is neither COPY nor REPLACE.
    """
    directive = call.header("metadata-directive")
    if directive not in (None, "COPY", "REPLACE"):
        raise INVALID_ARGUMENT(
            "Unknown metadata directive.",
            explanation=f"the metadata directive is {directive!r}; there are COPY and REPLACE",
            ArgumentName=f"{call.dialect.header_prefix}metadata-directive",
            ArgumentValue=directive or "",
        )
    return directive == "REPLACE"


def check_copy(call: Call, source: ObjectVersion, source_bucket: str, *, replaces: bool) -> None:
    """Refuse a source over the limit, and a copy onto itself that changes nothing: InvalidRequest."""
    if source.size > call.limits.copy_size:
        raise INVALID_REQUEST(
            f"The specified copy source is larger than the maximum allowable size for a copy source: "
            f"{call.limits.copy_size}",
            explanation=f"{source!r} has {source.size:,} bytes; a copy takes {call.limits.copy_size:,} at most",
        )
    changes = (
        replaces
        or call.header("storage-class") is not None
        or call.header("server-side-encryption") is not None
        # It is not carried over, so it changes. [copy-of-kms-onto-itself]
        or source.encryption is Encryption.KMS
    )
    onto_itself = source_bucket == call.address.bucket and source.key == call.key
    if onto_itself and not changes and "?" not in (call.header("copy-source") or ""):
        raise INVALID_REQUEST(
            "This copy request is illegal because it is trying to copy an object to itself without changing the"
            " object's metadata, storage class, website redirect location or encryption attributes.",
            explanation=f"{source.key!r} is copied onto itself and nothing changes",
        )


# -- what a GET answers


def object_headers(call: Call, version: ObjectVersion) -> dict[str, str]:
    """Everything that was stored with the object, as it was sent."""
    prefix = call.dialect.header_prefix
    metadata = version.all_metadata
    headers = {"Accept-Ranges": "bytes", "Content-Type": metadata.content_type}
    optional: Mapping[str, object] = {
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
    headers |= {name: str(value) for name, value in optional.items() if value is not None}
    headers |= {f"{prefix}meta-{name}": value for name, value in metadata.user.items()}
    return headers


_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)", re.ASCII)


def range_of(header: str | None, version: ObjectVersion) -> range | None:
    """The bytes that a Range header asks for; ``None`` for all, also where it is malformed or asks for several.

    Raises:
        Refusal: InvalidRange, where it asks for none of the bytes there are.
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
        raise INVALID_RANGE(
            explanation=f"Range is {header!r} and the object has {size:,} bytes",
            RangeRequested=header or "",
            ActualObjectSize=str(size),
        )
    return range(first, min(last, size - 1) + 1)


def _byte_number(digits: str) -> int:
    """A position in content; what is beyond the end of any content stays beyond it, however many digits it has."""
    return int(digits or "0") if len(digits) <= 18 else 10**18
