"""The headers about an object: in a request that writes it, and in replies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl, quote

from fakestore.errors import (
    INVALID_OBJECT_STATE,
    INVALID_REDIRECT_LOCATION,
    INVALID_STORAGE_CLASS,
    MALFORMED_XML,
    METADATA_TOO_LARGE,
    ErrorResponse,
    invalid_argument,
)
from fakestore.http.headers import decode_words, encode_words
from fakestore.http.values import http_date, parse_integer, without_aws_chunked
from fakestore.messages import counted
from fakestore.model.acl import PRIVATE, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.encryption import ServerSideEncryption
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.object_lock import UNLOCKED, Lock
from fakestore.model.object_version import (
    DEFAULT_CONTENT_TYPE,
    NO_METADATA,
    NO_USER_METADATA,
    NULL,
    Metadata,
    NewObject,
    ObjectVersion,
)
from fakestore.model.semantics import Semantics
from fakestore.model.storage_class import Restoration, StorageClass
from fakestore.model.tagging import (
    NO_TAGS,
    OBJECT_TAGS,
    TAG_KEY_LENGTH,
    TAG_VALUE_LENGTH,
    RequestedTagging,
    is_tag_text,
    tag_pairs,
)
from fakestore.model.versioning import Versioning
from fakestore.operations.acl_headers import ACL_HEADERS, check_accepts_acl, parse_acl_headers
from fakestore.operations.encryption import (
    ENCRYPTION_HEADERS,
    check_is_not_blocked,
    check_kms_key,
    encryption_headers,
    parse_encryption,
)
from fakestore.operations.framework.acceptance import check_header_section
from fakestore.operations.framework.access import BUCKET_OWNER, NOTHING, Access
from fakestore.operations.framework.body import ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import Sent, header, headers, read_header, value
from fakestore.operations.framework.parameters import Parameters, parameters, shared_fields
from fakestore.operations.lock_headers import LOCK_HEADERS, check_has_object_lock, lock_access, parse_lock
from fakestore.xml.document import parse, parse_xml

#: The header, without the prefix of the dialect.
TAGGING_HEADER = "tagging"


def parse_new_tags(call: Call) -> FrozenMapping:
    """Return the tags that a header states, or a document in the field of a form."""
    if call.fields is None:
        tags: FrozenMapping = read_header(call, TAGGING_HEADER, parse_tagging_header, NO_TAGS)
        return tags
    text = call.fields.get(TAGGING_HEADER)
    if text is None:
        return NO_TAGS
    body, namespace = text.encode(), call.dialect.xml_namespace
    if parse_xml(body, MALFORMED_XML, namespace).tag != "Tagging":
        return NO_TAGS  # as recorded
    return OBJECT_TAGS.check(tag_pairs(parse(RequestedTagging, body, namespace).tags))


def parse_tagging_header(sent: Sent) -> FrozenMapping:
    """Return the tags that the header states. A key without ``=`` has an empty value. [tagging-header]"""
    try:
        pairs = parse_qsl(sent.text.encode("ascii").decode(), keep_blank_values=True, errors="strict")
    except ValueError:
        raise _invalid(sent, "it is not percent-encoded UTF-8") from None
    if len(dict(pairs)) < len(pairs):
        raise _invalid(sent, "a key is repeated")
    for key, content in pairs:
        if not (is_tag_text(key, 1, TAG_KEY_LENGTH) and is_tag_text(content, 0, TAG_VALUE_LENGTH)):
            raise _invalid(sent, f"{key!r} = {content!r} is not a valid tag")
    return OBJECT_TAGS.check(pairs)


def _invalid(sent: Sent, problem: str) -> ErrorResponse:
    return invalid_argument(
        sent.name,
        sent.text,
        f"The header '{sent.name}' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name"
        " duplicates.",
        explanation=f"{sent.name} is {sent.text!r}: {problem}",
    )


def check_is_readable(version: ObjectVersion, now: datetime, message: str | None = None) -> None:
    """Check that the content of a version can be read.

    Args:
        version: The version.
        now: The present time.
        message: The message of the error; by default, the message in the table of codes.
    """
    if not version.is_readable(now):
        raise INVALID_OBJECT_STATE.error(
            message,
            explanation=f"{version.key!r} has the storage class {version.storage_class} and is not restored; restore"
            " it with POST Object restore",
            StorageClass=str(version.storage_class),
        )


def current_restoration(version: ObjectVersion, now: datetime) -> Restoration | None:
    """Return the restoration of a version, or None if it was not requested or has expired."""
    restoration = version.restoration
    return None if restoration is None or now >= restoration.expires else restoration


def restore_headers(version: ObjectVersion, now: datetime) -> dict[str, str]:
    """Return the dialect's header about the restoration of a version, if one is requested and has not expired."""
    restoration = current_restoration(version, now)
    if restoration is None:
        return {}
    if now < restoration.ready:
        return {"restore": 'ongoing-request="true"'}
    return {"restore": f'ongoing-request="false", expiry-date="{http_date(restoration.expires)}"'}


#: The headers that are metadata, beside those of the dialect.
_STANDARD_HEADERS = frozenset(
    {"content-type", "cache-control", "content-disposition", "content-encoding", "content-language", "expires"}
)


def parse_metadata(call: Call) -> Metadata:
    """Return the metadata that the headers state."""
    headers = call.headers
    if not call.service_headers and _STANDARD_HEADERS.isdisjoint(headers):
        return NO_METADATA
    return Metadata(
        content_type=headers.get("content-type") or DEFAULT_CONTENT_TYPE,
        cache_control=headers.get("cache-control"),
        content_disposition=headers.get("content-disposition"),
        content_encoding=_parse_content_encoding(call),
        content_language=headers.get("content-language"),
        expires=_parse_expires(call),
        user=_parse_user_metadata(call),
    )


def _parse_content_encoding(call: Call) -> str | None:
    text = call.headers.get("content-encoding")
    # The encoding of the transfer is undone before the object is stored.
    return without_aws_chunked(text) if text is not None and call.dialect.aws_chunked else text


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
    if call.fields is not None:  # they are text, which nothing encodes [metadata-of-a-form]
        return metadata
    if call.semantics.metadata_is_decoded:
        return {name: decode_words(value) for name, value in metadata.items()}
    return metadata


def _parse_expires(call: Call) -> str | None:
    text = call.headers.get("expires")
    if text is not None and call.semantics.expires_is_number and parse_integer(text) is None:
        raise invalid_argument(
            "Expires",
            text,
            explanation=f"Expires is {text!r}; send the milliseconds before expiration, with at most 18 digits",
        )
    return text


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


def metadata_headers(metadata: Metadata, semantics: Semantics) -> tuple[dict[str, str], dict[str, str]]:
    """Return the standard headers of the metadata, and the dialect's headers of the user metadata."""
    if metadata is NO_METADATA:  # as of most objects
        return {"Content-Type": metadata.content_type}, {}
    standard = {
        "Content-Type": metadata.content_type,
        "Cache-Control": metadata.cache_control,
        "Content-Disposition": metadata.content_disposition,
        "Content-Encoding": metadata.content_encoding,
        "Content-Language": metadata.content_language,
        "Expires": metadata.expires,
    }
    user: dict[str, str] = {}
    if metadata.user is not NO_USER_METADATA:
        encode = encode_words if semantics.metadata_is_decoded else str
        user = {f"meta-{name}": encode(value) for name, value in metadata.user.items()}
    return {name: value for name, value in standard.items() if value is not None}, user


#: The access that a PUT or copy with an ACL needs in addition. Every requester has it unless a policy denies it.
#: [denied-acl-headers]
_PUT_ACL = Access("s3:PutObjectAcl", NOTHING)

#: The access that is needed to set the tags of an object, also with the object itself.
PUT_OBJECT_TAGGING = Access(
    "s3:PutObjectTagging", BUCKET_OWNER, version=Access("s3:PutObjectVersionTagging", BUCKET_OWNER)
)


def _parse_storage_class(sent: Sent) -> StorageClass:
    known = sent.call.semantics.storage_classes
    if sent.text not in known:
        raise INVALID_STORAGE_CLASS.error(
            explanation=f"unknown storage class {sent.text!r}; expected one of {', '.join(sorted(known))}",
            StorageClassRequested=sent.text,
        )
    return StorageClass(sent.text)


def _parse_redirect(sent: Sent) -> str:
    """Return where a website redirects requests for the object."""
    if not sent.text.startswith(("/", "http://", "https://")):
        raise INVALID_REDIRECT_LOCATION.error(
            explanation=f"{sent.name} is {sent.text!r}; expected a path that begins with '/', or a URL of http or"
            " https",
        )
    return sent.text


@shared_fields
class ObjectHeaders(Parameters):
    """The headers about the new object that PUT, copies, forms and uploads have in common.

    Args:
        acl: The ACL; None if the request names none.
        storage_class: The storage class; None if the request names none.
        encryption: The encryption; None if the request names none.
        metadata: The metadata; None if a copy keeps that of its source.
        tags: The tags; None if a copy keeps those of its source.
        redirect: The location to which a website redirects; None if the request names none.
        lock: The retention and the legal hold. A form states none.
    """

    acl: RequestedAcl | None = headers(parse_acl_headers, *ACL_HEADERS)
    storage_class: StorageClass | None = header("storage-class", _parse_storage_class)
    encryption: ServerSideEncryption | None = headers(parse_encryption, *ENCRYPTION_HEADERS)
    metadata: Metadata | None = value(parse_metadata, headers=("meta-*",))
    tags: FrozenMapping | None = header(TAGGING_HEADER, parse_tagging_header, default=NO_TAGS)
    redirect: str | None = header("website-redirect-location", _parse_redirect)
    lock: Lock = UNLOCKED

    @classmethod
    def check_request(cls, call: Call) -> None:
        """Check the size of the header section."""
        check_header_section(call.request, call.limits)

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The accesses to set an ACL, tags, a retention and a legal hold, each if the request has some."""
        acl = () if self.acl is None else (_PUT_ACL,)
        tags = (PUT_OBJECT_TAGGING,) if self.tags else ()
        lock = () if self.lock is UNLOCKED else lock_access(self.lock)
        return (*acl, *tags, *lock)

    def check(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the bucket accepts such an object."""
        if self.acl is not None:
            check_accepts_acl(bucket, self.acl)
        check_is_not_blocked(bucket, self.encryption)
        if self.encryption is not None or bucket.encryption.default is not None:  # otherwise the service has the key
            check_kms_key(call, bucket, bucket.complete_encryption(self.encryption))
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


@parameters
class PutHeaders(ObjectHeaders):
    """The headers of a PUT about the new object."""

    lock: Lock = headers(parse_lock, *LOCK_HEADERS, default=UNLOCKED)


#: What a quoted string in a header cannot have: quotation marks, backslashes, and all that is no printable ISO-8859-1.
_UNQUOTABLE = re.compile(r"[^\x20-\x7e\xa0-\xff]|[\"\\]")


def rule_id_in_header(rule_id: str, semantics: Semantics) -> str:
    """Return the id of a lifecycle rule as a header shows it. [rule-id-is-encoded]"""
    if semantics.rule_ids_are_encoded:
        return quote(rule_id, safe="")
    return _UNQUOTABLE.sub(lambda character: quote(character[0], safe=""), rule_id)


def expiration_headers(bucket: BucketRecord, version: ObjectVersion, semantics: Semantics) -> dict[str, str]:
    """Return the expiration header, if a lifecycle rule applies to the current object `version`."""
    expiry = bucket.get_expiry(version)
    if expiry is None:
        return {}
    rule_id = rule_id_in_header(expiry.rule_id, semantics)
    return {"expiration": f'expiry-date="{http_date(expiry.date)}", rule-id="{rule_id}"'}


def version_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the version id header for a version that is read or changed, unless versioning was never enabled."""
    if bucket.versioning is Versioning.NEVER:
        return requested_version_headers(call, version)
    return {"version-id": version.version_id}


def requested_version_headers(call: Call, version: ObjectVersion) -> dict[str, str]:
    """Return the version id header if the request names the version. [requested-version]"""
    is_named = call.version_id is not None and call.semantics.names_requested_version
    return {"version-id": version.version_id} if is_named else {}


def put_reply_headers(bucket: BucketRecord, version: ObjectVersion, semantics: Semantics) -> dict[str, str]:
    """Return the dialect's headers for a version that was just written. A null version has no version id header."""
    headers = expiration_headers(bucket, version, semantics)
    if version.version_id != NULL:
        headers["version-id"] = version.version_id
    return headers | encryption_headers(version.server_side_encryption)


def get_reply_headers(
    version: ObjectVersion, semantics: Semantics, now: datetime
) -> tuple[dict[str, str], dict[str, str]]:
    """Return everything that was stored with the object: standard headers, and those of the dialect."""
    standard, service = metadata_headers(version.all_metadata, semantics)
    service |= encryption_headers(version.server_side_encryption)
    if version.tags:
        service["tagging-count"] = str(len(version.tags))
    if version.redirect is not None:
        service["website-redirect-location"] = version.redirect
    # The public service omits the default class. [storage-classes]
    if version.storage_class is not StorageClass.STANDARD:
        service["storage-class"] = version.storage_class
    if version.restoration is not None:
        service |= restore_headers(version, now)
    return {"Accept-Ranges": "bytes", **standard}, service
