"""Patches of libraries that a test imports while a store is entered, for example inside of its function.

Importing these libraries for the test would take up to half a second in each process, so an import hook waits for them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: What is called after a library was imported, by the name of the library.
_calls: dict[str, Callable[[], None]] = {}


def when_imported(name: str, call: Callable[[], None]) -> None:
    """Call a function after a library was imported; now, if it is imported already."""
    if name in sys.modules:
        call()
        return
    _calls[name] = call
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def forget(name: str) -> None:
    """Do not wait for a library any more."""
    _calls.pop(name, None)
    if not _calls and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


class _Finder(MetaPathFinder):
    """Finds the libraries that are waited for, through the other finders."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _calls:
            return None
        others = [each for each in sys.meta_path if each is not self]
        spec = next(filter(None, (each.find_spec(name, path, target) for each in others)), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, name)
        return spec


class _Loader(Loader):
    """Executes a library by its own loader, and then calls what waits for it."""

    def __init__(self, loader: Loader, name: str) -> None:
        self._loader = loader
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        call = _calls.get(self._name)
        if call is not None:
            forget(self._name)
            call()


_finder = _Finder()
