"""Server-side encryption: the headers of requests and replies, and the setting of a bucket."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, NamedTuple

from fakestore.errors import (
    ACCESS_DENIED,
    INVALID_ARGUMENT,
    INVALID_ENCRYPTION_ALGORITHM,
    INVALID_REQUEST,
    NO_DEFAULT_ENCRYPTION,
    ErrorResponse,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import decode_base64
from fakestore.model.encryption import (
    DSSE,
    BlockedEncryption,
    CustomerKey,
    Encryption,
    EncryptionConfiguration,
    EncryptionRule,
    ManagedEncryption,
    ServerSideEncryption,
)
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.framework.access import NO_CREDENTIALS
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import RawValue, headers, read_header, switch
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.regions import get_region, is_signed_with_version_2
from fakestore.xml.declarations import changed

_METHOD = "server-side-encryption"

_KMS_KEY = f"{_METHOD}-aws-kms-key-id"

_BUCKET_KEY = f"{_METHOD}-bucket-key-enabled"

_CONTEXT = f"{_METHOD}-context"

#: The headers with a customer key, without the prefix of the dialect.
CUSTOMER_KEY_HEADERS = tuple(f"{_METHOD}-customer-{name}" for name in ("algorithm", "key", "key-md5"))

#: The same for the source of a copy.
SOURCE_KEY_HEADERS = tuple(f"copy-source-{name}" for name in CUSTOMER_KEY_HEADERS)

#: The headers that request an encryption, without the prefix of the dialect.
METHOD_HEADERS = (_METHOD, _KMS_KEY, _BUCKET_KEY, _CONTEXT)
ENCRYPTION_HEADERS = (*METHOD_HEADERS, *CUSTOMER_KEY_HEADERS)

_ALGORITHM = "AES256"


def parse_encryption(call: Call) -> ServerSideEncryption | None:
    """Return the encryption that the headers request, or None."""
    managed, customer_key = _parse_managed(call), _parse_customer_key(call, read_key(call))
    if managed is not None and customer_key is not None:
        raise invalid_argument(
            call.dialect.header(_METHOD),
            managed.method,
            "Server Side Encryption with Customer provided key is incompatible with the encryption method specified",
        )
    return managed or customer_key


def _parse_method(sent: RawValue) -> Encryption:
    known = ", ".join(Encryption)
    if sent.text == DSSE:
        raise UnsupportedRequest(f"{sent.name} is {DSSE}, which is not supported; supported: {known}")
    try:
        return Encryption(sent.text)
    except ValueError:
        raise invalid_argument(
            sent.name,
            sent.text,
            "The encryption method specified is not supported",
            explanation=f"unknown encryption algorithm {sent.text!r}; expected one of {known}",
        ) from None


def _parse_managed(call: Call) -> ManagedEncryption | None:
    headers, header = call.service_headers, call.dialect.header(_METHOD)
    method, key_id = read_header(call, _METHOD, _parse_method), headers.get(_KMS_KEY)
    if key_id is not None and method is not Encryption.KMS:
        raise invalid_argument(
            header,
            headers.get(_METHOD, ""),
            f"Server Side Encryption with AWS KMS managed key requires HTTP header {header} : {Encryption.KMS}",
            explanation=f"{call.dialect.header(_KMS_KEY)} was sent; send {header}: {Encryption.KMS}, too",
        )
    bucket_key, encryption_context = read_header(call, _BUCKET_KEY, switch), headers.get(_CONTEXT)
    if encryption_context is not None:
        _check_encryption_context(call, encryption_context, method)
    if method is None and bucket_key is not None:
        raise UnsupportedRequest(
            f"{call.dialect.header(_BUCKET_KEY)} without {header} is not supported; send {header}:"
            f" {Encryption.KMS}, too"
        )
    if method is None:
        return None
    return ManagedEncryption(method, key_id, bucket_key if method is Encryption.KMS else None, encryption_context)


def _check_encryption_context(call: Call, text: str, method: Encryption | None) -> None:
    """Check an encryption context. [encryption-context]"""
    name = call.dialect.header(_CONTEXT)
    if method is not Encryption.KMS:
        raise UnsupportedRequest(
            f"{name} without KMS is not supported; send {call.dialect.header(_METHOD)}: {Encryption.KMS}, too"
        )
    try:
        pairs = json.loads(decode_base64(text))
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, dict) or not all(isinstance(value, str) for value in pairs.values()):
        raise UnsupportedRequest(
            f"{name} is {text!r}, which is not supported; send the base64 of a JSON object whose values are texts"
        )


class SentKey(NamedTuple):
    """The headers with a customer key. At least one was sent. They are checked when the key is needed."""

    algorithm: str | None
    key: str | None
    md5: str | None


def read_key(call: Call, names: tuple[str, ...] = CUSTOMER_KEY_HEADERS) -> SentKey | None:
    """Return the customer key in the headers with these names, or None if none of them was sent."""
    headers = call.service_headers
    return None if headers.keys().isdisjoint(names) else SentKey(*map(headers.get, names))


def customer_key_headers() -> Any:
    """Declare the headers with the customer key of a stored object, for a class of parameters."""
    return headers(read_key, *CUSTOMER_KEY_HEADERS)


def _check_transport(call: Call) -> None:
    """Check that a request with a customer key came over https, if the service requires it."""
    if call.semantics.customer_keys_need_https and call.request.scheme != "https":
        raise INVALID_REQUEST.error(
            "Requests specifying Server Side Encryption with Customer provided keys must be made over a secure"
            " connection.",
            explanation=f"a customer key was sent over {call.request.scheme}; use https, or a dialect with"
            " Semantics(customer_keys_need_https=False)",
        )


def _parse_customer_key(call: Call, sent: SentKey | None) -> CustomerKey | None:
    """Return the customer key for a new object, or None."""
    if sent is None:
        return None
    _check_transport(call)
    if sent.algorithm is None:
        raise _missing_key(call, "a valid encryption algorithm.")
    _check_algorithm(call, sent.algorithm)
    if sent.key is None:
        raise _missing_key(call, "an appropriate secret key.")
    if sent.md5 is None:
        raise _missing_key(call, "the client calculated MD5 of the secret key.")
    header = call.dialect.header(_METHOD)
    if len(decode_base64(sent.key)) != 32:
        raise INVALID_ARGUMENT.error("The secret key was invalid for the specified algorithm.", ArgumentName=header)
    if _md5_of(sent.key) != sent.md5:
        raise INVALID_ARGUMENT.error(
            "The calculated MD5 hash of the key did not match the hash that was provided.", ArgumentName=header
        )
    return CustomerKey(sent.md5)


def check_customer_key(
    call: Call,
    version: ObjectVersion,
    sent: SentKey | None,
    names: tuple[str, ...] = CUSTOMER_KEY_HEADERS,
) -> None:
    """Check that a request to read `version` has its customer key, or no key if the version has none.

    `names` are the headers of the key.
    """
    stored = version.server_side_encryption
    if sent is not None:
        _check_transport(call)
    if isinstance(stored, CustomerKey):
        if sent is None:
            raise INVALID_REQUEST.error(
                "The object was stored using a form of Server Side Encryption. The correct parameters must be provided"
                " to retrieve the object.",
                explanation=f"{version.key!r} was encrypted with a customer key; send the headers"
                f" {', '.join(map(call.dialect.header, names))}",
            )
        _check_is_key(call, version.key, stored, sent)
    elif sent is not None:
        raise INVALID_REQUEST.error(
            "The encryption parameters are not applicable to this object.",
            explanation=f"{version.key!r} was not encrypted with a customer key; send no key",
        )


def _check_is_key(call: Call, object_key: str, stored: CustomerKey, sent: SentKey) -> None:
    if sent.algorithm is None:
        raise UnsupportedRequest(
            f"a customer key without its algorithm is not supported; send the algorithm {_ALGORITHM}, too"
        )
    _check_algorithm(call, sent.algorithm)
    md5_of_key = None if sent.key is None else _md5_of(sent.key)
    if not (md5_of_key == sent.md5 == stored.md5):
        raise ACCESS_DENIED.error(
            "Requests specifying Server Side Encryption with Customer provided keys must provide the correct secret"
            " key.",
            explanation=f"{object_key!r} was encrypted with the key whose MD5 is {stored.md5}; the MD5 of the sent key"
            f" is {md5_of_key}, and the sent MD5 is {sent.md5}",
        )


def check_is_not_blocked(bucket: BucketRecord, encryption: ServerSideEncryption | None) -> None:
    """Check that a bucket accepts the encryption of a new object. [blocked-encryption]"""
    if isinstance(encryption, CustomerKey) and BlockedEncryption.CUSTOMER_KEY in bucket.get_encryption().blocked:
        raise ACCESS_DENIED.error(
            explanation=f"bucket {bucket.name!r} refuses customer keys (SSE-C), like every new bucket; send PUT"
            " Bucket encryption with the EncryptionType NONE in BlockedEncryptionTypes, or set"
            f" store[{bucket.name!r}].blocked_encryption = 'NONE'"
        )


def check_kms_key(
    call: Call, bucket: BucketRecord, encryption: ServerSideEncryption | None, *, uses_key: bool = True
) -> None:
    """Check that the requester may use an object with KMS encryption, and that its key can be used. [kms-keys]

    Args:
        uses_key: Whether the request encrypts or decrypts content. Otherwise the key is not checked.
    """
    if not isinstance(encryption, ManagedEncryption) or encryption.method is not Encryption.KMS:
        return
    reason = None
    if call.requester is ANONYMOUS:  # [anonymous-operations]
        reason = f"anonymous may not use an object that is encrypted with KMS: {NO_CREDENTIALS}"
    elif _needs_version_4(call) and is_signed_with_version_2(call):
        reason = "the request is signed with version 2; with boto3, use Config(signature_version='s3v4')"
    if reason is not None:
        raise invalid_argument(
            "Authorization",
            "null",
            "Requests specifying Server Side Encryption with AWS KMS managed keys require AWS Signature Version 4.",
            explanation=reason,
        )
    key_id = encryption.key_id
    if uses_key and key_id is not None and key_id != call.semantics.default_kms_key:
        call.state.kms_keys.check(key_id, account=call.account.number, region=get_region(call, bucket))


def _needs_version_4(call: Call) -> bool:
    """Return whether KMS encryption needs signature version 4. An unverified header may have version 2. [kms-keys]"""
    settings = call.service.authenticator.settings
    verifies_header = settings.verify and settings.verifier is None
    return call.semantics.kms_needs_version_4 and (verifies_header or "authorization" not in call.headers)


def check_part_encryption(call: Call, sent: SentKey | None, encryption: ServerSideEncryption | None) -> None:
    """Check that the request for a part has the customer key of its upload, or none if the upload has none."""
    customer_key = _parse_customer_key(call, sent)
    if isinstance(encryption, CustomerKey) != (customer_key is not None):
        raise INVALID_REQUEST.error(
            "The multipart upload initiate requested encryption. Subsequent part requests must include the appropriate"
            " encryption parameters.",
            explanation="the upload was begun without a customer key; send no key"
            if customer_key is not None
            else "the upload was begun with a customer key; send the same key with every part",
        )
    if customer_key is not None and customer_key != encryption:
        raise INVALID_REQUEST.error("The provided encryption parameters did not match the ones used originally.")


def _check_algorithm(call: Call, algorithm: str) -> None:
    if algorithm != _ALGORITHM:
        raise INVALID_ENCRYPTION_ALGORITHM.error(ArgumentName=call.dialect.header(_METHOD), ArgumentValue=algorithm)


def _missing_key(call: Call, what: str) -> ErrorResponse:
    header = call.dialect.header(_METHOD)
    return INVALID_ARGUMENT.error(
        f"Requests specifying Server Side Encryption with Customer provided keys must provide {what}",
        explanation=f"send all of {header}-customer-algorithm, {header}-customer-key and {header}-customer-key-md5",
        ArgumentName=header,
    )


def _md5_of(key: str) -> str:
    return base64.b64encode(hashlib.md5(decode_base64(key), usedforsecurity=False).digest()).decode()


def encryption_headers(encryption: ServerSideEncryption | None) -> dict[str, str]:
    """Return the dialect's headers with the encryption of an object."""
    if encryption is None:
        return {}
    if isinstance(encryption, CustomerKey):
        algorithm, _, md5 = CUSTOMER_KEY_HEADERS
        return {algorithm: _ALGORITHM, md5: encryption.md5}
    headers = {_METHOD: str(encryption.method)}
    if encryption.key_id is not None:
        headers[_KMS_KEY] = encryption.key_id
    if encryption.bucket_key:
        headers[_BUCKET_KEY] = "true"
    return headers


def context_header(encryption: ServerSideEncryption | None) -> dict[str, str]:
    """Return the header with the encryption context. Only the reply to a write has it. [encryption-context]"""
    context = encryption.context if isinstance(encryption, ManagedEncryption) else None
    return {} if context is None else {_CONTEXT: context}


def _read_encryption(bucket: BucketRecord) -> EncryptionConfiguration | None:
    """Return the settings of the bucket, or else the settings of the service."""
    rule = bucket.get_encryption()
    if not bucket.encryption.blocked and rule.blocked == (BlockedEncryption.NONE,):
        rule = changed(rule, blocked=())
    return None if rule == EncryptionRule() else EncryptionConfiguration(rules=(rule,))


ENCRYPTION = Setting(
    "encryption",
    "BucketEncryption",
    EncryptionConfiguration,
    Actions("s3:GetEncryptionConfiguration", "s3:PutEncryptionConfiguration", "s3:PutEncryptionConfiguration"),
    attribute="encryption",
    missing=NO_DEFAULT_ENCRYPTION,
    title="default encryption",
    read=_read_encryption,
    removed=EncryptionRule(),
)


@ENCRYPTION.put
def put_bucket_encryption(bucket: BucketRecord, document: EncryptionConfiguration) -> Result:
    bucket.encryption = document.rules[0]
    return Result()


OPERATIONS = (*ENCRYPTION.operations(put_bucket_encryption),)
