"""The headers of an object, with its metadata: in a request that writes it, and in replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from fakestore.errors import (
    INVALID_REDIRECT_LOCATION,
    INVALID_REQUEST,
    INVALID_STORAGE_CLASS,
    METADATA_TOO_LARGE,
    invalid_argument,
)
from fakestore.http.message import check_header_section
from fakestore.http.values import decode_words, encode_words, parse_integer, wire_bytes, without_aws_chunked
from fakestore.messages import counted
from fakestore.model.acl import PRIVATE, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumType
from fakestore.model.encryption import ServerSideEncryption
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.metadata import DEFAULT_CONTENT_TYPE, NO_METADATA, SYSTEM_METADATA, Metadata
from fakestore.model.object_lock import UNLOCKED, Lock
from fakestore.model.object_version import NewObject, ObjectVersion
from fakestore.model.semantics import Semantics
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import NO_TAGS
from fakestore.operations.acl import ACL_HEADERS, check_accepts_acl, parse_acl_headers
from fakestore.operations.encryption import (
    ENCRYPTION_HEADERS,
    check_is_not_blocked,
    check_kms_key,
    encryption_headers,
    parse_encryption,
)
from fakestore.operations.framework.access import NOTHING, Access
from fakestore.operations.framework.body import ReceivedBody, sends_checksum
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, RawValue, header, headers, value
from fakestore.operations.lifecycle import expiration_headers
from fakestore.operations.object_lock import (
    LOCK_HEADERS,
    PUT_LEGAL_HOLD,
    PUT_RETENTION,
    check_has_object_lock,
    lock_headers,
    parse_lock,
)
from fakestore.operations.restore import restore_headers
from fakestore.operations.tagging import PUT_TAGS, TAGGING_HEADER, parse_tagging_header
from fakestore.operations.versioning import new_version_headers, version_headers


def parse_metadata(call: Call) -> Metadata:
    has_user_metadata = any(name.startswith("meta-") for name in call.service_headers)
    if not has_user_metadata and SYSTEM_METADATA.keys().isdisjoint(call.headers):
        return NO_METADATA  # most objects share this value
    system: dict[str, Any] = {attribute: call.headers.get(name) for name, attribute in SYSTEM_METADATA.items()}
    system["content_type"] = system["content_type"] or DEFAULT_CONTENT_TYPE
    if system["content_encoding"] is not None and call.dialect.aws_chunked:
        # This coding is undone before the object is stored.
        system["content_encoding"] = without_aws_chunked(system["content_encoding"])
    _check_expires(call, system["expires"])
    return Metadata(**system, user=_parse_user_metadata(call))


def _parse_user_metadata(call: Call) -> dict[str, str]:
    prefix, limit = "meta-", call.limits.metadata
    metadata = {name[len(prefix) :]: value for name, value in call.service_headers.items() if name.startswith(prefix)}
    size = metadata_size(metadata)
    if size > limit:
        raise METADATA_TOO_LARGE.error(
            explanation=f"the user metadata has {counted(size, 'byte')} of UTF-8, more than the {limit:,} that are"
            " accepted",
            Size=str(size),
            MaxSizeAllowed=str(limit),
        )
    if call.fields:  # they are text and are never encoded [metadata-of-a-form]
        return metadata
    if call.semantics.metadata_is_decoded:
        return {name: decode_words(value) for name, value in metadata.items()}
    return metadata


def _check_expires(call: Call, text: str | None) -> None:
    if text is not None and call.semantics.expires_is_number and parse_integer(text) is None:
        raise invalid_argument(
            "Expires",
            text,
            explanation=f"Expires is {text!r}; send the milliseconds before expiration, with at most 18 digits",
        )


def metadata_size(metadata: Mapping[str, str]) -> int:
    """Return the size of user metadata: the UTF-8 bytes of names and values together."""
    return sum(_utf8_size(name) + _utf8_size(value) for name, value in metadata.items())


def _utf8_size(text: str) -> int:
    """Return the UTF-8 size of header text. Its characters stand for bytes, which may be UTF-8 already."""
    wire = wire_bytes(text)
    try:
        wire.decode()
    except UnicodeDecodeError:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(wire)


#: The additional access for a PUT or copy with an ACL. Every requester has it unless a policy denies it.
#: [denied-acl-headers]
PUT_ACL = Access("s3:PutObjectAcl", NOTHING)


def _parse_storage_class(sent: RawValue) -> StorageClass:
    known = sent.call.semantics.storage_classes
    if sent.text not in known:
        raise INVALID_STORAGE_CLASS.error(
            explanation=f"unknown storage class {sent.text!r}; expected one of {', '.join(sorted(known))}",
            StorageClassRequested=sent.text,
        )
    return StorageClass(sent.text)


def _parse_redirect(sent: RawValue) -> str:
    """Return where a website redirects requests for the object."""
    if not sent.text.startswith(("/", "http://", "https://")):
        raise INVALID_REDIRECT_LOCATION.error(
            explanation=f"{sent.name} is {sent.text!r}; expected a path that begins with '/', or a URL of http or"
            " https",
        )
    return sent.text


class ObjectHeaders(Parameters):
    """The headers of a new object that PUT, copies, forms and uploads have in common.

    Args:
        metadata: The metadata; None if a copy keeps the metadata of its source.
        tags: The tags; None if a copy keeps the tags of its source.
        lock: The retention and the legal hold. Only :class:`LockableHeaders` reads them.
    """

    acl: RequestedAcl | None = headers(parse_acl_headers, *ACL_HEADERS)
    storage_class: StorageClass | None = header("storage-class", _parse_storage_class)
    encryption: ServerSideEncryption | None = headers(parse_encryption, *ENCRYPTION_HEADERS)
    metadata: Metadata | None = value(parse_metadata, headers=("meta-*",))
    tags: FrozenMapping | None = header(TAGGING_HEADER, parse_tagging_header, default=NO_TAGS)
    redirect: str | None = header("website-redirect-location", _parse_redirect)
    lock: Lock = UNLOCKED

    further_access: ClassVar[tuple[Access, ...]] = (PUT_ACL, PUT_TAGS)

    @classmethod
    def check_raw(cls, call: Call) -> None:
        check_header_section(call.received, call.limits.header_section)

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The accesses for the ACL and the tags in the request."""
        acl = () if self.acl is None else (PUT_ACL,)
        tags = (PUT_TAGS,) if self.tags else ()
        return (*acl, *tags)

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the bucket accepts such an object."""
        if self.acl is not None:
            check_accepts_acl(bucket, self.acl)
        check_is_not_blocked(bucket, self.encryption)
        if self.encryption is not None or bucket.encryption.default is not None:  # otherwise the service has the key
            check_kms_key(call, bucket, bucket.complete_encryption(self.encryption))

    def new_object(self, body: ReceivedBody, source: ObjectVersion | None = None) -> NewObject:
        """Return the object to store. It may keep the metadata and the tags of `source`."""
        metadata = NO_METADATA if source is None else source.all_metadata
        tags = NO_TAGS if source is None else source.tags
        return NewObject(
            content=body.content,
            etag=body.etag,
            all_metadata=metadata if self.metadata is None else self.metadata,
            storage_class=self.storage_class or StorageClass.STANDARD,
            encryption=self.encryption,
            acl=self.acl or PRIVATE,
            checksum=body.checksum,
            tags=tags if self.tags is None else self.tags,
            redirect=self.redirect,
            lock=self.lock,
        )


class LockableHeaders(ObjectHeaders):
    """The headers of a new object that may have a retention and a legal hold."""

    lock: Lock = headers(parse_lock, *LOCK_HEADERS, default=UNLOCKED)

    further_access = (*ObjectHeaders.further_access, PUT_RETENTION, PUT_LEGAL_HOLD)

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The accesses for the ACL, the tags, the retention and the legal hold in the request."""
        retention = () if self.lock.retention is None else (PUT_RETENTION,)
        legal_hold = () if self.lock.legal_hold is None else (PUT_LEGAL_HOLD,)
        return (*super().required_access, *retention, *legal_hold)

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        super().check_state(call, bucket)
        if self.lock != UNLOCKED:
            # Requests about the lock of a stored version have another message (facts object_lock-014 and -034).
            check_has_object_lock(bucket, "Bucket is missing ObjectLockConfiguration")


class PutHeaders(LockableHeaders):
    """The headers of a PUT for the new object."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the bucket accepts the headers, and that a locked object comes with its MD5 or a checksum."""
        super().check_state(call, bucket)
        if self.lock != UNLOCKED and not sends_checksum(call):
            raise INVALID_REQUEST.error(
                f"Content-MD5 OR {call.dialect.header('checksum-')} HTTP header is required for Put Object requests"
                " with Object Lock parameters"
            )


def put_reply_headers(bucket: BucketRecord, version: ObjectVersion, semantics: Semantics) -> dict[str, str]:
    """Return the dialect's headers for a new version."""
    headers = expiration_headers(bucket, version, semantics) | new_version_headers(version)
    return headers | encryption_headers(version.server_side_encryption)


def read_reply_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the dialect's headers for a version that is read, even if the reader has it already."""
    service_headers = version_headers(call, bucket, version)
    return service_headers if call.version_id else service_headers | expiration_headers(bucket, version, call.semantics)


def stored_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the dialect's headers for what is stored with an object."""
    encode = encode_words if call.semantics.metadata_is_decoded else str
    headers = {f"meta-{name}": encode(value) for name, value in version.metadata.items()}
    headers |= encryption_headers(version.server_side_encryption)
    if version.tags:
        headers["tagging-count"] = str(len(version.tags))
    if version.redirect is not None:
        headers["website-redirect-location"] = version.redirect
    # The public service omits the default class. [storage-classes]
    if version.storage_class is not StorageClass.STANDARD:
        headers["storage-class"] = version.storage_class
    return headers | restore_headers(version, call.now) | lock_headers(call, bucket, version)


def checksum_headers(
    version: ObjectVersion, part_number: int | None = None, *, is_whole: bool = True
) -> dict[str, str]:
    """Return the dialect's headers with the checksum of a version, or of the one part that is read.

    Args:
        part_number: The part that is read; None for the whole version. The part has its own checksum if the version has
            a composite checksum. [checksum-of-an-upload]
    """
    checksum = version.checksum
    if checksum is None:
        return {}
    if part_number is not None and version.parts and checksum.type is ChecksumType.COMPOSITE:
        of_part = version.parts[part_number - 1].checksum
        checksum = checksum if of_part is None else replace(of_part, type=checksum.type)
    elif not is_whole:
        return {}
    return {f"checksum-{checksum.algorithm.lower()}": checksum.value, "checksum-type": str(checksum.type)}
