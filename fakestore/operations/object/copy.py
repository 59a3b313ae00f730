"""PUT Object Copy: an object made from one that is stored already."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from fakestore.documents.copy import CopyObjectResult
from fakestore.documents.error import render_error
from fakestore.documents.shape import render
from fakestore.http.messages import Reply
from fakestore.messages import ASKED_FOR
from fakestore.model.acl import PRIVATE
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_ARGUMENT, INVALID_REQUEST, METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.model.history import NULL, Encryption, ObjectVersion
from fakestore.model.names import check_key
from fakestore.operations.core.authorization import authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.grants import ACL_HEADERS
from fakestore.operations.core.preconditions import COPY_CONDITIONS, WRITE_CONDITIONS, Conditions, write_conditions
from fakestore.operations.core.registry import operation
from fakestore.operations.object.headers import asked_of, metadata_of, written_headers
from fakestore.operations.object.object import PUT, READ, READ_VERSION


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
    asked = asked_of(call)
    # Metadata that is not used is not looked at. [metadata-directive]
    replacement = metadata_of(call) if replaces_metadata(call) else None
    conditions = Conditions.of(call, f"{call.dialect.header_prefix}copy-source-")
    check = write_conditions(call)
    name, key, version_id = copy_source_of(call)
    with call.bucket(name) as source_bucket:
        source = copied_version(source_bucket, key, version_id)
        read = READ if version_id is None else READ_VERSION
        authorize(read, call.account, source_bucket, key, version_id)
        is_current = source_bucket.newest(key) is source
    check_copy(call, source, name, is_current=is_current, replaces=replacement is not None)
    if failed := conditions.failed(source, call.now):
        raise failed.refusal()
    with call.bucket() as bucket:
        if check is not None:
            check(bucket)
        if call.interrupted is not None:
            call.explanations.append(ASKED_FOR)
            embedded = render_error(call.interrupted(), call.address.resource, call.ids, leading_blanks=8)
            return Reply(200, body=embedded, chunked=True)
        copy = bucket.put(
            call.key,
            source.content,
            source.etag,
            requested_acl=asked.acl or PRIVATE,
            owner=call.account,
            metadata=source.all_metadata if replacement is None else replacement,
            storage_class=asked.storage_class,
            encryption=asked.encryption,
            now=call.now,
        )
        headers = written_headers(call, bucket, copy)
    if source.version_id != NULL:
        headers[f"{call.dialect.header_prefix}copy-source-version-id"] = source.version_id
    result = CopyObjectResult(last_modified=copy.last_modified, etag=copy.etag)
    return Reply(200, headers, render(result, call.dialect.xml_namespace), chunked=True)


def copy_source_of(call: Call) -> tuple[str, str, str | None]:
    """Bucket, key and version id that ``x-svc-copy-source`` names; percent-decoded once, ``+`` being a space.

    Raises:
        ErrorResponse: InvalidArgument, for a value of another form.
    """
    header = f"{call.dialect.header_prefix}copy-source"
    value = call.own_headers.get("copy-source") or ""
    path, question_mark, query = value.partition("?")
    parameter, _, version_id = query.partition("=")
    try:
        decoded = unquote_to_bytes(path.replace("+", " ").encode("latin-1")).decode()
    except UnicodeError:
        raise _bad_source(header, value, "is not UTF-8 once it is percent-decoded") from None
    name, slash, key = decoded.removeprefix("/").partition("/")
    if not slash or not name or not key:
        raise _bad_source(header, value, "has not the form /<bucket>/<key>, percent-encoded")
    if question_mark and parameter != "versionId":
        raise _bad_source(header, value, "has behind its '?' not versionId=<id>; in a key write '?' as %3F")
    check_key(key)
    return name, key, version_id if question_mark else None


def _bad_source(header: str, value: str, why: str) -> ErrorResponse:
    return INVALID_ARGUMENT(
        "Invalid copy source object key",
        explanation=f"{header} is {value!r}, which {why}",
        ArgumentName=header,
        ArgumentValue=header,
    )


def copied_version(bucket: BucketRecord, key: str, version_id: str | None) -> ObjectVersion:
    """The version to copy.

    A delete marker is not told in headers, which would speak of the destination; one that is named by its id is
    refused in a way of its own.
    """
    try:
        return bucket.version(key, version_id)
    except ErrorResponse as refusal:
        refusal.marker = None
        if refusal.error is not METHOD_NOT_ALLOWED:
            raise
        raise INVALID_REQUEST(
            "The source of a copy request may not specifically refer to a delete marker by version id.",
            explanation=refusal.explanation,
        ) from None


def replaces_metadata(call: Call) -> bool:
    """Whether the directive asks for the request's metadata in place of the source's.

    Raises:
        ErrorResponse: InvalidArgument, for a directive that is neither COPY nor REPLACE.
    """
    directive = call.own_headers.get("metadata-directive")
    if directive not in (None, "COPY", "REPLACE"):
        raise INVALID_ARGUMENT(
            "Unknown metadata directive.",
            explanation=f"the metadata directive is {directive!r}; there are COPY and REPLACE",
            ArgumentName=f"{call.dialect.header_prefix}metadata-directive",
            ArgumentValue=directive or "",
        )
    return directive == "REPLACE"


def check_copy(call: Call, source: ObjectVersion, source_bucket: str, *, is_current: bool, replaces: bool) -> None:
    """Refuse a source over the limit, and a copy onto itself that changes nothing: InvalidRequest.

    ``is_current`` is whether the source is the newest of its key: to copy an earlier version brings it back.
    """
    if source.size > call.limits.copy_size:
        raise INVALID_REQUEST(
            f"The specified copy source is larger than the maximum allowable size for a copy source: "
            f"{call.limits.copy_size}",
            explanation=f"{source!r} has {source.size:,} bytes; a copy takes {call.limits.copy_size:,} at most",
        )
    changes = (
        replaces
        or call.own_headers.get("storage-class") is not None
        or call.own_headers.get("server-side-encryption") is not None
        # It is not carried over, so it changes. [copy-of-kms-onto-itself]
        or source.encryption is Encryption.KMS
    )
    onto_itself = source_bucket == call.address.bucket and source.key == call.key
    if onto_itself and not changes and is_current:
        raise INVALID_REQUEST(
            "This copy request is illegal because it is trying to copy an object to itself without changing the"
            " object's metadata, storage class, website redirect location or encryption attributes.",
            explanation=f"{source.key!r} is copied onto itself and nothing changes",
        )
