"""How httpx and its successor httpx2 reach a store: one patch for all active stores, for both kinds of client."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import cache, partial
from types import ModuleType
from typing import Any
from urllib.parse import SplitResult, urlsplit

from fakestore.clients.decision import check_allowed
from fakestore.clients.imports import forget, when_imported
from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, find_target, patching
from fakestore.clients.wire import make_headers, make_request, send_unread
from fakestore.http.message import ConnectionFailure, Delivery
from fakestore.messages import PLANNED_FAULT
from fakestore.model.content import pieces_of

#: The two packages, each with the package that opens its connections. They have the same interface.
_CONNECTIONS = {"httpx": "httpcore", "httpx2": "httpcore2"}


def install(target: Target) -> None:
    """Let the active stores answer requests to their hosts, as soon as a package is imported."""
    with patching:
        for name in _CONNECTIONS:
            when_imported(name, partial(_put_in_place, name))


def uninstall(target: Target) -> None:
    """Stop answering. The patch is removed with the last store."""
    with patching:
        if not active:
            for name in _CONNECTIONS:
                forget(name)
                if name in sys.modules:
                    for replacement in _replacements(name):
                        replacement.remove()


def _put_in_place(name: str) -> None:
    for replacement in _replacements(name):
        replacement.put_in_place()


@cache
def _replacements(name: str) -> tuple[Replacement, ...]:
    httpx: Any = sys.modules[name]
    choose, refuse = partial(_make_choice, httpx), partial(_make_refusal, _CONNECTIONS[name])
    return (
        # A mock such as respx or pytest-httpx replaces the transports below. This method is private, but it is the only
        # place above them that gets a single request, after authentication and redirection.
        Replacement(httpx.Client, "_transport_for_url", choose),
        Replacement(httpx.AsyncClient, "_transport_for_url", choose),
        Replacement(httpx.HTTPTransport, "handle_request", refuse),
        Replacement(httpx.AsyncHTTPTransport, "handle_async_request", refuse),
    )


def _make_choice(httpx: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    def fakestore_transport_for_url(client: Any, url: Any) -> Any:
        transport = original(client, url)
        target = find_target(tuple(active), urlsplit(str(url)))
        if target is not None and isinstance(transport, httpx.HTTPTransport | httpx.AsyncHTTPTransport):
            return _StoreTransport(httpx, target)
        return transport

    return fakestore_transport_for_url


def _make_refusal(connections: str, original: Callable[..., Any]) -> Callable[..., Any]:
    is_mock = (
        original.__module__.partition(".")[0] not in _CONNECTIONS
    )  # such as pytest-httpx, started before the store

    def fakestore_handle(transport: Any, request: Any) -> Any:
        __tracebackhide__ = True
        targets, url = tuple(active), urlsplit(str(request.url))
        if find_target(targets, url) is None:
            check_allowed(targets, request.method, url, is_mocked=is_mock or _is_mocked(sys.modules.get(connections)))
        return original(transport, request)

    return fakestore_handle


def _is_mocked(connections: ModuleType | None) -> bool:
    """Return whether a mock such as respx has replaced the connections below the transports."""
    pools: Any = connections
    if pools is None:
        return False
    methods = pools.ConnectionPool.handle_request, pools.AsyncConnectionPool.handle_async_request
    return any(each.__module__.partition(".")[0] != pools.__name__ for each in methods)


class _StoreTransport:
    """Answers requests to a store, in place of a transport that would open a connection."""

    def __init__(self, httpx: Any, target: Target) -> None:
        self._httpx = httpx
        self._target = target

    def handle_request(self, request: Any) -> Any:
        __tracebackhide__ = True
        outcome = self._answer(request, request.stream)
        if seconds := _seconds(outcome, request):
            self._target.wait(seconds)
        return self._response(outcome, request)

    async def handle_async_request(self, request: Any) -> Any:
        __tracebackhide__ = True
        body = [piece async for piece in request.stream]
        try:
            outcome = self._answer(request, body, delivers=False)
        finally:
            in_time = await self._target.service.outbox.deliver_to_loop(_read_timeout(request))
        if not in_time:
            raise self._httpx.ReadTimeout("timed out (a handler of an event is still running)", request=request)
        seconds = _seconds(outcome, request)
        if seconds and self._target.sleep is None:
            import anyio  # httpx needs it

            await anyio.sleep(seconds)
        elif seconds:
            self._target.wait(seconds)
        return self._response(outcome, request)

    def _answer(self, request: Any, body: Iterable[bytes], *, delivers: bool = True) -> Delivery | ConnectionFailure:
        __tracebackhide__ = True
        url = urlsplit(str(request.url))
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        headers = make_headers((name.decode("latin-1"), value) for name, value in request.headers.raw)
        has_body = "content-length" in headers or "transfer-encoding" in headers
        parts = SplitResult(url.scheme, url.netloc, path, query, "")
        arrived = make_request(request.method, parts, headers, body if has_body else None)
        outcome, _ = self._target.service.answer(arrived, delivers=delivers)
        send_unread(arrived)
        return outcome

    def _response(self, outcome: Delivery | ConnectionFailure, request: Any) -> Any:
        __tracebackhide__ = True
        if outcome is ConnectionFailure.RESET:
            raise self._httpx.ReadError(f"Connection reset by peer ({PLANNED_FAULT})", request=request)
        if outcome is ConnectionFailure.CONNECT_TIMEOUT:
            raise self._httpx.ConnectTimeout(f"timed out ({PLANNED_FAULT})", request=request)
        timeout = _read_timeout(request)
        if isinstance(outcome, ConnectionFailure) or (timeout is not None and outcome.delay >= timeout):
            raise self._httpx.ReadTimeout(f"timed out ({PLANNED_FAULT})", request=request)
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in outcome.reply.headers.fields]
        stream = _stream_class(self._httpx)(outcome)
        return self._httpx.Response(outcome.reply.status, headers=headers, stream=stream, request=request)


def _read_timeout(request: Any) -> float | None:
    timeout: float | None = request.extensions.get("timeout", {}).get("read")
    return timeout


def _seconds(outcome: Delivery | ConnectionFailure, request: Any) -> float:
    """Return how long the client waits for the reply: until it comes, or until the timeout of the client."""
    if isinstance(outcome, ConnectionFailure):
        return 0
    timeout = _read_timeout(request)
    return outcome.delay if timeout is None else min(outcome.delay, timeout)


@cache
def _stream_class(httpx: Any) -> Any:
    class StoreStream(httpx.SyncByteStream, httpx.AsyncByteStream):  # type: ignore[misc]
        """The body of a reply. A truncated body ends with an error."""

        def __init__(self, delivery: Delivery) -> None:
            self._delivery = delivery

        def __iter__(self) -> Iterator[bytes]:
            reply, end = self._delivery.reply, self._delivery.truncate_at
            for piece in pieces_of(reply.body[:end]):
                yield bytes(piece)
            if end is not None:
                received = f"received {len(reply.body[:end])} bytes, expected {len(reply.body)}"
                message = f"peer closed connection without sending complete message body ({received}; {PLANNED_FAULT})"
                raise httpx.RemoteProtocolError(message)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in self:
                yield piece

    return StoreStream
