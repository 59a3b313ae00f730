"""How aiohttp reaches a store, and with it aiobotocore, aioboto3, s3fs and pandas: one patch for all active stores.

A connection of aiohttp to a host of a store leads to a thread that answers one request, through a pair of sockets. So
the library itself writes the request and reads the reply, and a delay of a fault does not block the event loop.
"""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from functools import cache, partial
from math import inf
from operator import itemgetter
from typing import Any
from urllib.parse import SplitResult, urlsplit

from fakestore.clients.decision import check_allowed
from fakestore.clients.imports import forget, when_imported
from fakestore.clients.replacement import Replacement
from fakestore.clients.server import answer_connection
from fakestore.clients.target import Target, active, find_target, patching
from fakestore.http.message import ConnectionFailure
from fakestore.service.events import ClientThread


def install(target: Target) -> None:
    """Let the active stores answer requests of aiohttp to their hosts, as soon as it is imported."""
    with patching:
        when_imported("aiohttp", lambda: _replacement().put_in_place())


def uninstall(target: Target) -> None:
    """Stop answering. The patch is removed with the last store."""
    with patching:
        if not active:
            forget("aiohttp")
            if "aiohttp" in sys.modules:
                _replacement().remove()


@cache
def _replacement() -> Replacement:
    # aiohttp has no public place for connections of another kind. Its own connectors, such as the connector for Unix
    # sockets, override this method, and use `_loop` and `_factory`.
    return Replacement(sys.modules["aiohttp"].TCPConnector, "_create_connection", _make_connection)


def _make_connection(original: Any) -> Any:
    async def fakestore_create_connection(connector: Any, request: Any, traces: Any, timeout: Any) -> Any:
        __tracebackhide__ = True
        targets, url = tuple(active), urlsplit(str(request.url))
        target = find_target(targets, url)
        if target is None:
            check_allowed(targets, request.method, url)
            return await original(connector, request, traces, timeout)
        near, far = socket.socketpair()
        near.setblocking(False)
        try:
            _, protocol = await connector._loop.create_connection(connector._factory, sock=near)
        except BaseException:  # the request was cancelled
            near.close()
            far.close()
            raise

        def fail(error: Exception) -> None:
            with suppress(RuntimeError):  # the loop has ended
                connector._loop.call_soon_threadsafe(protocol.set_exception, error)

        def time_out(failure: ConnectionFailure) -> None:
            fail(_timeout_error(failure, url))

        def sleep(seconds: float) -> None:
            """Wait as long as the client, which does not time out by itself, because no time passes."""
            longest, error = _first_timeout(timeout, url)
            target.wait(min(seconds, longest))
            if seconds >= longest:
                fail(error)

        own_sleep = None if target.sleep is None else sleep
        ClientThread(partial(answer_connection, far, target.service, url.scheme, own_sleep, time_out)).start()
        return protocol

    return fakestore_create_connection


def _first_timeout(timeout: Any, url: SplitResult) -> tuple[float, Exception]:
    """Return how long aiohttp waits for a reply, in seconds, and the error that it then raises."""
    limits = (timeout.total, TimeoutError()), (timeout.sock_read, _timeout_error(ConnectionFailure.READ_TIMEOUT, url))
    return min(((limit if limit and limit > 0 else inf, error) for limit, error in limits), key=itemgetter(0))


def _timeout_error(failure: ConnectionFailure, url: SplitResult) -> Exception:
    """Return the error that aiohttp raises at a timeout. Before 3.10, both kinds have one class."""
    aiohttp: Any = sys.modules["aiohttp"]
    if failure is ConnectionFailure.CONNECT_TIMEOUT:
        name, message = "ConnectionTimeoutError", f"Connection timeout to host {url.geturl()}"
    else:
        name, message = "SocketTimeoutError", "Timeout on reading data from socket"
    error: Exception = getattr(aiohttp, name, aiohttp.ServerTimeoutError)(message)
    return error
