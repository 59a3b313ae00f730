"""PUT Object Copy."""

from __future__ import annotations

from fakestore.errors import INVALID_REQUEST, invalid_argument
from fakestore.messages import iso_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import (
    Checksum,
    ChecksumAlgorithm,
    ChecksumElements,
    ChecksumType,
    checksum_elements,
    compute_checksum,
)
from fakestore.model.encryption import hides_md5
from fakestore.model.entity_tag import EntityTag
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.metadata import Metadata
from fakestore.model.object_version import Change, ObjectVersion
from fakestore.model.tagging import NO_TAGS
from fakestore.operations.copy_source import NO_ANONYMOUS_COPIES, CopySource
from fakestore.operations.encryption import ENCRYPTION_HEADERS, context_header
from fakestore.operations.framework.access import BUCKET_WRITE, Access
from fakestore.operations.framework.body import ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import parse_algorithm
from fakestore.operations.framework.inputs import header, read_header, value
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.preconditions import WriteConditions
from fakestore.operations.framework.result import Result
from fakestore.operations.object_headers import LockableHeaders, parse_metadata, put_reply_headers
from fakestore.operations.tagging import TAGGING_HEADER, parse_tagging_header
from fakestore.operations.versioning import copy_source_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document, render_timestamp


@document("CopyObjectResult")
class CopyObjectResult(ChecksumElements):
    """The result of a copy; ``etag`` has its quotes. The date is a text, because dialects write it differently."""

    last_modified: str = child("LastModified")
    etag: str = child("ETag")


def _replaces(call: Call, what: str) -> bool:
    """Return whether the request replaces the source's metadata or tagging."""
    directive = call.service_headers.get(f"{what}-directive", "COPY")
    if directive not in ("COPY", "REPLACE"):
        name = call.dialect.header(f"{what}-directive")
        explanation = f"{name} is {directive!r}; expected COPY or REPLACE"
        raise invalid_argument(name, directive, f"Unknown {what} directive.", explanation=explanation)
    return directive == "REPLACE"


class CopyHeaders(LockableHeaders):
    """The headers of a copy for the new object. Its metadata is read only if it replaces the source's metadata."""

    metadata: Metadata | None = value(
        lambda call: parse_metadata(call) if _replaces(call, "metadata") else None,
        headers=("meta-*", "metadata-directive"),
    )
    tags: FrozenMapping | None = value(
        lambda call: (
            read_header(call, TAGGING_HEADER, parse_tagging_header, NO_TAGS) if _replaces(call, "tagging") else None
        ),
        headers=(TAGGING_HEADER, "tagging-directive"),
    )
    checksum_algorithm: ChecksumAlgorithm | None = header("checksum-algorithm", parse_algorithm)


def _changes_source(call: Call) -> bool:
    """Return whether a copy onto itself changes metadata, storage class, redirection or encryption."""
    names = ("storage-class", "website-redirect-location", *ENCRYPTION_HEADERS)
    return _replaces(call, "metadata") or not call.service_headers.keys().isdisjoint(names)


class ObjectSource(CopySource):
    """The source of the copy of an object. A copy of an object onto itself must change something."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Refuse a copy that changes nothing in its source, and check the conditions on the source.

        A copy that names a version is never refused as unchanged. [copy-onto-itself]
        """
        onto_itself = self.address == (bucket.name, call.key, None)
        # A customer key and KMS encryption are not copied. If the bucket has a default encryption, each copy uses it.
        # So such a copy changes something. [copy-onto-itself]
        encrypts_anew = hides_md5(self.version.server_side_encryption) or bucket.encryption.default is not None
        if onto_itself and not _changes_source(call) and not encrypts_anew:
            raise INVALID_REQUEST.error(
                "This copy request is illegal because it is trying to copy an object to itself without changing the"
                " object's metadata, storage class, website redirect location or encryption attributes.",
                explanation=f"{call.key!r} is copied onto itself and nothing changes; name a new storage class,"
                " encryption or metadata",
            )
        super().check_state(call, bucket)


def _checksum_of_copy(source: ObjectVersion, requested: ChecksumAlgorithm | None) -> Checksum | None:
    """Return the checksum of a copy, by the requested algorithm or the algorithm of the source.

    Without an algorithm, return None. The bucket then computes the default checksum of the dialect, if it has one. The
    checksum of a multipart object is recomputed, because its copy has no parts.
    """
    kept = source.checksum
    algorithm = requested or (None if kept is None else kept.algorithm)
    if algorithm is None:
        return None
    if kept is not None and kept.algorithm is algorithm and kept.type is ChecksumType.FULL_OBJECT:
        return kept
    return compute_checksum(algorithm, source.content)


@operation(
    "PUT Object Copy",
    Route("PUT", "object", header="copy-source"),
    api_name="CopyObject",
    access=Access("s3:PutObject", BUCKET_WRITE),
    preconditions=WriteConditions,
    anonymous_error=NO_ANONYMOUS_COPIES,
    can_embed_error=True,
)
def put_object_copy(call: Call, bucket: BucketRecord, headers: CopyHeaders, source: ObjectSource) -> Result:
    """Copy an object (specification, section 4.2)."""
    copied = source.version
    etag = copied.content_tag or EntityTag.of(copied.content)
    body = ReceivedBody(copied.content, etag, _checksum_of_copy(copied, headers.checksum_algorithm))
    new = headers.new_object(body, copied)
    version = bucket.put(call.key, new, writer=call.account, now=call.now)
    service_headers = put_reply_headers(bucket, version, call.semantics)
    if bucket.versioning in call.semantics.copy_names_null_version_in:
        service_headers["version-id"] = version.version_id
    service_headers |= context_header(version.server_side_encryption) | copy_source_headers(call, copied)
    date = version.last_modified
    # The specification, section 4.2, shows a date without a time zone.
    shown_date = render_timestamp(date) if call.semantics.copy_dates_have_zone else iso_date(date).removesuffix("Z")
    return Result(
        service_headers=service_headers,
        document=CopyObjectResult(last_modified=shown_date, etag=version.etag, **checksum_elements(version.checksum)),
        chunked=True,
        version_id=version.version_id,
        changes=(Change("ObjectCreated:Copy", version),),
    )


OPERATIONS = (put_object_copy,)
