"""An in-process fake of an HTTP object storage service, for tests.

The names are imported when they are first asked for: pytest imports every plugin's package in every run, also in
those that make no store.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOME = {
    "DOCUMENT": "wire.dialect",
    "Account": "model.accounts",
    "Bucket": "bucket",
    "DeleteMarker": "model.versions",
    "Dialect": "wire.dialect",
    "Exchange": "journal",
    "FakeStore": "store",
    "Limits": "model.limits",
    "MfaDevice": "model.mfa",
    "ObjectVersion": "model.versions",
    "SparseContent": "model.content",
    "UnexpectedRequest": "adapters.patching",
    "UnsupportedRequest": "model.errors",
    "Verifier": "wire.authentication",
    "fake_store": "activation",
}


def __getattr__(name: str) -> object:
    if name == "faults":
        return import_module("fakestore.faults")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    found = getattr(import_module(f"fakestore.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *(name for name in __all__ if name not in globals())]
