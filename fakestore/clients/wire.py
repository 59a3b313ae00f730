"""Conversion between the messages of urllib3 and the messages of the store."""

from __future__ import annotations

import errno
import io
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from http.client import IncompleteRead
from http.client import responses as reasons
from typing import Any
from urllib.parse import SplitResult

from urllib3 import HTTPHeaderDict, HTTPResponse

from fakestore.http.message import Delivery, Headers, Reply, Request
from fakestore.http.values import parse_integer
from fakestore.messages import PLANNED_FAULT
from fakestore.model.content import Content, SparseContent

#: The number of bytes that are read from a file-like body at a time.
_READ = 64 * 1024
#: How much of a body without a Content-Length is sent at least, although the service refuses the request.
_SENT_AT_LEAST = 64 * 1024
#: The header names that http.client sends.
_NAME = re.compile(r"[^:\s][^:\r\n]*", re.ASCII)
#: The characters of a method that urllib3 sends.
_METHOD = re.compile(r"[-!#$%&'*+.^_`|~0-9a-zA-Z]*")


def make_request(method: str, url: SplitResult, headers: Headers, body: Any) -> Request:
    """Return the request that arrives at the store.

    `headers` are the result of :func:`make_headers`. `body` is what the client passed to its library, or None.
    """
    if not _METHOD.fullmatch(method):
        raise ValueError(f"Method cannot contain non-token characters {method!r}")
    path = url.path or "/"
    has_end = "content-length" in headers.by_name or "transfer-encoding" in headers.by_name
    if body is not None and not has_end:
        headers = Headers([*headers.fields, ("transfer-encoding", "chunked")])
    return Request(
        method,
        url.scheme,
        headers.by_name.get("host") or url.netloc.rpartition("@")[2],
        f"{path}?{url.query}" if url.query else path,
        headers,
        _content_or_stream(body),
    )


def _content_or_stream(body: Any) -> Content | ClientStream:
    """Return a body in memory as it is, and any other body as a stream."""
    if body is None:
        return b""
    if isinstance(body, bytes | SparseContent):
        return body
    if isinstance(body, str):
        return body.encode()
    if hasattr(body, "read"):
        return ClientStream(body)  # even if it is in memory, because it is sent from its current position
    try:
        return bytes(memoryview(body))
    except TypeError:
        iter(body)  # raises TypeError if the body cannot be iterated
        return ClientStream(body)


def make_headers(fields: Iterable[tuple[str, Any]]) -> Headers:
    """Return headers as http.client sends them."""
    return Headers([(_header_name(name), _header_text(value)) for name, value in fields])


@lru_cache(maxsize=256)  # most requests have the same names
def _header_name(name: str) -> str:
    wire = name.encode("ascii")
    if not _NAME.fullmatch(name):
        raise ValueError(f"Invalid header name {wire!r}")
    return name


def _header_text(value: Any) -> str:
    """Return the text of a header value as http.client sends it, but refuse folded lines as well."""
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value
        wire = value.encode("latin-1")
    else:
        wire = str(value).encode() if isinstance(value, int) else bytes(memoryview(value))
    if b"\r" in wire or b"\n" in wire:
        raise ValueError(f"Invalid header value {wire!r}")
    return wire.decode("latin-1")


class ClientStream:
    """The body of a request that is read while it is sent."""

    def __init__(self, body: Any) -> None:
        self._body = body
        #: Whether reading has begun.
        self.started = False

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body as urllib3 sends it: a file in blocks, an iterable piece by piece, text as UTF-8."""
        self.started = True
        if hasattr(self._body, "read"):
            while piece := self._body.read(_READ):
                yield _bytes_of(piece)
        else:
            for piece in self._body:
                if piece:
                    yield _bytes_of(piece)


def send_unread(request: Request) -> None:
    """Read a body up to its Content-Length, if the store has not begun to read it.

    A client that does not wait for 100 Continue sends the whole body, even if the service refuses the request. Without
    a Content-Length, it sends at least the beginning.
    """
    body = request.body
    if not isinstance(body, ClientStream) or body.started or "expect" in request.headers:
        return
    length = request.headers.get("content-length")
    left = _SENT_AT_LEAST if length is None else parse_integer(length) or 0
    for piece in body:
        left -= len(piece)
        if left <= 0:
            return


def _bytes_of(piece: object) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if isinstance(piece, str):
        return piece.encode()
    try:
        return bytes(memoryview(piece))  # type: ignore[arg-type]  # raises TypeError if it is not a buffer
    except TypeError:
        if not isinstance(piece, Iterable):
            raise
        return b"".join(piece)  # like http.client, which also sends nested pieces


def connection_reset() -> ConnectionResetError:
    return ConnectionResetError(errno.ECONNRESET, f"Connection reset by peer ({PLANNED_FAULT})")


def response_of(
    delivery: Delivery,
    request: Request,
    url: str,
    *,
    preload_content: bool = False,
    decode_content: bool = False,
) -> HTTPResponse:
    """Return the reply as urllib3 would have read it from a socket; the options are those of `HTTPResponse`."""
    reply, headers = delivery.reply, HTTPHeaderDict()
    for name, value in reply.headers.fields:  # extend() takes several times as long
        headers[name] = value
    return HTTPResponse(
        body=_WireBody(reply, delivery.truncate_at),
        headers=headers,
        status=reply.status,
        version=11,
        reason=reasons.get(reply.status, ""),
        preload_content=preload_content,
        decode_content=decode_content,
        request_method=request.method,
        request_url=url,
    )


class _NoSocket:
    """Stands for the file and the socket below a reply. botocore sets the timeout of ``fp.raw._sock``."""

    @property
    def raw(self) -> _NoSocket:
        return self

    _sock = raw

    def settimeout(self, seconds: float | None) -> None:
        """Do nothing: the reply is in memory."""


class _WireBody(io.RawIOBase):
    """The body of a reply as http.client reads it from a connection: it closes itself when the last byte is read.

    For example, CacheControl recognises the end of a body by this closing. Sparse content is never held in memory.
    """

    def __init__(self, reply: Reply, truncate_at: int | None) -> None:
        self._content = reply.body[:truncate_at]
        self._size = len(self._content)
        self._position = 0
        self._is_truncated = truncate_at is not None
        self._is_chunked = reply.chunked
        if not reply.chunked:  # urllib3 itself decodes a chunked body that has this attribute
            self.fp: _NoSocket | None = _NoSocket()

    def close(self) -> None:
        if not self._is_chunked:
            self.fp = None  # as in http.client
        super().close()

    def isclosed(self) -> bool:
        """Return whether it is closed. urllib3 calls this method of ``http.client.HTTPResponse``."""
        return self.closed

    def read(self, size: int | None = -1) -> bytes:
        left = self._size - self._position
        count = left if size is None or size < 0 else min(size, left)
        if count == 0 and size != 0 and self._is_truncated and self._is_chunked and not self.closed:
            # A chunked body has no length: a client notices the lost connection by the missing last chunk.
            self.close()
            raise IncompleteRead(b"")
        piece = bytes(self._content[self._position : self._position + count])
        self._position += count
        if count == left and (count == 0 or not self._is_truncated):
            self.close()
        return piece

    read1 = read
