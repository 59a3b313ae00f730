"""An in-process fake of an HTTP object storage service, for tests.

Names are imported at their first use, because pytest imports the package of every plugin in every run. A run without a
store should not pay for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `as` marks a name as exported
    from fakestore import faults as faults
    from fakestore.api.arguments import BlockedEncryptionName as BlockedEncryptionName
    from fakestore.api.arguments import CannedAclName as CannedAclName
    from fakestore.api.arguments import EncryptionName as EncryptionName
    from fakestore.api.arguments import KmsKeyStateName as KmsKeyStateName
    from fakestore.api.arguments import ObjectOwnershipName as ObjectOwnershipName
    from fakestore.api.arguments import StorageClassName as StorageClassName
    from fakestore.api.arguments import VersioningName as VersioningName
    from fakestore.api.bucket import Bucket as Bucket
    from fakestore.api.fake_store import fake_store as fake_store
    from fakestore.api.operation_names import OperationName as OperationName
    from fakestore.api.options import StoreOptions as StoreOptions
    from fakestore.api.store import FakeStore as FakeStore
    from fakestore.api.store import Snapshot as Snapshot
    from fakestore.clients.unexpected import UnexpectedRequest as UnexpectedRequest
    from fakestore.errors import ErrorResponse as ErrorResponse
    from fakestore.errors import UnsupportedRequest as UnsupportedRequest
    from fakestore.http.message import Headers as Headers
    from fakestore.http.message import Reply as Reply
    from fakestore.http.message import Request as Request
    from fakestore.model.accounts import Account as Account
    from fakestore.model.accounts import Accounts as Accounts
    from fakestore.model.acl import Acl as Acl
    from fakestore.model.acl import Grant as Grant
    from fakestore.model.acl import Group as Group
    from fakestore.model.acl import ObjectOwnership as ObjectOwnership
    from fakestore.model.acl import Permission as Permission
    from fakestore.model.acl import PublicAccessBlock as PublicAccessBlock
    from fakestore.model.checksums import Checksum as Checksum
    from fakestore.model.checksums import ChecksumAlgorithm as ChecksumAlgorithm
    from fakestore.model.checksums import ChecksumType as ChecksumType
    from fakestore.model.content import JoinedContent as JoinedContent
    from fakestore.model.content import SparseContent as SparseContent
    from fakestore.model.encryption import BlockedEncryption as BlockedEncryption
    from fakestore.model.encryption import CustomerKey as CustomerKey
    from fakestore.model.encryption import Encryption as Encryption
    from fakestore.model.encryption import ManagedEncryption as ManagedEncryption
    from fakestore.model.lifecycle import LifecycleEffect as LifecycleEffect
    from fakestore.model.multipart_upload import MultipartUpload as MultipartUpload
    from fakestore.model.multipart_upload import Part as Part
    from fakestore.model.object_lock import LegalHold as LegalHold
    from fakestore.model.object_lock import Retention as Retention
    from fakestore.model.object_lock import RetentionMode as RetentionMode
    from fakestore.model.object_version import DeleteMarker as DeleteMarker
    from fakestore.model.object_version import Entry as Entry
    from fakestore.model.object_version import EntryId as EntryId
    from fakestore.model.object_version import ObjectPart as ObjectPart
    from fakestore.model.object_version import ObjectVersion as ObjectVersion
    from fakestore.model.semantics import AnonymousRequests as AnonymousRequests
    from fakestore.model.semantics import Limits as Limits
    from fakestore.model.semantics import Semantics as Semantics
    from fakestore.model.semantics import TransitionMinimum as TransitionMinimum
    from fakestore.model.storage_class import Restoration as Restoration
    from fakestore.model.storage_class import StorageClass as StorageClass
    from fakestore.model.versioning import MfaDevice as MfaDevice
    from fakestore.model.versioning import Versioning as Versioning
    from fakestore.protocol.addressing import Address as Address
    from fakestore.protocol.addressing import Addressing as Addressing
    from fakestore.protocol.dialect import DOCUMENT as DOCUMENT
    from fakestore.protocol.dialect import S3 as S3
    from fakestore.protocol.dialect import ClientEnvironment as ClientEnvironment
    from fakestore.protocol.dialect import Dialect as Dialect
    from fakestore.protocol.scheme import Authentication as Authentication
    from fakestore.protocol.scheme import AuthScheme as AuthScheme
    from fakestore.protocol.scheme import AuthSettings as AuthSettings
    from fakestore.protocol.scheme import Claim as Claim
    from fakestore.protocol.scheme import FormScheme as FormScheme
    from fakestore.protocol.scheme import HeaderScheme as HeaderScheme
    from fakestore.protocol.scheme import QueryScheme as QueryScheme
    from fakestore.protocol.scheme import SignatureComparison as SignatureComparison
    from fakestore.protocol.scheme import SignatureProperties as SignatureProperties
    from fakestore.protocol.scheme import SigningContext as SigningContext
    from fakestore.protocol.scheme import Verifier as Verifier
    from fakestore.service.journal import BodyDigest as BodyDigest
    from fakestore.service.journal import Exchange as Exchange
    from fakestore.service.journal import Exchanges as Exchanges
    from fakestore.service.journal import RecordedReply as RecordedReply
    from fakestore.service.journal import RecordedRequest as RecordedRequest
    from fakestore.service.journal import UninterceptedRequest as UninterceptedRequest

#: The public names, by the module below this package that defines them.
_NAMES = {
    "api.arguments": (
        "BlockedEncryptionName CannedAclName EncryptionName KmsKeyStateName ObjectOwnershipName"
        " StorageClassName VersioningName"
    ),
    "api.bucket": "Bucket",
    "api.fake_store": "fake_store",
    "api.operation_names": "OperationName",
    "api.options": "StoreOptions",
    "api.store": "FakeStore Snapshot",
    "clients.unexpected": "UnexpectedRequest",
    "errors": "ErrorResponse UnsupportedRequest",
    "http.message": "Headers Reply Request",
    "model.accounts": "Account Accounts",
    "model.acl": "Acl Grant Group ObjectOwnership Permission PublicAccessBlock",
    "model.checksums": "Checksum ChecksumAlgorithm ChecksumType",
    "model.content": "JoinedContent SparseContent",
    "model.encryption": "BlockedEncryption CustomerKey Encryption ManagedEncryption",
    "model.lifecycle": "LifecycleEffect",
    "model.multipart_upload": "MultipartUpload Part",
    "model.object_lock": "LegalHold Retention RetentionMode",
    "model.object_version": "DeleteMarker Entry EntryId ObjectPart ObjectVersion",
    "model.semantics": "AnonymousRequests Limits Semantics TransitionMinimum",
    "model.storage_class": "Restoration StorageClass",
    "model.versioning": "MfaDevice Versioning",
    "protocol.addressing": "Address Addressing",
    "protocol.dialect": "DOCUMENT S3 ClientEnvironment Dialect",
    "protocol.scheme": (
        "Authentication AuthScheme AuthSettings Claim FormScheme HeaderScheme QueryScheme SignatureComparison"
        " SignatureProperties SigningContext Verifier"
    ),
    "service.journal": "BodyDigest Exchange Exchanges RecordedReply RecordedRequest UninterceptedRequest",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOMES, "faults"]


def __getattr__(name: str) -> object:
    if name == "faults":
        return import_module("fakestore.faults")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"fakestore.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
