"""Initiate and Abort: the beginning of a multipart upload, and its end without an object."""

from __future__ import annotations

from fakestore.errors import ACCESS_DENIED
from fakestore.http.values import http_date
from fakestore.model.accounts import Account
from fakestore.model.acl import Permission
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumMode
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import UNLOCKED, Lock
from fakestore.model.semantics import Semantics
from fakestore.operations.checksums import parse_upload_checksum_mode
from fakestore.operations.condition_keys import object_headers
from fakestore.operations.encryption import context_header, encryption_headers
from fakestore.operations.framework.access import BUCKET_WRITE, Access, Requirement, is_granted
from fakestore.operations.framework.body import ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import headers, query
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.framework.row import operation
from fakestore.operations.lifecycle import rule_id_in_header
from fakestore.operations.object_headers import ObjectHeaders
from fakestore.operations.object_lock import LOCK_HEADERS, parse_lock
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document


@document("InitiateMultipartUploadResult")
class InitiateMultipartUploadResult:
    """The id of an upload that began."""

    bucket: str = child("Bucket")
    key: str = child("Key")
    upload_id: str = child("UploadId")


#: The content of a new object before its upload is completed.
_NO_BODY = ReceivedBody(b"", "")


class UploadFields(Parameters):
    """The query of every request for one upload."""

    upload_id: str = query("uploadId")

    def upload(self, call: Call, bucket: BucketRecord) -> MultipartUpload:
        """Return the upload that the request names."""
        return bucket.uploads.get(call.key, self.upload_id)


def _find_lack(call: Call, bucket: BucketRecord) -> str | None:
    """Return why the requester may not list or abort an upload, or None. [permissions-for-uploads]

    If the upload does not exist, a requester with WRITE in the ACL of the bucket passes, and the operation
    answers 404.
    """
    requester, upload = call.requester, bucket.uploads.find(call.key, call.query["uploadId"])
    if requester == bucket.owner or (upload is not None and requester == upload.initiator):  # rule: upload-initiator
        return None
    if upload is None and is_granted(requester, Permission.WRITE, bucket.effective_acl()):  # rule: ended-upload
        return None
    reason = f"the bucket belongs to {bucket.owner}"
    return reason if upload is None else f"{reason}, and the upload was initiated by {upload.initiator}"


#: The requester must have initiated the upload, or own the bucket.
UPLOAD_INITIATOR = Requirement(find_lack=_find_lack)


class UploadParameters(UploadFields):
    """The query of a request that needs only the upload."""


def abort_headers(bucket: BucketRecord, upload: MultipartUpload, semantics: Semantics) -> dict[str, str]:
    """Return the headers with the time when a lifecycle rule aborts the upload, if a rule applies."""
    due = None if bucket.lifecycle is None else bucket.lifecycle.get_abort(upload)
    if due is None:
        return {}
    return {"abort-date": http_date(due.date), "abort-rule-id": rule_id_in_header(due.rule_id, semantics)}


def _check_initiation(call: Call, bucket: BucketRecord, headers: InitiateHeaders) -> None:
    """Check that the requester is an account, because an upload has an initiator. [anonymous-uploads]"""
    if not isinstance(call.requester, Account):  # rule: anonymous-upload
        raise ACCESS_DENIED.error("Anonymous users cannot initiate multipart uploads.  Please authenticate.")
    headers.check(call, bucket)


class InitiateHeaders(ObjectHeaders):
    """The headers of a request to begin an upload: the headers of the object, and the checksum mode."""

    lock: Lock = headers(parse_lock, *LOCK_HEADERS, default=UNLOCKED)
    checksum_mode: ChecksumMode | None = headers(parse_upload_checksum_mode, "checksum-algorithm", "checksum-type")


@operation(
    "Initiate Multipart Upload",
    Route("POST", "object", "uploads"),
    api_name="CreateMultipartUpload",
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=InitiateHeaders,
    check=_check_initiation,
)
def initiate_multipart_upload(call: Call, bucket: BucketRecord, headers: InitiateHeaders) -> Result:
    """Begin an upload. The headers apply to the object that is stored when the upload is completed."""
    mode = headers.checksum_mode
    upload = bucket.initiate_upload(
        call.key,
        headers.new_object(_NO_BODY),
        initiator=call.owner,
        now=call.now,
        checksum_mode=mode,
        headers=object_headers(call),
    )
    checksum = {} if mode is None else {"checksum-algorithm": str(mode.algorithm), "checksum-type": str(mode.type)}
    return Result(
        service_headers=encryption_headers(upload.new.encryption)
        | context_header(upload.new.encryption)
        | abort_headers(bucket, upload, call.semantics)
        | checksum,
        document=InitiateMultipartUploadResult(bucket=bucket.name, key=upload.key, upload_id=upload.upload_id),
    )


@operation(
    "Abort Multipart Upload",
    Route("DELETE", "object", query=frozenset({"uploadId"})),
    api_name="AbortMultipartUpload",
    access=Access("s3:AbortMultipartUpload", UPLOAD_INITIATOR),
    parameters=UploadParameters,
)
def abort_multipart_upload(call: Call, bucket: BucketRecord, parameters: UploadParameters) -> Result:
    """End an upload and drop its parts. If the upload ended before, nothing happens. [completing-twice]"""
    upload = bucket.uploads.find(call.key, parameters.upload_id)
    bucket.uploads.end(parameters.upload(call, bucket) if upload is None else upload)  # rule: abort-ends-upload
    return NO_CONTENT
