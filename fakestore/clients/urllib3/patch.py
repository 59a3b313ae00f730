"""One patch of `urllib3` for all active stores.

It serves boto3, botocore and minio, which use urllib3 without `requests`. It is installed when one of them is imported,
so that tests which use only `requests` do not pay for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from threading import local
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fakestore.clients.target import Target
from fakestore.service.locks import new_lock

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool

#: The libraries that use urllib3 without `requests`.
_USERS = ("botocore", "minio")

_targets: list[Target] = []
_original: Callable[..., Any] | None = None
_allowed = local()
#: Held while the patch is installed or removed, because it belongs to the whole process.
_patching = new_lock()


def install(target: Target) -> None:
    """Let a store answer requests of urllib3 to its hosts, before all stores that were started earlier."""
    with _patching:
        _targets.append(target)
        if len(_targets) == 1:
            sys.meta_path.insert(0, _USER_FINDER)
        if any(name in sys.modules for name in _USERS):
            _patch()


def uninstall(target: Target) -> None:
    """Stop answering for a store. The patch is removed with the last one."""
    global _original
    with _patching:
        _targets[:] = [each for each in _targets if each is not target]
        if _targets:
            return
        sys.meta_path.remove(_USER_FINDER)
        if _original is not None:
            from urllib3 import HTTPConnectionPool

            HTTPConnectionPool.urlopen = _original  # type: ignore[method-assign]
            _original = None


class _UserFinder:
    """Finds nothing, but notices that a library which uses urllib3 is imported while a store is active."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in _USERS:
            _patch()
        return None


_USER_FINDER: Any = _UserFinder()


@contextmanager
def passing_on() -> Iterator[None]:
    """Let requests through that the patch of `requests` has passed on: it has decided about their hosts."""
    _allowed.depth = getattr(_allowed, "depth", 0) + 1
    try:
        yield
    finally:
        _allowed.depth -= 1


def _patch() -> None:
    global _original
    if _original is not None:
        return
    from urllib3 import HTTPConnectionPool

    from fakestore.clients.urllib3.connection import StorePool

    original = _original = HTTPConnectionPool.urlopen

    def fakestore_urlopen(pool: HTTPConnectionPool, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not isinstance(pool, StorePool):  # urllib3 retries on the pool that it was called with
            target = _target_of(pool)
            if target is not None:
                pool = StorePool(pool, target)
            elif _targets and not _targets[-1].allow_network and not getattr(_allowed, "depth", 0):
                raise _unexpected(pool, method, url)
        return original(pool, method, url, *args, **kwargs)

    HTTPConnectionPool.urlopen = fakestore_urlopen  # type: ignore[method-assign,assignment]


def _target_of(pool: HTTPConnectionPool) -> Target | None:
    for target in reversed(_targets):
        if target.service.endpoint.claims(pool.scheme or "", pool.host, pool.port):
            return target
    return None


def _unexpected(pool: HTTPConnectionPool, method: str, url: str) -> Exception:
    from fakestore.clients.requests.patch import UnexpectedRequest
    from fakestore.clients.unexpected import explain_unexpected

    target = _targets[-1]
    parts = urlsplit(url if "://" in url else f"{pool.scheme}://{pool.host}:{pool.port}{url}")
    error = UnexpectedRequest(explain_unexpected(target.service, method, parts, is_first=False))
    target.service.unhandled_requests.append(error)
    return error
