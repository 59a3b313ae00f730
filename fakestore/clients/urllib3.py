"""How libraries on urllib3 reach a store without `requests`: one patch for all active stores.

They are boto3, botocore and minio. The patch is installed when one of them is imported, or if the option
`intercept_urllib3` requests it, so that tests which use only `requests` do not pay for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import SplitResult, urlsplit
from weakref import WeakKeyDictionary

from urllib3 import HTTPConnectionPool, HTTPResponse
from urllib3.connection import HTTPConnection
from urllib3.exceptions import ConnectTimeoutError
from urllib3.util.request import SKIP_HEADER, SKIPPABLE_HEADERS, body_to_chunks
from urllib3.util.util import to_str

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, find_target, is_at_parent, patching
from fakestore.clients.unexpected import new_request, note_unexpected
from fakestore.clients.wire import connection_reset, make_headers, make_request, response_of, send_unread
from fakestore.http.message import DEFAULT_PORTS, ConnectionFailure, Delivery, Headers, Request
from fakestore.messages import PLANNED_FAULT
from fakestore.protocol.addressing import join_netloc


class StorePool(HTTPConnectionPool):
    """Replaces the pool of a client. urllib3 itself handles retries, redirects and timeouts."""

    def __init__(self, pool: HTTPConnectionPool, target: Target) -> None:
        port = pool.port or DEFAULT_PORTS[pool.scheme]  # a pool that is made without a port has none
        super().__init__(pool.host, port, timeout=pool.timeout, headers=pool.headers, retries=pool.retries)
        self.scheme = pool.scheme
        self.target = target

    def _new_conn(self) -> Any:
        return StoreConnection(self)

    def _put_conn(self, conn: Any) -> None:
        """Keep no connection. A new connection costs nothing, and a kept one keeps its last reply in memory."""


class StoreConnection(HTTPConnection):
    """Passes a request to the store, and the reply of the store to urllib3."""

    def __init__(self, pool: StorePool) -> None:
        super().__init__(pool.host, pool.port)
        self._pool = pool
        self._answer: tuple[Delivery | ConnectionFailure, Request, str, dict[str, bool]] | None = None

    def request(  # type: ignore[override]  # urllib3's own signature, which differs from http.client's
        self,
        method: str,
        url: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        chunked: bool = False,
        preload_content: bool = True,
        decode_content: bool = True,
        enforce_content_length: bool = True,
    ) -> None:
        __tracebackhide__ = True
        sent = self._headers(method, headers, body, chunked)
        port = None if self.port == DEFAULT_PORTS[self._pool.scheme] else self.port
        request = make_request(method, _full_url(self._pool, port, url), sent, body)
        delivery, _ = self._pool.target.service.answer(request)
        if delivery is ConnectionFailure.CONNECT_TIMEOUT:
            raise ConnectTimeoutError(self, f"Connection to {self.host} timed out. ({PLANNED_FAULT})")
        send_unread(request)
        options = {"preload_content": preload_content, "decode_content": decode_content}
        self._answer = delivery, request, url, options

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3 allows any BaseHTTPResponse
        assert self._answer is not None, "urllib3 reads a response after it has sent a request"
        delivery, request, url, options = self._answer
        if delivery is ConnectionFailure.RESET:
            raise connection_reset()
        delivered = self._pool.target.await_reply(delivery, self.timeout)
        if delivered is None:
            raise TimeoutError(f"timed out ({PLANNED_FAULT})")
        return response_of(delivered, request, url, **options)

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed. urllib3 sets the read timeout only of an open connection."""
        return self._answer is None

    def _headers(self, method: str, headers: Mapping[str, str] | None, body: Any, chunked: bool) -> Headers:
        """Return the headers of the client, and the header that urllib3 adds for the length of the body."""
        # The items of an HTTPHeaderDict have each value of a header.
        pairs = [
            (to_str(name), value)
            for name, value in (headers or {}).items()
            if value != SKIP_HEADER or to_str(name).lower() not in SKIPPABLE_HEADERS
        ]
        sent = make_headers(pairs)
        if "content-length" in sent or "transfer-encoding" in sent:
            return sent
        length = None if chunked else body_to_chunks(body, method, 16384).content_length
        if length is not None:
            return Headers([*sent.fields, ("Content-Length", str(length))])
        if body is not None or chunked:
            return Headers([*sent.fields, ("Transfer-Encoding", "chunked")])
        return sent


#: The libraries that use urllib3 without `requests`.
_USERS = ("botocore", "minio")

#: The pools that replace the pools of clients while a store is active. The references are weak, so that a pool ends
#: with its client.
_pools: WeakKeyDictionary[HTTPConnectionPool, StorePool] = WeakKeyDictionary()

#: Whether the patch of `requests` has allowed the current request to reach the network.
_is_passing_on: ContextVar[bool] = ContextVar("_is_passing_on", default=False)


def install(target: Target) -> None:
    """Let the active stores answer requests of urllib3 to their hosts."""
    with patching:
        if _UserFinder not in sys.meta_path:
            sys.meta_path.insert(0, _UserFinder)
        if target.intercept_urllib3 or any(name in sys.modules for name in _USERS):
            _urlopen.put_in_place()


def uninstall(target: Target) -> None:
    """Stop answering for a store. The patch is removed with the last one."""
    with patching:
        _pools.clear()
        if not active:
            if _UserFinder in sys.meta_path:
                sys.meta_path.remove(_UserFinder)
            _urlopen.remove()


class _UserFinder:
    """Finds no module. It installs the patch when a library that uses urllib3 is imported while a store is active."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name in _USERS:
            with patching:
                if active:
                    _urlopen.put_in_place()


@contextmanager
def passing_on() -> Iterator[None]:
    """Let requests reach the network if the patch of `requests` has already allowed them."""
    token = _is_passing_on.set(True)
    try:
        yield
    finally:
        _is_passing_on.reset(token)


def _is_called_by_requests() -> bool:
    """Return whether `requests` itself calls the function that calls this one.

    Such a request must reach the network, because the patch of `requests`, or another mock that was started later, has
    already let it pass. This patch exists only if botocore or minio is imported, so without this check the import
    would decide whether the request is refused. Only the caller shows the difference, because minio and `requests` use
    the same class of pools.
    """
    adapters = sys.modules.get("requests.adapters")
    return adapters is not None and sys._getframe(2).f_globals is vars(adapters)


def _make_urlopen(original: Any) -> Any:
    def store_pool(pool: HTTPConnectionPool, target: Target) -> StorePool:
        kept = _pools.get(pool)
        if kept is None or kept.target is not target:
            kept = _pools[pool] = StorePool(pool, target)
        return kept

    def fakestore_urlopen(pool: HTTPConnectionPool, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        targets = tuple(active)
        if targets and _is_called_by_requests():
            with passing_on():
                return original(pool, method, url, *args, **kwargs)
        if targets and not isinstance(pool, StorePool):  # urllib3 retries on the pool that it was called with
            parts = _full_url(pool, pool.port, url)
            target = find_target(targets, parts)
            if target is not None:
                pool = store_pool(pool, target)
            elif not (targets[0].allow_network or _is_passing_on.get() or is_at_parent(parts)):
                raise note_unexpected(targets[0], parts, new_request(method, parts))
        return original(pool, method, url, *args, **kwargs)

    return fakestore_urlopen


_urlopen = Replacement(HTTPConnectionPool, "urlopen", _make_urlopen)


def _full_url(pool: HTTPConnectionPool, port: int | None, url: str) -> SplitResult:
    """Return the whole URL of a request. If the pool belongs to a proxy, `url` is already whole."""
    if not url.startswith("/"):
        return urlsplit(url)
    return urlsplit(f"{pool.scheme}://{join_netloc(pool.host, port)}{url}")
