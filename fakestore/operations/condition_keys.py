"""The condition keys of policies, and their values in a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from fakestore.errors import ErrorResponse
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import LegalHoldDocument, RetentionDocument, render_until
from fakestore.model.object_version import ObjectVersion
from fakestore.model.policy import ConditionValues, Policy
from fakestore.model.tagging import NO_TAGS, RequestedTagging, tag_pairs
from fakestore.operations.framework.call import Call, ConditionKeys, Resource
from fakestore.operations.object_lock import LEGAL_HOLD_HEADER, LOCK_HEADERS, MODE_HEADER, UNTIL_HEADER
from fakestore.operations.tagging import parse_new_tags


class ConditionKey(NamedTuple):
    """A key that conditions may name.

    Args:
        name: The name, for example ``s3:prefix``. If it ends with a slash, a tag key follows.
        read: Returns the value of a request, its values, or the tags from which the tag key selects one.
        actions: The actions whose requests can have the key; None for all.
        has_many_values: Whether a request may have several values.
    """

    name: str
    read: Callable[[_Request], str | tuple[str, ...] | Mapping[str, str] | None]
    actions: frozenset[str] | None = None
    has_many_values: bool = False

    def applies_to(self, action: str) -> bool:
        return self.actions is None or action in self.actions


@lru_cache(maxsize=16)
def condition_keys(header_prefix: str) -> Mapping[str, ConditionKey]:
    """Return the condition keys of a dialect, by their names in lower case.

    The key for a header of the dialect contains the full name of the header, for example ``s3:x-amz-acl``.
    [condition-keys]
    """
    of_headers = (
        ConditionKey(f"s3:{header_prefix}{name}", partial(_Request.header, name=name), actions)
        for name, actions in _HEADERS.items()
    )
    return {key.name.lower(): key for key in (*_KEYS, *of_headers)}


def _values(call: Call, bucket: BucketRecord, action: str, resource: Resource) -> ConditionValues:
    """Return the values of a request for the condition keys of the bucket's policy."""
    keys, request = condition_keys(call.dialect.header_prefix), _Request(call, bucket, resource)
    found: dict[str, tuple[str, ...]] = {}
    for name in bucket.policy.condition_keys:
        family, slash, tag = name.partition("/")
        key = keys[family.lower() + slash]
        value = key.read(request) if key.applies_to(action) else None
        if isinstance(value, Mapping):
            value = value.get(tag)
        if value is not None:
            found[name] = (value,) if isinstance(value, str) else value
    return found


def _awaits_document(call: Call, shape: object, policy: Policy) -> bool:
    """Return whether the policy has a condition on the request's document of this shape, which is not read yet."""
    prefix = _KEYS_OF_DOCUMENTS.get(shape)
    if prefix is None or call.document is not None:
        return False
    return any(key.startswith(prefix) for key in policy.condition_keys)


CONDITION_KEYS = ConditionKeys(_values, _awaits_document)


def headers_for_conditions(call: Call) -> FrozenMapping:
    """Return the sent headers on which a policy can have conditions. The names have no prefix."""
    sent, known = call.service_headers, [name for name, actions in _HEADERS.items() if actions is not None]
    return FrozenMapping({name: sent[name] for name in (*known, *LOCK_HEADERS) if name in sent})


class _Request(NamedTuple):
    """A request for one resource of a bucket."""

    call: Call
    bucket: BucketRecord
    resource: Resource

    @property
    def number(self) -> str | None:
        """The account number of the requester."""
        requester = self.call.requester
        return None if requester is ANONYMOUS else requester.number

    @property
    def signature_age(self) -> str | None:
        """The milliseconds since the request was signed."""
        signature = self.call.signature
        if signature is None or signature.signed_at is None:
            return None
        return str(int((self.call.now - signature.signed_at).total_seconds() * 1000))

    @property
    def upload(self) -> MultipartUpload | None:
        upload_id = self.call.query.get("uploadId")
        return None if upload_id is None else self.bucket.uploads.find(self.resource.key, upload_id)

    def header(self, name: str) -> str | None:
        """Return a header of the dialect. A part has the headers of the request that initiated its upload.

        [policy-conditions-of-uploads]
        """
        own, upload = self.call.service_headers.get(name), self.upload
        return own if own is not None or upload is None else upload.headers.get(name)

    def lock_value(self, header: str) -> str | None:
        """Return what the document says about Object Lock. Without such a document, return a header."""
        document = self.call.document
        if isinstance(document, LegalHoldDocument):
            return document.status
        if isinstance(document, RetentionDocument):
            until = None if document.until is None else render_until(document.until)
            return document.mode if header == MODE_HEADER else until
        return self.header(header)

    @property
    def stored_tags(self) -> Mapping[str, str]:
        entry = self.bucket.find_entry(self.resource.key, self.resource.version_id)
        return entry.tags if isinstance(entry, ObjectVersion) else NO_TAGS

    @property
    def requested_tags(self) -> Mapping[str, str]:
        """The tags that the request gives to an object."""
        call, upload = self.call, self.upload
        if isinstance(call.document, RequestedTagging):
            return dict(tag_pairs(call.document.tags))
        if upload is not None:
            return upload.new.tags
        headers = call.service_headers
        if "copy-source" in headers and headers.get("tagging-directive") != "REPLACE":
            return NO_TAGS
        try:
            return parse_new_tags(call)
        except ErrorResponse:  # the request is refused when the tags are parsed
            return NO_TAGS


_LISTINGS = frozenset({"s3:ListBucket", "s3:ListBucketVersions"})

_WRITES = frozenset({"s3:PutObject"})

_ACL_WRITES = _WRITES | {"s3:PutObjectAcl", "s3:PutObjectVersionAcl", "s3:PutBucketAcl", "s3:CreateBucket"}

_TAG_WRITES = _WRITES | {"s3:PutObjectTagging", "s3:PutObjectVersionTagging"}

_OF_VERSIONS = frozenset(
    {
        *("s3:GetObjectVersion", "s3:GetObjectVersionAcl", "s3:GetObjectVersionTagging", "s3:DeleteObjectVersion"),
        *("s3:GetObjectVersionAttributes", "s3:PutObjectVersionAcl", "s3:PutObjectVersionTagging"),
        "s3:DeleteObjectVersionTagging",
    }
)

#: Not s3:PutObject and s3:DeleteObject: their requests do not have the tags of the stored object.
_OF_STORED_OBJECTS = (_OF_VERSIONS - {"s3:DeleteObjectVersion"}) | {
    *("s3:GetObject", "s3:GetObjectAcl", "s3:GetObjectTagging", "s3:GetObjectAttributes"),
    *("s3:PutObjectAcl", "s3:PutObjectTagging", "s3:DeleteObjectTagging"),
}

_RETENTIONS = _WRITES | {"s3:PutObjectRetention", "s3:BypassGovernanceRetention"}

#: The beginning of the keys on a document, by its shape.
_KEYS_OF_DOCUMENTS: dict[object, str] = {
    RequestedTagging: "s3:RequestObjectTag",
    RetentionDocument: "s3:object-lock-",
    LegalHoldDocument: "s3:object-lock-",
}

#: The headers with a condition key, without the prefix of the dialect.
_HEADERS = {
    "acl": _ACL_WRITES,
    "grant-full-control": _ACL_WRITES,
    "grant-read": _ACL_WRITES,
    "grant-read-acp": _ACL_WRITES,
    "grant-write": _ACL_WRITES,
    "grant-write-acp": _ACL_WRITES,
    "content-sha256": None,
    "copy-source": _WRITES,
    "metadata-directive": _WRITES,
    "server-side-encryption": _WRITES,
    "server-side-encryption-aws-kms-key-id": _WRITES,
    "server-side-encryption-customer-algorithm": _WRITES,
    "storage-class": _WRITES,
    "website-redirect-location": _WRITES,
}

#: The keys with the same name in all dialects.
_KEYS = (
    ConditionKey("aws:CurrentTime", lambda request: f"{request.call.now.replace(tzinfo=None).isoformat()}Z"),
    ConditionKey("aws:EpochTime", lambda request: str(int(request.call.now.timestamp()))),
    ConditionKey("aws:PrincipalAccount", lambda request: request.number),
    ConditionKey("aws:PrincipalArn", lambda request: request.number and f"arn:aws:iam::{request.number}:root"),
    ConditionKey(
        "aws:PrincipalType", lambda request: "Anonymous" if request.call.requester is ANONYMOUS else "Account"
    ),
    ConditionKey("aws:Referer", lambda request: request.call.headers.get("referer")),
    ConditionKey("aws:ResourceAccount", lambda request: request.bucket.owner.number),
    ConditionKey("aws:SecureTransport", lambda request: str(request.call.request.scheme == "https").lower()),
    ConditionKey("aws:SourceIp", lambda request: request.call.request.source_ip),
    ConditionKey("aws:UserAgent", lambda request: request.call.headers.get("user-agent")),
    ConditionKey("aws:userid", lambda request: request.number or "anonymous"),
    ConditionKey("s3:authType", lambda request: request.call.signature and request.call.signature.auth_type),
    ConditionKey("s3:delimiter", lambda request: request.call.query.get("delimiter"), _LISTINGS),
    ConditionKey("s3:ExistingObjectTag/", lambda request: request.stored_tags, _OF_STORED_OBJECTS),
    ConditionKey("s3:if-match", lambda request: request.call.headers.get("if-match"), _WRITES | {"s3:DeleteObject"}),
    ConditionKey("s3:if-none-match", lambda request: request.call.headers.get("if-none-match"), _WRITES),
    ConditionKey("s3:max-keys", lambda request: request.call.query.get("max-keys"), _LISTINGS),
    ConditionKey(
        "s3:ObjectCreationOperation",
        lambda request: str(request.call.query.keys().isdisjoint(("uploads", "partNumber"))).lower(),
        _WRITES,
    ),
    ConditionKey(
        f"s3:{LEGAL_HOLD_HEADER}",
        lambda request: request.lock_value(LEGAL_HOLD_HEADER),
        _WRITES | {"s3:PutObjectLegalHold"},
    ),
    ConditionKey(f"s3:{MODE_HEADER}", lambda request: request.lock_value(MODE_HEADER), _RETENTIONS),
    ConditionKey(f"s3:{UNTIL_HEADER}", lambda request: request.lock_value(UNTIL_HEADER), _RETENTIONS),
    ConditionKey("s3:prefix", lambda request: request.call.query.get("prefix", request.resource.prefix), _LISTINGS),
    ConditionKey("s3:RequestObjectTag/", lambda request: request.requested_tags, _TAG_WRITES),
    ConditionKey(
        "s3:RequestObjectTagKeys", lambda request: tuple(request.requested_tags), _TAG_WRITES, has_many_values=True
    ),
    ConditionKey("s3:ResourceAccount", lambda request: request.bucket.owner.number),
    ConditionKey("s3:signatureAge", lambda request: request.signature_age),
    ConditionKey("s3:signatureversion", lambda request: request.call.signature and request.call.signature.version),
    ConditionKey("s3:VersionId", lambda request: request.resource.version_id, _OF_VERSIONS),
    # No request has a value of these, because the store has no users, roles, organizations, networks and other
    # services.
    *(
        ConditionKey(name, lambda request: None)
        for name in (
            *("aws:PrincipalOrgID", "aws:PrincipalTag/", "aws:SourceAccount", "aws:SourceArn", "aws:SourceVpc"),
            *("aws:SourceVpce", "aws:username"),
        )
    ),
)
