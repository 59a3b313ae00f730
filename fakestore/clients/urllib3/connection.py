"""A connection of urllib3 with a store at the other end."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from urllib3 import HTTPConnectionPool, HTTPResponse
from urllib3.connection import HTTPConnection
from urllib3.exceptions import ConnectTimeoutError
from urllib3.util.request import SKIP_HEADER, SKIPPABLE_HEADERS, body_to_chunks
from urllib3.util.util import to_str

from fakestore.clients.target import Target
from fakestore.clients.wire import make_headers, make_request, response_of, send_unread
from fakestore.http.headers import Headers
from fakestore.http.reply import ConnectionFailure, Delivery
from fakestore.http.request import DEFAULT_PORTS, Request
from fakestore.messages import PLANNED_FAULT
from fakestore.protocol.addressing import join_netloc


class StorePool(HTTPConnectionPool):
    """Replaces the pool of a client. urllib3 itself handles retries, redirects and timeouts.

    Args:
        pool: The client's pool.
        target: The store that answers.
    """

    def __init__(self, pool: HTTPConnectionPool, target: Target) -> None:
        port = pool.port or DEFAULT_PORTS[pool.scheme]  # a pool that is made without a port has none
        super().__init__(pool.host, port, timeout=pool.timeout, headers=pool.headers, retries=pool.retries)
        self.scheme = pool.scheme
        self._target = target

    def _new_conn(self) -> Any:
        return StoreConnection(self)

    def _put_conn(self, conn: Any) -> None:
        """Keep no connection: a new one costs nothing, and one that is kept would keep its last reply in memory."""

    @property
    def target(self) -> Target:
        """The store that answers."""
        return self._target


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
        """Send a request.

        Raises:
            ConnectTimeoutError: If a fault lets the connection time out.
            ConnectionResetError: If a fault resets the connection.
            UnsupportedRequest: If the fake does not support what the request asks for.
        """
        __tracebackhide__ = True
        sent = self._headers(method, headers, body, chunked)
        request = make_request(method, self._split(url), sent, body)
        delivery, _ = self._pool.target.service.answer(request)
        if delivery is ConnectionFailure.CONNECT_TIMEOUT:
            raise ConnectTimeoutError(self, f"Connection to {self.host} timed out. ({PLANNED_FAULT})")
        send_unread(request)
        options = {"preload_content": preload_content, "decode_content": decode_content}
        self._answer = delivery, request, url, options

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3 allows any BaseHTTPResponse
        """Return the reply.

        Raises:
            TimeoutError: If a fault lets the reply come after the read timeout; urllib3 makes a ReadTimeoutError of it.
            ConnectionResetError: If a fault resets the connection.
        """
        assert self._answer is not None, "urllib3 reads a response after it has sent a request"
        delivery, request, url, options = self._answer
        if delivery is ConnectionFailure.RESET:
            raise ConnectionResetError(errno.ECONNRESET, f"Connection reset by peer ({PLANNED_FAULT})")
        if isinstance(delivery, ConnectionFailure) or (
            delivery.delay and not self._pool.target.is_in_time(delivery.delay, self.timeout)
        ):
            raise TimeoutError(f"timed out ({PLANNED_FAULT})")
        return response_of(delivery, request, url, **options)

    def _split(self, url: str) -> Any:
        netloc = join_netloc(self.host, None if self.port == DEFAULT_PORTS[self._pool.scheme] else self.port)
        return urlsplit(f"{self._pool.scheme}://{netloc}{url}" if url.startswith("/") else url)

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed. urllib3 sets the read timeout only of an open connection."""
        return self._answer is None

    def _headers(self, method: str, headers: Mapping[str, str] | None, body: Any, chunked: bool) -> Headers:
        """Return the headers of the client, and the one that urllib3 adds for the length of the body."""
        # The items of an HTTPHeaderDict have each value of a header.
        pairs = [
            (name, value)
            for name, value in (headers or {}).items()
            if value != SKIP_HEADER or to_str(name).lower() not in SKIPPABLE_HEADERS
        ]
        sent = make_headers([to_str(name) for name, _ in pairs], [value for _, value in pairs])
        if "content-length" in sent or "transfer-encoding" in sent:
            return sent
        length = None if chunked else body_to_chunks(body, method, 16384).content_length
        if length is not None:
            return Headers([*sent.fields, ("Content-Length", str(length))])
        if body is not None or chunked:
            return Headers([*sent.fields, ("Transfer-Encoding", "chunked")])
        return sent
