"""Requests, and parts of requests, that are for other services or left out of the fake, with their alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from fakestore.errors import UnsupportedRequest
from fakestore.http.message import Headers, Request
from fakestore.messages import dialect_option, escaped
from fakestore.protocol.auth.authenticator import authorization_words, describe_scheme
from fakestore.protocol.auth.scheme import OWN_SCHEME
from fakestore.protocol.dialect import DIALECTS, Dialect

#: The header prefixes of the services of this family. In another dialect such a header would have no effect, and its
#: meaning would be lost. [foreign-headers]
FAMILY_PREFIXES = ("x-amz-", "x-bce-", "x-cos-", "x-goog-", "x-kss-", "x-obs-", "x-oss-", "x-svc-", "x-tos-")

_PRESIGNED = (
    f"a presigned URL, which this dialect does not have; use {dialect_option('s3')} for presigned URLs of S3, or sign"
    " in the Authorization header instead, for example with auth=store.auth()"
)
_INCOMPLETE = "a presigned URL, of which other parameters are missing; send all of them, or none"
_PRESIGNED_ELSEWHERE = (
    "a presigned URL of another service; sign in the Authorization header instead, for example with"
    f" auth=store.auth(), or {OWN_SCHEME}"
)
_SIGNED_FIELDS = (
    "a signature in the fields of a form, which this dialect does not have; sign the request in its Authorization"
    " header, for example with auth=store.auth()"
)
_FIELDS_SIGNED_ELSEWHERE = (
    "the signature of another service; sign the form as this dialect does, for example with the fields of boto3's"
    " generate_presigned_post"
)
_SIGNATURE_FIELD = r"[a-z]*accesskeyid|signature|x-[a-z]+-(algorithm|credential|signature)"
#: ``AWSAccessKeyId`` and the like, and the parameters of signatures of version 4 with any prefix.
_PRESIGNED_PARAMETER = (
    r"[a-z]*accesskeyid|googleaccessid|signature|expires"
    r"|x-[a-z]+-(algorithm|credential|date|expires|signature|signedheaders|security-token)"
)
#: The parameters of presigned URLs of the public service.
_PRESIGNED_PARAMETER_OF_S3 = r"awsaccesskeyid|signature|expires|x-amz-.+"
_ANNOTATIONS = "annotations of an object, which are not supported; use tags or metadata"
_DIRECTORY_BUCKETS = "directory buckets, which are not supported; use a general purpose bucket"
#: Parts of the public interface that the fake leaves out, by their query parameters.
LEFT_OUT = {
    "abac": "access control by the tags of a bucket, which is not supported; use PUT Bucket policy",
    **dict.fromkeys(("annotation", "annotation-prefix", "annotationName", "max-annotation-results"), _ANNOTATIONS),
    **dict.fromkeys(
        (
            *("metadataConfiguration", "metadataTable", "metadataInventoryTable"),
            *("metadataJournalTable", "metadataAnnotationTable"),
        ),
        "metadata tables, which are not supported; leave the request out",
    ),
    **dict.fromkeys(("max-directory-buckets", "session"), _DIRECTORY_BUCKETS),
    "renameObject": "directory buckets, which are not supported; use PUT Object Copy and DELETE Object",
    **dict.fromkeys(
        ("select", "select-type"),
        "queries on the content of an object (SelectObjectContent), which are not supported; read the content with GET"
        " Object",
    ),
    "torrent": "BitTorrent, which is not supported; read the content with GET Object",
}
#: The same for parameters that only a key lacks, because a bucket has them.
LEFT_OUT_OF_KEYS = {
    "encryption": "changes of the encryption of an object (UpdateObjectEncryption), which are not supported; copy the"
    " object onto itself",
}
#: The same for headers, by a pattern for their names without prefix.
_LEFT_OUT_HEADERS = {
    r"(object-)?annotation.*|object-if-match": _ANNOTATIONS,
    r"write-offset-bytes|rename-source.*|client-token|create-session-mode|if-match-initiated-time": _DIRECTORY_BUCKETS,
    r"object-lock-event-hold.*": "event holds of Object Lock, which are not supported; use a retention or a legal hold",
    r"fwd-.*|request-(route|token)": "Object Lambda, which is not supported; leave the header out",
}
#: The actions that only the public service has, without the prefix ``s3:``.
OTHER_ACTIONS = re.findall(
    r"\w+",
    """
    AllowVendedLogDeliveryForResource AssociateAccessGrantsIdentityCenter CreateAccessGrant
    CreateAccessGrantsInstance CreateAccessGrantsLocation CreateAccessPoint CreateAccessPointForObjectLambda
    CreateBucketMetadataTableConfiguration CreateJob CreateMultiRegionAccessPoint CreateStorageLensGroup
    DeleteAccessGrant DeleteAccessGrantsInstance DeleteAccessGrantsInstanceResourcePolicy
    DeleteAccessGrantsLocation DeleteAccessPoint DeleteAccessPointForObjectLambda DeleteAccessPointPolicy
    DeleteAccessPointPolicyForObjectLambda DeleteBucketMetadataTableConfiguration DeleteJobTagging
    DeleteMultiRegionAccessPoint DeleteObjectAnnotation DeleteObjectVersionAnnotation
    DeleteStorageLensConfiguration DeleteStorageLensConfigurationTagging DeleteStorageLensGroup DescribeJob
    DescribeMultiRegionAccessPointOperation DissociateAccessGrantsIdentityCenter GetAccessGrant
    GetAccessGrantsInstance GetAccessGrantsInstanceForPrefix GetAccessGrantsInstanceResourcePolicy
    GetAccessGrantsLocation GetAccessPoint GetAccessPointConfigurationForObjectLambda
    GetAccessPointForObjectLambda GetAccessPointPolicy GetAccessPointPolicyForObjectLambda
    GetAccessPointPolicyStatus GetAccessPointPolicyStatusForObjectLambda GetAccountPublicAccessBlock GetBucketAbac
    GetBucketMetadataTableConfiguration GetDataAccess GetJobTagging GetMultiRegionAccessPoint
    GetMultiRegionAccessPointPolicy GetMultiRegionAccessPointPolicyStatus GetMultiRegionAccessPointRoutes
    GetObjectAnnotation GetObjectTorrent GetObjectVersionAnnotation GetObjectVersionAnnotationForReplication
    GetObjectVersionForReplication GetObjectVersionTorrent GetStorageLensConfiguration
    GetStorageLensConfigurationTagging GetStorageLensDashboard GetStorageLensGroup InitiateReplication
    ListAccessGrants ListAccessGrantsInstances ListAccessGrantsLocations ListAccessPoints
    ListAccessPointsForObjectLambda ListCallerAccessGrants ListJobs ListMultiRegionAccessPoints
    ListObjectAnnotations ListObjectVersionAnnotations ListStorageLensConfigurations ListStorageLensGroups
    ListTagsForResource ObjectOwnerOverrideToBucketOwner PauseReplication PutAccessGrantsInstanceResourcePolicy
    PutAccessPointConfigurationForObjectLambda PutAccessPointPolicy PutAccessPointPolicyForObjectLambda
    PutAccessPointPublicAccessBlock PutAccountPublicAccessBlock PutBucketAbac PutJobTagging
    PutMultiRegionAccessPointPolicy PutObjectAnnotation PutObjectVersionAnnotation PutStorageLensConfiguration
    PutStorageLensConfigurationTagging ReplicateDelete ReplicateObject ReplicateObjectAnnotation ReplicateTags
    SubmitMultiRegionAccessPointRoutes TagResource UntagResource UpdateAccessGrantsLocation
    UpdateBucketMetadataAnnotationTableConfiguration UpdateBucketMetadataInventoryTableConfiguration
    UpdateBucketMetadataJournalTableConfiguration UpdateJobPriority UpdateJobStatus UpdateObjectEncryption
    UpdateStorageLensGroup
    """,
)
#: The query parameters of signature version 2.
_OF_SIGNATURES = ("AWSAccessKeyId", "Expires", "Signature")
#: The service in the Authorization header of signature version 4.
_SIGNED_FOR = re.compile(r"Credential=[^,]*/(?P<service>[^/,]+)/aws4_request")
#: What an SDK or command says of itself. Other programs may sign for any service.
_SDK = re.compile(r"aws-|boto", re.IGNORECASE)


def refuse_other_services(request: Request, header_prefix: str) -> None:
    """Raise UnsupportedRequest if the request is for another service than the object storage."""
    service = _other_service(request, header_prefix)
    if service is not None:
        raise UnsupportedRequest(
            f"{request.method} {escaped(request.target.partition('?')[0])} is a request for {service}, which fakestore"
            " does not support. The variable AWS_ENDPOINT_URL, or the endpoint_url of its client, leads it to this"
            " store; use AWS_ENDPOINT_URL_S3, which is for S3 alone, and let another mock answer, such as moto"
        )


def _other_service(request: Request, header_prefix: str) -> str | None:
    """Return the name of the service for a message."""
    headers = request.headers.by_name
    if request.target.startswith("/v20180820/") and f"{header_prefix}account-id" in headers:
        return "S3 Control"
    signed_for = _SIGNED_FOR.search(headers.get("authorization", ""))
    service = None if signed_for is None else signed_for["service"]
    if service in (None, "s3", "s3express") or not _SDK.search(headers.get("user-agent", "")):
        target = headers.get(f"{header_prefix}target")  # the form of services that speak JSON
        return None if target is None else repr(target.partition(".")[0])
    return f"the service {service!r}"


def is_unknown_parameter(name: str, known: Iterable[str], dialect: Dialect) -> bool:
    """Return whether no operation of the service has this query parameter or a similar one.

    Args:
        known: The query parameters that the fake knows.
    """
    if feature_of_parameter(name, [name], dialect) is not None:
        return False
    names = {each.lower() for each in (*known, *LEFT_OUT, *_OF_SIGNATURES, "x-id", "Version")}
    return not get_close_matches(name.lower(), names, 1, cutoff=0.8)


def feature_of_parameter(name: str, query: Iterable[str], dialect: Dialect) -> str | None:
    """Return the feature of a query parameter and its alternative, or None for an unknown feature.

    Args:
        query: The names of all parameters of the request. They show the service of a presigned URL.
    """
    if not re.fullmatch(_PRESIGNED_PARAMETER, name.lower()):
        return LEFT_OUT.get(name)
    presigned = [each.lower() for each in query if re.fullmatch(_PRESIGNED_PARAMETER, each.lower())]
    if not all(re.fullmatch(_PRESIGNED_PARAMETER_OF_S3, each) for each in presigned):
        return _PRESIGNED_ELSEWHERE
    return _PRESIGNED if dialect.query_scheme is None else _INCOMPLETE


def feature_of_field(name: str, dialect: Dialect) -> str | None:
    """Return the feature of a form field and its alternative, or None. `name` is in lower case."""
    if not re.fullmatch(_SIGNATURE_FIELD, name):
        return None
    return _FIELDS_SIGNED_ELSEWHERE if dialect.form_auth else _SIGNED_FIELDS


def feature_of_header(name: str, dialect: Dialect) -> str | None:
    """Return the feature of a header that the dialect lacks, or None. `name` is without prefix."""
    for pattern, feature in _LEFT_OUT_HEADERS.items():
        if re.fullmatch(pattern, name):
            return feature
    is_of_version_4 = name in ("content-sha256", "decoded-content-length")
    if not is_of_version_4 or "content-sha256" in dialect.common_headers:
        return None
    prefix = dialect.header_prefix
    is_of_s3 = prefix == "x-amz-"
    advised = dialect_option("s3") if is_of_s3 else f"dialect=dataclasses.replace(S3, header_prefix={prefix!r})"
    return (
        f"a signature of version 4, which this dialect does not have; use {advised}, or sign with version 2,"
        " Authorization: <scheme> <access key>:<signature>"
    )


def prefixed_headers(headers: Headers, own: str) -> tuple[dict[str, str], list[str]]:
    """Return the headers of the dialect by names without prefix, and the names of headers of other services.

    Args:
        own: The header prefix of the dialect.
    """
    known = {name.removeprefix(own): value for name, value in headers.by_name.items() if name.startswith(own)}
    foreign = _foreign_prefixes(own)
    return known, [name for name in headers.by_name if name.startswith(foreign)]


@lru_cache(maxsize=16)
def _foreign_prefixes(own: str) -> tuple[str, ...]:
    return tuple(each for each in FAMILY_PREFIXES if not each.startswith(own) and not own.startswith(each))


def describe_foreign_headers(names: list[str], headers: Headers, dialect: Dialect) -> str:
    """Return a sentence about headers with the prefix of another service. `names` are their names, at least one."""
    prefix = next(each for each in FAMILY_PREFIXES if names[0].startswith(each))
    advised = next((dialect_option(name) for name, each in DIALECTS.items() if each.header_prefix == prefix), None)
    sentence = (
        f"the header{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))} would be ignored by this store, whose"
        f" headers begin with {dialect.header_prefix!r}; use"
        f" {advised or f'dialect=Dialect(header_prefix={prefix!r})'} if the application speaks {prefix!r}"
    )
    authorization = headers.get("authorization")
    words = authorization_words(dialect.auth, dialect.auth_scheme)
    if authorization is None or authorization.partition(" ")[0] in words:
        return sentence
    return f"{sentence}. Also, {describe_scheme(authorization, words)}"
