"""Between the messages of `requests` and the store's own."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from http.client import IncompleteRead
from http.client import responses as reasons
from typing import Any
from urllib.parse import SplitResult, urlsplit

from requests import PreparedRequest
from urllib3 import HTTPHeaderDict, HTTPResponse

from fakestore.http.headers import Headers
from fakestore.http.reply import Delivery, Reply
from fakestore.http.request import Request
from fakestore.model.content import Content, SparseContent
from fakestore.protocol.addressing import Endpoint

#: How many bytes are read from a file-like body at a time.
_READ = 64 * 1024
#: What http.client sends as the name of a header.
_NAME = re.compile(r"[^:\s][^:\r\n]*", re.ASCII)


@lru_cache(maxsize=256)
def is_for(endpoint: Endpoint, scheme: str, netloc: str) -> bool:
    """Whether URLs of this scheme and network location are the store's; not where the port is none."""
    url = SplitResult(scheme, netloc, "", "", "")
    try:
        port = url.port
    except ValueError:
        return False
    return endpoint.claims(scheme, url.hostname or "", port)


def request_of(prepared: PreparedRequest) -> tuple[Request, SentBody]:
    """What `requests` would put on the wire, and its body.

    Raises:
        UnicodeEncodeError: a header's name that is not ASCII or text that is not ISO-8859-1, as http.client raises it.
        ValueError: a name or a value that would break the line it stands in, likewise.
    """
    url = urlsplit(str(prepared.url))
    # As requests' own adapter does, for a path of several slashes would look like a host.
    path = "/" + url.path.lstrip("/") if url.path.startswith("//") else url.path or "/"
    body = SentBody(prepared.body)
    whole = body.whole()
    fields = [
        (_sendable(name), value if type(value) is str and value.isascii() and value.isprintable() else _text(value))
        for name, (_, value) in zip(prepared.headers, prepared.headers.lower_items(), strict=True)
    ]
    headers = Headers(fields)
    if prepared.body is not None and "content-length" not in headers and "transfer-encoding" not in headers:
        headers = Headers([*fields, ("transfer-encoding", "chunked")])
    request = Request(
        prepared.method or "GET",
        url.scheme.lower(),
        headers.get("host") or url.netloc.rpartition("@")[2],
        f"{path}?{url.query}" if url.query else path,
        headers,
        body if whole is None else whole,
    )
    return request, body


@lru_cache(maxsize=256)
def _sendable(name: str) -> str:
    """The name of a header, where http.client sends it."""
    wire = name.encode("ascii")
    if not _NAME.fullmatch(name):
        raise ValueError(f"Invalid header name {wire!r}")
    return name


def _text(value: str | bytes | int) -> str:
    """What http.client sends; only that a line which is folded, as HTTP no longer has it, is refused too."""
    wire = value if isinstance(value, bytes) else str(value).encode("latin-1")
    if b"\r" in wire or b"\n" in wire:
        raise ValueError(f"Invalid header value {wire!r}")
    return wire.decode("latin-1")


class SentBody:
    """The body of a prepared request; ``started`` once any of it was asked for."""

    __slots__ = ("_body", "started")

    def __init__(self, body: Any) -> None:
        self._body = body
        self.started = False

    def whole(self) -> Content | None:
        body = self._body
        if isinstance(body, bytes | SparseContent):
            return body
        if body is None:
            return b""
        if isinstance(body, str):
            return body.encode()
        if hasattr(body, "read"):
            return None  # also where it is in memory: it is sent from where it stands
        try:
            return bytes(memoryview(body))
        except TypeError:
            return None

    def __iter__(self) -> Iterator[bytes]:
        return self.chunks()

    def chunks(self) -> Iterator[bytes]:
        """As urllib3 sends it: what can be read until nothing is, anything else piece by piece; text as UTF-8.

        Raises:
            TypeError: a piece that is neither text nor bytes.
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
        """Read at most ``length`` bytes and drop them, as a client sends its body whatever the answer will be."""
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
        return bytes(memoryview(piece))  # type: ignore[arg-type]  # or it is a TypeError
    except TypeError:
        if not isinstance(piece, Iterable):
            raise
        return b"".join(piece)  # http.client goes on into a piece of pieces


def response_of(reply: Reply, delivery: Delivery, request: Request, url: str) -> HTTPResponse:
    """The reply as urllib3 would have read it from a socket."""
    headers = HTTPHeaderDict()
    for name, value in reply.headers.fields:
        headers[name] = value
    return HTTPResponse(
        body=_stream(reply, delivery.truncate_at),
        headers=headers,
        status=reply.status,
        version=11,
        reason=reasons.get(reply.status, ""),
        preload_content=False,
        decode_content=False,
        request_method=request.method,
        request_url=url,
    )


def _stream(reply: Reply, cut: int | None) -> io.BufferedIOBase | io.RawIOBase:
    content = reply.body if cut is None else reply.body[:cut]
    if cut is not None and reply.chunked:
        # Without a length nobody would miss the rest: the missing last chunk is what a client notices.
        return io.BufferedReader(_CutShort(bytes(content)))
    return io.BytesIO(content) if isinstance(content, bytes) else io.BufferedReader(_Pieces(iter(content)))


class _Pieces(io.RawIOBase):
    """Reads content in pieces, and holds no more of it than one piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._piece:
            self._piece = memoryview(next(self._pieces, b""))
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count


class _CutShort(io.RawIOBase):
    """Reads what there is, and then finds the connection lost."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._content:
            raise IncompleteRead(b"")
        count = min(len(buffer), len(self._content))
        buffer[:count] = self._content[:count]
        self._content = self._content[count:]
        return count
