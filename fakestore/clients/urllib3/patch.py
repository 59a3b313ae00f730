"""One patch of `urllib3` for all active stores.

It serves boto3, botocore and minio, which use urllib3 without `requests`. It is installed when one of them is imported,
or if the option `intercept_urllib3` requests it, so that tests which use only `requests` do not pay for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from threading import local
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit
from weakref import WeakKeyDictionary

from fakestore.clients.replacement import Replacement
from fakestore.clients.served import is_at_parent
from fakestore.clients.target import Target
from fakestore.clients.unexpected import note_unexpected
from fakestore.clients.wire import find_target
from fakestore.locks import new_lock
from fakestore.protocol.addressing import join_netloc

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool

    from fakestore.clients.urllib3.connection import StorePool

#: The libraries that use urllib3 without `requests`.
_USERS = ("botocore", "minio")

#: The active stores, innermost last.
_targets: list[Target] = []
#: The replacement of `urlopen`; None until it is needed.
_replacement: Replacement | None = None
#: The pools that replace those of the clients while a store is active. The references are weak so that a pool which its
#: client drops is not kept for as long as the store is active.
_pools: WeakKeyDictionary[HTTPConnectionPool, StorePool] = WeakKeyDictionary()
_allowed = local()
#: Held while the patch is installed or removed, because it belongs to the whole process.
_patching = new_lock()


def install(target: Target) -> None:
    """Let a store answer requests of urllib3 to its hosts, before all stores that were started earlier."""
    with _patching:
        _targets.append(target)
        if len(_targets) == 1:
            sys.meta_path.insert(0, _USER_FINDER)
        if target.intercept_urllib3 or any(name in sys.modules for name in _USERS):
            _patch()


def uninstall(target: Target) -> None:
    """Stop answering for a store. The patch is removed with the last one."""
    with _patching:
        _targets[:] = [each for each in _targets if each is not target]
        _pools.clear()
        if _targets:
            return
        if _USER_FINDER in sys.meta_path:
            sys.meta_path.remove(_USER_FINDER)
        if _replacement is not None:
            _replacement.remove()


def active_targets() -> tuple[Target, ...]:
    """Return the active stores, innermost last."""
    return tuple(_targets)


class _UserFinder:
    """Finds no module. It installs the patch when a library that uses urllib3 is imported while a store is active."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in _USERS:
            with _patching:
                if _targets:
                    _patch()
        return None


_USER_FINDER: Any = _UserFinder()


@contextmanager
def passing_on() -> Iterator[None]:
    """Let requests reach the network that the patch of `requests` has already allowed."""
    _allowed.depth = getattr(_allowed, "depth", 0) + 1
    try:
        yield
    finally:
        _allowed.depth -= 1


def _is_passing_on() -> bool:
    return getattr(_allowed, "depth", 0) > 0


def _is_called_by_requests() -> bool:
    """Return whether `requests` itself calls the function that calls this one.

    Such a request must reach the network, because the patch of `requests`, or another mock that was started later, has
    already let it pass. This patch exists only if botocore or minio is imported, so without this check the import
    would decide whether the request is refused. Only the caller shows the difference, because minio and `requests` use
    the same class of pools.
    """
    adapters = sys.modules.get("requests.adapters")
    return adapters is not None and sys._getframe(2).f_globals is vars(adapters)


def _patch() -> None:
    global _replacement
    if _replacement is None:
        from urllib3 import HTTPConnectionPool

        _replacement = Replacement(HTTPConnectionPool, "urlopen", _make_urlopen)
    _replacement.put_in_place()


def _make_urlopen(original: Any) -> Any:
    from fakestore.clients.urllib3.connection import StorePool

    def store_pool(pool: HTTPConnectionPool, target: Target) -> StorePool:
        kept = _pools.get(pool)
        if kept is None or kept.target is not target:
            kept = _pools[pool] = StorePool(pool, target)
        return kept

    def fakestore_urlopen(pool: HTTPConnectionPool, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        targets = tuple(_targets)
        if targets and _is_called_by_requests():
            with passing_on():
                return original(pool, method, url, *args, **kwargs)
        if targets and not isinstance(pool, StorePool):  # urllib3 retries on the pool that it was called with
            parts = _full_url(pool, url)
            target = find_target(targets, parts)
            if target is not None:
                pool = store_pool(pool, target)
            elif not (targets[0].allow_network or _is_passing_on() or is_at_parent(parts)):
                raise note_unexpected(targets[0], method, parts)
        return original(pool, method, url, *args, **kwargs)

    return fakestore_urlopen


def _full_url(pool: HTTPConnectionPool, url: str) -> SplitResult:
    """Return the whole URL of a request. If the pool belongs to a proxy, `url` is already whole."""
    if not url.startswith("/"):
        return urlsplit(url)
    return urlsplit(f"{pool.scheme}://{join_netloc(pool.host, pool.port)}{url}")
