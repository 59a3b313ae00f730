"""How clients on urllib3 reach a store: one patch for all active stores, also for boto3, minio and `requests`."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import unwrap
from typing import Any
from urllib.parse import SplitResult, urlsplit
from weakref import WeakKeyDictionary

from urllib3 import HTTPConnectionPool, HTTPResponse, connectionpool
from urllib3.connection import HTTPConnection
from urllib3.exceptions import ConnectTimeoutError, ReadTimeoutError
from urllib3.util.request import SKIP_HEADER, SKIPPABLE_HEADERS, body_to_chunks
from urllib3.util.util import to_str

from fakestore.clients.decision import check_allowed
from fakestore.clients.replacement import Replacement
from fakestore.clients.responses import is_passed_by_moto
from fakestore.clients.target import Target, active, find_target, patching
from fakestore.clients.wire import connection_reset, make_headers, make_request, response_of, send_unread
from fakestore.http.message import DEFAULT_PORTS, ConnectionFailure, Delivery, Headers, Request
from fakestore.messages import PLANNED_FAULT
from fakestore.protocol.addressing import join_netloc


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
        port = None if self.port == DEFAULT_PORTS[self._pool.scheme] else self.port
        whole_url = _full_url(self._pool, port, url)
        request = make_request(method, whole_url, self._headers(method, headers, body, chunked), body)
        self._pool.target.reach.last_sent = ""
        delivery, _ = self._pool.target.service.answer(request)
        if delivery is ConnectionFailure.CONNECT_TIMEOUT:
            raise ConnectTimeoutError(self, f"Connection to {self.host} timed out. ({PLANNED_FAULT})")
        send_unread(request)
        options = {"preload_content": preload_content, "decode_content": decode_content}
        self._answer = delivery, request, url, options

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3 allows any BaseHTTPResponse
        if self._answer is None:  # the body raised an error of a lost connection, which urllib3 ignores while it sends
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        delivery, request, url, options = self._answer
        if delivery is ConnectionFailure.RESET:
            raise connection_reset()
        delivered = self._pool.target.await_reply(delivery, self.timeout)
        if delivered is None:
            raise ReadTimeoutError(self._pool, url, f"Read timed out. ({PLANNED_FAULT})")
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
        if "content-length" in sent.by_name or "transfer-encoding" in sent.by_name:
            return sent
        length = None if chunked else body_to_chunks(body, method, 16384).content_length
        if length is not None:
            return Headers([*sent.fields, ("Content-Length", str(length))])
        if body is not None or chunked:
            return Headers([*sent.fields, ("Transfer-Encoding", "chunked")])
        return sent


class StorePool(HTTPConnectionPool):
    """Replaces the pool of a client. urllib3 itself handles retries, redirects and timeouts."""

    #: Tools such as VCR replace the class of connections, and wait until a pool returns one of their class.
    ConnectionCls = StoreConnection

    def __init__(self, target: Target, scheme: str, host: str, port: int | None, **options: Any) -> None:
        super().__init__(host, port or DEFAULT_PORTS[scheme], **options)
        self.scheme = scheme
        self.target = target

    def _new_conn(self) -> Any:
        return StoreConnection(self)

    def _put_conn(self, conn: Any) -> None:
        """Keep no connection. A new connection costs nothing, and a kept one keeps its last reply in memory."""


#: The pools that replace the pools of clients while a store is active. The references are weak, so that a pool ends
#: with its client.
_pools: WeakKeyDictionary[HTTPConnectionPool, StorePool] = WeakKeyDictionary()

#: Whether the patch of `requests` has already decided that the current request goes on.
_is_passing_on: ContextVar[bool] = ContextVar("_is_passing_on", default=False)


def install(target: Target) -> None:
    """Let the active stores answer requests of urllib3 to their hosts."""
    with patching:
        _urlopen.put_in_place()


def uninstall(target: Target) -> None:
    """Stop answering for a store. The patch is removed with the last one."""
    with patching:
        _pools.clear()
        if not active:
            _urlopen.remove()


@contextmanager
def passing_on() -> Iterator[None]:
    """Let requests go on that the patch of `requests` has allowed, also if urllib3 sends them again."""
    token = _is_passing_on.set(True)
    try:
        yield
    finally:
        _is_passing_on.reset(token)


def _was_let_pass(url: SplitResult) -> bool:
    """Return whether `requests` sends the request, and a mock of the test has let it pass.

    Only the callers show this, because minio and `requests` use the same class of pools, and because mocks such as
    `responses` keep the adapter's own function. If a session itself calls that function, no mock has decided. moto lets
    every unknown host pass, so this is not a decision of the test.
    """
    adapters = sys.modules.get("requests.adapters")
    send = sys._getframe(2)
    if adapters is None or send.f_globals is not vars(adapters) or send.f_back is None:
        return False
    caller = send.f_back.f_locals.get("self")
    return not isinstance(caller, sys.modules["requests"].Session) and not is_passed_by_moto(caller, url)


def _pool_of_store(pool: HTTPConnectionPool, target: Target) -> StorePool:
    """Return a pool with the settings of a client's pool, whose connections lead to a store."""
    kept = _pools.get(pool)
    if kept is None or kept.target is not target:
        options = {"timeout": pool.timeout, "headers": pool.headers, "retries": pool.retries}
        kept = _pools[pool] = StorePool(target, pool.scheme, pool.host, pool.port, **options)
    return kept


def _make_urlopen(original: Any) -> Any:
    is_mock = getattr(unwrap(original), "__globals__", None) is not vars(connectionpool)

    def fakestore_urlopen(pool: HTTPConnectionPool, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        targets = tuple(active)
        if targets and not isinstance(pool, StorePool):  # urllib3 retries on the pool that it was called with
            parts = _full_url(pool, pool.port, url)
            target = find_target(targets, parts)
            if target is not None:
                pool = _pool_of_store(pool, target)
            elif _was_let_pass(parts):
                with passing_on():
                    return original(pool, method, url, *args, **kwargs)
            else:
                check_allowed(targets, method, parts, is_mocked=is_mock or _is_passing_on.get())
        return original(pool, method, url, *args, **kwargs)

    return fakestore_urlopen


_urlopen = Replacement(HTTPConnectionPool, "urlopen", _make_urlopen)


def _full_url(pool: HTTPConnectionPool, port: int | None, url: str) -> SplitResult:
    """Return the whole URL of a request. If the pool belongs to a proxy, `url` is already whole."""
    if not url.startswith("/"):
        return urlsplit(url)
    return urlsplit(f"{pool.scheme}://{join_netloc(pool.host, port)}{url}")
