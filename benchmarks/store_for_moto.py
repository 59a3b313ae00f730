"""Gives a test suite that is written for moto a store instead: ``pytest -p benchmarks.store_for_moto``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ContextDecorator, nullcontext
from types import ModuleType
from typing import Any, ClassVar

from fakestore import fake_store

#: One suite compares the access key that moto sets.
_OPTIONS: dict[str, Any] = {
    "dialect": "s3",
    "acls": True,
    "any_access_key": True,
    "access_key_id": "FOOBARKEY",
    "secret_key": "secret",
}


class _Mock(ContextDecorator):
    """A decorator with and without a call, a context manager, and `start` with `stop`, as moto's mocks are.

    Mocks that are entered together share their buckets, as moto's do.
    """

    _entered: ClassVar[list[AbstractContextManager[Any]]] = []

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        mock = super().__new__(cls)
        return mock if function is None else mock(function)

    def __enter__(self) -> None:
        entered: AbstractContextManager[Any] = nullcontext() if self._entered else fake_store(**_OPTIONS)
        entered.__enter__()
        self._entered.append(entered)

    def __exit__(self, *error: Any) -> None:
        self._entered.pop().__exit__(*error)

    def start(self) -> None:
        self.__enter__()

    def stop(self) -> None:
        self.__exit__(None, None, None)


class _Moto(ModuleType):
    mock_aws = mock_s3 = mock_sts = _Mock


sys.modules["moto"] = _Moto("moto")
