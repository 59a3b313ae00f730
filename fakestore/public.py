"""The public names of the package, except `UnexpectedRequest`, which `fakestore/__init__.py` imports itself."""

# mypy: implicit-reexport
# ruff: noqa: F401

import fakestore.faults as faults
from fakestore.api.arguments import (
    BlockedEncryptionName,
    CannedAclName,
    EncryptionName,
    KmsKeyStateName,
    ObjectOwnershipName,
    StorageClassName,
    VersioningName,
)
from fakestore.api.bucket import Bucket
from fakestore.api.fake_store import fake_store
from fakestore.api.operation_names import OperationName
from fakestore.api.options import StoreOptions
from fakestore.api.store import FakeStore, Snapshot
from fakestore.errors import ErrorResponse, UnsupportedRequest
from fakestore.http.message import Headers, Reply, Request
from fakestore.model.accounts import Account, Accounts
from fakestore.model.acl import Acl, Grant, Group, ObjectOwnership, Permission, PublicAccessBlock
from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumType
from fakestore.model.content import JoinedContent, SparseContent
from fakestore.model.encryption import BlockedEncryption, CustomerKey, Encryption, ManagedEncryption
from fakestore.model.lifecycle import LifecycleEffect
from fakestore.model.multipart_upload import MultipartUpload, Part
from fakestore.model.object_lock import LegalHold, Retention, RetentionMode
from fakestore.model.object_version import DeleteMarker, Entry, EntryId, ObjectPart, ObjectVersion
from fakestore.model.semantics import AnonymousRequests, Limits, Semantics, TransitionMinimum
from fakestore.model.storage_class import Restoration, StorageClass
from fakestore.model.versioning import MfaDevice, Versioning
from fakestore.protocol.addressing import Address, Addressing
from fakestore.protocol.auth.scheme import (
    Authentication,
    AuthScheme,
    AuthSettings,
    Claim,
    FormScheme,
    HeaderScheme,
    QueryScheme,
    SignatureComparison,
    SignatureProperties,
    SigningContext,
    Verifier,
)
from fakestore.protocol.dialect import DOCUMENT, S3, ClientEnvironment, Dialect
from fakestore.service.events import EventDestination, LambdaContext, SentEvent
from fakestore.service.journal import (
    BodyDigest,
    Exchange,
    Exchanges,
    RecordedReply,
    RecordedRequest,
    UninterceptedRequest,
)
