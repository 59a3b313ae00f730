"""The condition keys of policies, and their values in a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple

from fakestore.errors import ErrorResponse
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import LegalHoldDocument, RetentionDocument
from fakestore.model.object_version import ObjectVersion
from fakestore.model.policy import ConditionKey, ConditionValues, Policy
from fakestore.model.tagging import NO_TAGS, RequestedTagging, tag_pairs
from fakestore.operations.framework.call import Call, ConditionKeys, Resource
from fakestore.operations.object_lock import LEGAL_HOLD_HEADER, LOCK_HEADERS, MODE_HEADER, UNTIL_HEADER
from fakestore.operations.tagging import parse_new_tags
from fakestore.xml.declarations import render_until


def _values(call: Call, bucket: BucketRecord, action: str, resource: Resource) -> ConditionValues:
    """Return the values of a request for the condition keys of the bucket's policy."""
    names = bucket.policy.condition_keys
    if not names:
        return {}
    rows, request = _rows(call.dialect.header_prefix), _Request(call, bucket, resource)
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        family, slash, tag = name.partition("/")
        key, read = rows[family.lower() + slash]
        value = read(request) if key.applies_to(action) else None
        if isinstance(value, Mapping) and slash:
            value = value.get(tag)
        if isinstance(value, str):
            found[name] = (value,)
        elif value:
            found[name] = tuple(value)
    return MappingProxyType(found)


def condition_keys(header_prefix: str) -> Mapping[str, ConditionKey]:
    """Return the condition keys of a dialect, by their names in lower case.

    The key for a header of the dialect contains the full name of the header, for example ``s3:x-amz-acl``.
    [condition-keys]
    """
    return {name: key for name, (key, _) in _rows(header_prefix).items()}


def headers_for_conditions(call: Call) -> FrozenMapping:
    """Return the sent headers on which a policy can have conditions. The names have no prefix."""
    sent, known = call.service_headers, [name for name, actions in _HEADERS.items() if actions is not None]
    return FrozenMapping({name: sent[name] for name in (*known, *LOCK_HEADERS) if name in sent})


def _awaits_document(call: Call, shape: object, policy: Policy) -> bool:
    """Return whether the policy has a condition on the request's document of this shape, which is not read yet."""
    prefix = _KEYS_OF_DOCUMENTS.get(shape)
    if prefix is None or call.document is not None:
        return False
    return any(key.startswith(prefix) for key in policy.condition_keys)


CONDITION_KEYS = ConditionKeys(_values, _awaits_document)


class _Request(NamedTuple):
    """A request for one resource of a bucket."""

    call: Call
    bucket: BucketRecord
    resource: Resource

    @property
    def upload(self) -> MultipartUpload | None:
        upload_id = self.call.query.get("uploadId")
        return None if upload_id is None else self.bucket.uploads.find(self.resource.key or "", upload_id)

    def header(self, name: str) -> str | None:
        """Return a header of the dialect. A part has the headers of the request that initiated its upload.

        [policy-conditions-of-uploads]
        """
        own, upload = self.call.service_headers.get(name), self.upload
        return own if own is not None or upload is None else upload.headers.get(name)

    @property
    def legal_hold(self) -> str | None:
        """The legal hold in the document or a header."""
        document = self.call.document
        return document.status if isinstance(document, LegalHoldDocument) else self.header(LEGAL_HOLD_HEADER)

    @property
    def retention_mode(self) -> str | None:
        """The mode of the retention in the document or a header."""
        document = self.call.document
        return document.mode if isinstance(document, RetentionDocument) else self.header(MODE_HEADER)

    @property
    def retention_end(self) -> str | None:
        """The end of the retention in the document or a header."""
        document = self.call.document
        if not isinstance(document, RetentionDocument):
            return self.header(UNTIL_HEADER)
        return None if document.until is None else render_until(document.until)

    @property
    def stored_tags(self) -> Mapping[str, str]:
        entry = self.bucket.find_entry(self.resource.key or "", self.resource.version_id)
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


#: Reads the value of a key. Tags are a mapping: a key of the policy names one of them, or has all tag keys as values.
_Read = Callable[[_Request], str | Mapping[str, str] | None]


_LISTINGS = frozenset({"s3:ListBucket", "s3:ListBucketVersions"})

_WRITES = frozenset({"s3:PutObject"})

_ACL_WRITES = _WRITES | {"s3:PutObjectAcl", "s3:PutObjectVersionAcl", "s3:PutBucketAcl", "s3:CreateBucket"}

_TAG_WRITES = frozenset({"s3:PutObjectTagging", "s3:PutObjectVersionTagging"})

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

_REQUEST_TAG = "s3:RequestObjectTag"

_REQUEST_TAG_KEYS = f"{_REQUEST_TAG}Keys"

#: The beginning of the keys on a document, by its shape.
_KEYS_OF_DOCUMENTS: dict[object, str] = {
    RequestedTagging: _REQUEST_TAG,
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


def _account_number(request: _Request) -> str | None:
    requester = request.call.requester
    return None if requester is ANONYMOUS else requester.number


def _principal_arn(request: _Request) -> str | None:
    number = _account_number(request)
    return None if number is None else f"arn:aws:iam::{number}:root"


def _signature_age(request: _Request) -> str | None:
    signature = request.call.sender.signature
    if signature is None or signature.signed_at is None:
        return None
    return str(int((request.call.now - signature.signed_at).total_seconds() * 1000))


def _creates_object(request: _Request) -> str:
    query = request.call.query
    return "false" if "uploads" in query or "partNumber" in query else "true"


#: The keys with the same name in all dialects, each with its actions (None for all) and the function that reads it.
_KEYS: dict[str, tuple[frozenset[str] | None, _Read]] = {
    "aws:CurrentTime": (None, lambda request: f"{request.call.now.replace(tzinfo=None).isoformat()}Z"),
    "aws:EpochTime": (None, lambda request: str(int(request.call.now.timestamp()))),
    "aws:PrincipalAccount": (None, _account_number),
    "aws:PrincipalArn": (None, _principal_arn),
    "aws:PrincipalType": (None, lambda request: "Anonymous" if request.call.requester is ANONYMOUS else "Account"),
    "aws:Referer": (None, lambda request: request.call.headers.get("referer")),
    "aws:ResourceAccount": (None, lambda request: request.bucket.owner.number),
    "aws:SecureTransport": (None, lambda request: str(request.call.request.scheme == "https").lower()),
    "aws:SourceIp": (None, lambda request: request.call.request.source_ip),
    "aws:UserAgent": (None, lambda request: request.call.headers.get("user-agent")),
    "aws:userid": (None, lambda request: _account_number(request) or "anonymous"),
    "s3:authType": (None, lambda request: request.call.sender.signature and request.call.sender.signature.auth_type),
    "s3:delimiter": (_LISTINGS, lambda request: request.call.query.get("delimiter")),
    "s3:ExistingObjectTag/": (_OF_STORED_OBJECTS, lambda request: request.stored_tags),
    "s3:if-match": (_WRITES | {"s3:DeleteObject"}, lambda request: request.call.headers.get("if-match")),
    "s3:if-none-match": (_WRITES, lambda request: request.call.headers.get("if-none-match")),
    "s3:max-keys": (_LISTINGS, lambda request: request.call.query.get("max-keys")),
    "s3:ObjectCreationOperation": (_WRITES, _creates_object),
    f"s3:{LEGAL_HOLD_HEADER}": (_WRITES | {"s3:PutObjectLegalHold"}, lambda request: request.legal_hold),
    f"s3:{MODE_HEADER}": (_RETENTIONS, lambda request: request.retention_mode),
    f"s3:{UNTIL_HEADER}": (_RETENTIONS, lambda request: request.retention_end),
    "s3:prefix": (_LISTINGS, lambda request: request.call.query.get("prefix", request.resource.prefix)),
    f"{_REQUEST_TAG}/": (_WRITES | _TAG_WRITES, lambda request: request.requested_tags),
    _REQUEST_TAG_KEYS: (_WRITES | _TAG_WRITES, lambda request: request.requested_tags),
    "s3:ResourceAccount": (None, lambda request: request.bucket.owner.number),
    "s3:signatureAge": (None, _signature_age),
    "s3:signatureversion": (
        None,
        lambda request: request.call.sender.signature and request.call.sender.signature.version,
    ),
    "s3:VersionId": (_OF_VERSIONS, lambda request: request.resource.version_id),
}


#: Keys without a value in any request, because the store has no users, roles, organizations, networks and other
#: services.
_ABSENT = (
    *("aws:PrincipalOrgID", "aws:PrincipalTag/", "aws:SourceAccount", "aws:SourceArn", "aws:SourceVpc"),
    *("aws:SourceVpce", "aws:username"),
)


@lru_cache(maxsize=16)
def _rows(header_prefix: str) -> Mapping[str, tuple[ConditionKey, _Read]]:
    """Return the keys of a dialect, by their names in lower case."""
    rows = _KEYS | dict.fromkeys(_ABSENT, (None, lambda request: None))
    for name, actions in _HEADERS.items():
        rows[f"s3:{header_prefix}{name}"] = actions, partial(_Request.header, name=name)
    return {
        name.lower(): (ConditionKey(name, actions, has_many_values=name == _REQUEST_TAG_KEYS), read)
        for name, (actions, read) in rows.items()
    }
