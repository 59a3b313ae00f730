"""The body of a request, and its chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from fakestore.clients.server.connection import Connection
from fakestore.clients.server.reader import PIECE
from fakestore.model.errors import INCOMPLETE_BODY, ErrorResponse

_LONGEST_CHUNK_LINE = 4096
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r\n", re.DOTALL)


class StreamedBody:
    """The body of a request, which is read from the connection while the store reads it.

    Args:
        connection: The connection.
        length: The number of bytes; None for a chunked body.
        awaits_continue: Whether the client waits for 100 Continue before it sends the body.
    """

    def __init__(self, connection: Connection, length: int | None, *, awaits_continue: bool) -> None:
        self._connection = connection
        self._pieces = self._read_chunked() if length is None else self._read(length)
        #: Whether the client waits for 100 Continue.
        self.awaits_continue = awaits_continue and length != 0
        #: Whether the connection stands at the end of the body.
        self.is_complete = length == 0
        #: What reading the body raised.
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in pieces. It ends early if the client closes the connection.

        Raises:
            OSError: If the connection fails, or the client is silent for too long.
            ErrorResponse: IncompleteBody, if the body is chunked and not framed correctly. [content-length]
        """
        try:
            if self.awaits_continue:
                self.awaits_continue = False
                self._connection.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            yield from self._pieces
        except (OSError, ErrorResponse) as error:
            self.error = error
            raise

    def drop(self) -> None:
        """Read the rest of the body and drop it, unless the client has not begun to send it."""
        if not self.awaits_continue and self.error is None:
            with suppress(OSError, ErrorResponse):
                for _ in self._pieces:
                    pass

    def _read(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self._connection.rfile.read(min(PIECE, length))
            if not piece:
                return
            length -= len(piece)
            yield piece
        self.is_complete = True

    def _read_chunked(self) -> Iterator[bytes]:
        rfile = self._connection.rfile
        while size := self._read_chunk_size():
            while size:
                piece = rfile.read(min(PIECE, size))
                if not piece:
                    raise _malformed("the connection ended within a chunk")
                size -= len(piece)
                yield piece
            if rfile.readline(2) != b"\r\n":
                raise _malformed("a chunk is longer than its announced size")
        while (line := rfile.readline(_LONGEST_CHUNK_LINE)) != b"\r\n":
            if not line.endswith(b"\r\n"):
                raise _malformed("a trailer is too long or does not end")
        self.is_complete = True

    def _read_chunk_size(self) -> int:
        line = self._connection.rfile.readline(_LONGEST_CHUNK_LINE)
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise _malformed(f"{line[:40]!r} is not the size of a chunk")
        return int(match[1], 16)


def _malformed(why: str) -> ErrorResponse:
    """Return the error for a body that is not framed as HTTP/1.1 prescribes."""
    return INCOMPLETE_BODY.error(f"Malformed chunked body: {why}")
