"""The lifecycle rules of a bucket, and the headers that name a rule."""

from __future__ import annotations

import re
from urllib.parse import quote

from fakestore.errors import INVALID_REQUEST, NO_SUCH_LIFECYCLE, UnsupportedRequest
from fakestore.http.values import http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.lifecycle import Lifecycle
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import ObjectVersion
from fakestore.model.semantics import Semantics, TransitionMinimum
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, choice, header
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.xml.declarations import changed

_SIZE_HEADER = "transition-default-minimum-object-size"

_SIZE = choice(
    TransitionMinimum,
    lambda name, text, explanation: INVALID_REQUEST.error(
        f"Invalid TransitionDefaultMinimumObjectSize found: {text}", explanation=explanation
    ),
)


class TransitionSize(Parameters):
    """Which objects are too small to be moved to another storage class."""

    value: TransitionMinimum | None = header(_SIZE_HEADER, _SIZE)


def _size_headers(bucket: BucketRecord) -> dict[str, str]:
    value = None if bucket.lifecycle is None else bucket.lifecycle.transition_minimum
    return {} if value is None else {_SIZE_HEADER: value}


# The specification writes the second action with a capital C. The names of actions are compared without case.
LIFECYCLE = Setting(
    "lifecycle",
    "BucketLifecycleConfiguration",
    Lifecycle,
    Actions("s3:GetLifecycleConfiguration", "s3:PutLifeCycleConfiguration", "s3:PutLifeCycleConfiguration"),
    attribute="lifecycle",
    missing=NO_SUCH_LIFECYCLE,
    title="lifecycle rules",
    reply_headers=_size_headers,
    delete_api_name="BucketLifecycle",
    needs_checksum=True,
)


@LIFECYCLE.put
def put_bucket_lifecycle(call: Call, bucket: BucketRecord, minimum: TransitionSize, document: Lifecycle) -> Result:
    """Check that the service has the storage classes of the rules, and store the rules with ids. [transitions]"""
    known = call.semantics.storage_classes
    for rule in document.rules:
        unknown = sorted(rule.storage_classes - known)
        if unknown:
            raise UnsupportedRequest(
                f"PUT Bucket lifecycle: a rule moves objects to {unknown[0]}, which the dialect"
                f" {call.dialect.name!r} does not have; its storage classes: {', '.join(sorted(known))}"
            )
    bucket.lifecycle = changed(document.completed(), transition_minimum=minimum.value)
    return Result(service_headers=_size_headers(bucket))


def _rule_id_in_header(rule_id: str, semantics: Semantics) -> str:
    """Return the id of a lifecycle rule as a header shows it. [rule-id-is-encoded]"""
    if semantics.rule_ids_are_encoded:
        return quote(rule_id, safe="")
    # A quoted string in a header has neither quotation marks, nor backslashes, nor what is not printable ISO-8859-1.
    return re.sub(r"[^\x20-\x7e\xa0-\xff]|[\"\\]", lambda character: quote(character[0], safe=""), rule_id)


def expiration_headers(bucket: BucketRecord, version: ObjectVersion, semantics: Semantics) -> dict[str, str]:
    """Return the expiration header, if a lifecycle rule applies to the current object `version`."""
    expiry = None if bucket.lifecycle is None else bucket.lifecycle.get_expiry(version)
    if expiry is None:
        return {}
    rule_id = _rule_id_in_header(expiry.rule_id, semantics)
    return {"expiration": f'expiry-date="{http_date(expiry.date)}", rule-id="{rule_id}"'}


def abort_headers(bucket: BucketRecord, upload: MultipartUpload, semantics: Semantics) -> dict[str, str]:
    """Return the headers with the time when a lifecycle rule aborts the upload, if a rule applies."""
    due = None if bucket.lifecycle is None else bucket.lifecycle.get_abort(upload)
    if due is None:
        return {}
    return {"abort-date": http_date(due.date), "abort-rule-id": _rule_id_in_header(due.rule_id, semantics)}


OPERATIONS = (*LIFECYCLE.operations(put_bucket_lifecycle),)
