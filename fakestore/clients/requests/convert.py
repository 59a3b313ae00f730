"""Conversion between the messages of `requests` and those of the store."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from http.client import IncompleteRead
from http.client import responses as reasons
from typing import Any
from urllib.parse import SplitResult, urlsplit

from requests import PreparedRequest
from urllib3 import HTTPHeaderDict, HTTPResponse

from fakestore.http.headers import Headers
from fakestore.http.reply import Delivery, Reply
from fakestore.http.request import Request
from fakestore.model.content import Content, SparseContent, content_size
from fakestore.protocol.addressing import Endpoint

#: The number of bytes that are read from a file-like body at a time.
_READ = 64 * 1024
#: The header names and the methods that http.client sends.
_NAME = re.compile(r"[^:\s][^:\r\n]*", re.ASCII)
_METHOD = re.compile(r"[^\x00-\x1f]*")


def is_for(endpoint: Endpoint, url: SplitResult) -> bool:
    """Return whether a URL is the store's; a URL whose port is not a number is not."""
    try:
        port = url.port
    except ValueError:
        return False
    return endpoint.claims(url.scheme, url.hostname or "", port)


def request_of(prepared: PreparedRequest) -> tuple[Request, PreparedBody]:
    """Return what `requests` would put on the wire, and its body.

    Raises:
        UnicodeEncodeError: If a header's name is not ASCII or its text is not ISO-8859-1, as http.client raises it.
        ValueError: If a method, or the name or the value of a header, has a control character that http.client
            refuses.
    """
    method = prepared.method or "GET"
    if not _METHOD.fullmatch(method):
        raise ValueError(f"method can't contain control characters. {method!r}")
    url = urlsplit(str(prepared.url))
    # Like requests' own adapter: a path that begins with several slashes would look like a host.
    path = "/" + url.path.lstrip("/") if url.path.startswith("//") else url.path or "/"
    body = PreparedBody(prepared.body)
    whole = body.whole()
    fields = [
        (_name(name), value if type(value) is str and value.isascii() and value.isprintable() else _text(value))
        for name, (_, value) in zip(prepared.headers, prepared.headers.lower_items(), strict=True)
    ]
    headers = Headers(fields)
    if prepared.body is not None and "content-length" not in headers and "transfer-encoding" not in headers:
        headers = Headers([*fields, ("transfer-encoding", "chunked")])
    request = Request(
        method,
        url.scheme.lower(),
        headers.get("host") or url.netloc.rpartition("@")[2],
        f"{path}?{url.query}" if url.query else path,
        headers,
        body if whole is None else whole,
    )
    return request, body


def _name(name: str) -> str:
    wire = name.encode("ascii")
    if not _NAME.fullmatch(name):
        raise ValueError(f"Invalid header name {wire!r}")
    return name


def _text(value: str | bytes | int) -> str:
    """Return the text of a header value as http.client sends it, but refuse folded lines as well."""
    wire = value if isinstance(value, bytes) else str(value).encode("latin-1")
    if b"\r" in wire or b"\n" in wire:
        raise ValueError(f"Invalid header value {wire!r}")
    return wire.decode("latin-1")


class PreparedBody:
    """The body of a prepared request. ``started`` is true once any of it was requested."""

    __slots__ = ("_body", "started")

    def __init__(self, body: Any) -> None:
        self._body = body
        self.started = False

    def whole(self) -> Content | None:
        """Return the body if it is in memory, or None if it is read while it is sent."""
        body = self._body
        if isinstance(body, bytes | SparseContent):
            return body
        if body is None:
            return b""
        if isinstance(body, str):
            return body.encode()
        if hasattr(body, "read"):
            return None  # even if it is in memory: it is sent from its current position
        try:
            return bytes(memoryview(body))
        except TypeError:
            return None

    def __iter__(self) -> Iterator[bytes]:
        return self.chunks()

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as urllib3 sends it: a file in blocks, an iterable piece by piece, text as UTF-8.

        Raises:
            TypeError: If a piece is neither text nor bytes.
        """
        self.started = True
        if hasattr(self._body, "read"):
            while piece := self._body.read(_READ):
                yield _bytes_of(piece)
        else:
            for piece in self._body:
                if piece:
                    yield _bytes_of(piece)

    def drain(self, length: int) -> None:
        """Read at most `length` bytes and drop them, as a client sends its body whatever the answer is."""
        if self.started:
            return
        for chunk in self.chunks():
            length -= len(chunk)
            if length <= 0:
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
        return b"".join(piece)  # like http.client, which also sends a piece that consists of pieces


def response_of(reply: Reply, delivery: Delivery, request: Request, url: str) -> HTTPResponse:
    """Return the reply as urllib3 would have read it from a socket."""
    headers = HTTPHeaderDict()
    for name, value in reply.headers.fields:
        headers[name] = value
    return HTTPResponse(
        body=_WireBody(reply, delivery.truncate_at),
        headers=headers,
        status=reply.status,
        version=11,
        reason=reasons.get(reply.status, ""),
        preload_content=False,
        decode_content=False,
        request_method=request.method,
        request_url=url,
    )


class _WireBody(io.RawIOBase):
    """The body of a reply as http.client reads it from a connection: it closes itself when the last byte is read.

    CacheControl, for example, recognises the end of a body by that. Sparse content is never held in memory.
    """

    def __init__(self, reply: Reply, truncate_at: int | None) -> None:
        self._content = reply.body if truncate_at is None else reply.body[:truncate_at]
        self._size = content_size(self._content)
        self._position = 0
        self._is_truncated = truncate_at is not None
        self._is_chunked = reply.chunked

    def readable(self) -> bool:
        return True

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

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
