"""PUT Object Copy: a new object from a stored object."""

from __future__ import annotations

from datetime import datetime

from fakestore.errors import INVALID_REQUEST, invalid_argument
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumAlgorithm, ChecksumElements, checksum_elements
from fakestore.model.content import entity_tag
from fakestore.model.encryption import hides_md5
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.metadata import Metadata
from fakestore.model.object_lock import Lock
from fakestore.model.object_version import EntryId
from fakestore.operations.checksums import checksum_of_copy
from fakestore.operations.copy_source import CopiedVersion, CopySource, copy_source_headers
from fakestore.operations.encryption import context_header
from fakestore.operations.framework.access import BUCKET_WRITE, Access
from fakestore.operations.framework.body import ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import parse_requested_algorithm
from fakestore.operations.framework.fields import header, value
from fakestore.operations.framework.preconditions import WriteConditions
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.object_headers import ObjectHeaders, parse_metadata, put_reply_headers
from fakestore.operations.object_lock import new_lock_headers
from fakestore.operations.tagging import TAGGING_HEADER, parse_new_tags
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document, render_timestamp


@document("CopyObjectResult")
class CopyObjectResult(ChecksumElements):
    """The result of a copy; ``etag`` has its quotes. The date is a text, because dialects write it differently."""

    last_modified: str = child("LastModified")
    etag: str = child("ETag")


def _render_without_zone(moment: datetime) -> str:
    """Return a date to the second and without a time zone, as the specification, section 4.2, shows it."""
    return moment.replace(microsecond=0, tzinfo=None).isoformat()


def _replaces(call: Call, what: str) -> bool:
    """Return whether the request replaces the source's metadata or tagging."""
    directive = call.service_headers.get(f"{what}-directive", "COPY")
    if directive not in ("COPY", "REPLACE"):
        name = call.dialect.header(f"{what}-directive")
        explanation = f"{name} is {directive!r}; expected COPY or REPLACE"
        raise invalid_argument(name, directive, f"Unknown {what} directive.", explanation=explanation)
    return directive == "REPLACE"


class CopyHeaders(ObjectHeaders):
    """The headers of a copy for the new object. Its metadata is read only if it replaces the source's metadata."""

    metadata: Metadata | None = value(
        lambda call: parse_metadata(call) if _replaces(call, "metadata") else None,
        headers=("meta-*", "metadata-directive"),
    )
    tags: FrozenMapping | None = value(
        lambda call: parse_new_tags(call) if _replaces(call, "tagging") else None,
        headers=(TAGGING_HEADER, "tagging-directive"),
    )
    checksum_algorithm: ChecksumAlgorithm | None = header("checksum-algorithm", parse_requested_algorithm)
    lock: Lock = new_lock_headers()

    @property
    def changes_source(self) -> bool:
        """Whether a copy onto itself changes metadata, storage class, redirection or encryption."""
        # rule: copy-changes
        return (self.metadata, self.storage_class, self.redirect, self.encryption) != (None, None, None, None)


def _check_copy(call: Call, bucket: BucketRecord, headers: CopyHeaders, source: CopiedVersion) -> None:
    """Refuse a copy that the bucket does not accept, or that changes nothing in its source.

    A copy that names a version is never refused as unchanged. [copy-onto-itself]
    """
    headers.check(call, bucket)
    onto_itself = source.address == (bucket.name, call.key, None)  # rule: copy-onto-itself
    # A customer key and KMS encryption are not copied. If the bucket has a default encryption, each copy uses it. So
    # such a copy changes something. [copy-onto-itself]
    encrypts_anew = hides_md5(source.version.server_side_encryption) or bucket.encryption.default is not None
    if onto_itself and not headers.changes_source and not encrypts_anew:  # rule: copy-changes-nothing
        raise INVALID_REQUEST.error(
            "This copy request is illegal because it is trying to copy an object to itself without changing the"
            " object's metadata, storage class, website redirect location or encryption attributes.",
            explanation=f"{call.key!r} is copied onto itself and nothing changes; name a new storage class,"
            " encryption or metadata",
        )


@operation(
    "PUT Object Copy",
    Route("PUT", "object", header="copy-source"),
    api_name="CopyObject",
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=CopyHeaders,
    preconditions=WriteConditions,
    source=CopySource,
    check=_check_copy,
    can_embed_error=True,
)
def put_object_copy(call: Call, bucket: BucketRecord, headers: CopyHeaders, source: CopiedVersion) -> Result:
    """Copy an object (specification, section 4.2)."""
    copied = source.version
    digest = copied.content_digest or entity_tag(copied.content)  # rule: digest-of-copy
    body = ReceivedBody(copied.content, digest, checksum_of_copy(copied, headers.checksum_algorithm))
    new = headers.new_object(body, copied)  # rule: new-object-of-copy
    version = bucket.put(call.key, new, owner=call.owner, now=call.now)  # rule: copy-is-stored
    service_headers = put_reply_headers(bucket, version, call.semantics)
    if bucket.versioning in call.semantics.copy_names_null_version_in:  # rule: copy-names-null
        service_headers["version-id"] = version.version_id
    service_headers |= context_header(version.server_side_encryption) | copy_source_headers(call, copied)
    render_date = render_timestamp if call.semantics.copy_dates_have_zone else _render_without_zone
    return Result(
        service_headers=service_headers,
        document=CopyObjectResult(
            last_modified=render_date(version.last_modified), etag=version.etag, **checksum_elements(version.checksum)
        ),
        chunked=True,
        version_id=version.version_id,
        created=(EntryId.of(version),),
    )
