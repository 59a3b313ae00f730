"""An in-process fake of an HTTP object storage service, for tests."""

from fakestore import faults
from fakestore.activation import fake_store
from fakestore.adapters.patching import UnexpectedRequest
from fakestore.bucket import Bucket
from fakestore.journal import Exchange
from fakestore.model.accounts import Account
from fakestore.model.content import SparseContent
from fakestore.model.errors import UnsupportedRequest
from fakestore.model.limits import Limits
from fakestore.model.mfa import MfaDevice
from fakestore.model.versions import DeleteMarker, ObjectVersion
from fakestore.store import FakeStore
from fakestore.wire.authentication import Verifier
from fakestore.wire.dialect import DOCUMENT, Dialect

__all__ = [
    "DOCUMENT",
    "Account",
    "Bucket",
    "DeleteMarker",
    "Dialect",
    "Exchange",
    "FakeStore",
    "Limits",
    "MfaDevice",
    "ObjectVersion",
    "SparseContent",
    "UnexpectedRequest",
    "UnsupportedRequest",
    "Verifier",
    "fake_store",
    "faults",
]
