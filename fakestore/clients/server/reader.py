"""Reads what a client sends."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: The number of bytes that are read or sent at a time.
PIECE = 64 * 1024


class Reader:
    """Reads a connection in lines and pieces, and can limit the time for several reads.

    Args:
        connected: The socket.
        timeout: How long one read waits for the client, in seconds.
    """

    def __init__(self, connected: socket.socket, timeout: float) -> None:
        self._socket = connected
        self._timeout = timeout
        self._deadline: float | None = None
        self._unread = bytearray()

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Let all reads until the context is left take no longer than `seconds` together.

        While a test freezes the clock, the deadline does not come nearer, and only the time of each read is limited.
        """
        self._deadline = time.monotonic() + seconds
        try:
            yield
        finally:
            self._deadline = None
            self._socket.settimeout(self._timeout)

    def wait_for_data(self) -> bool:
        """Wait for as long as the client sends nothing, and return whether it has sent something instead of ending.

        Raises:
            OSError: If the connection fails.
        """
        self._socket.settimeout(None)
        try:
            return bool(self.first_byte())
        finally:
            self._socket.settimeout(self._timeout)

    def first_byte(self) -> bytes:
        """Return the next byte, which stays unread, or nothing at the end of the connection.

        Raises:
            OSError: As :meth:`readline`.
        """
        if not self._unread:
            self._unread += self._receive(PIECE)
        return bytes(self._unread[:1])

    def readline(self, limit: int) -> bytes:
        """Return the next line with its end, or the first `limit` bytes of it, or what is left before the end.

        Raises:
            OSError: If the connection fails, or the client is silent for too long or misses the deadline.
        """
        while not (end := self._unread.find(b"\n", 0, limit) + 1) and len(self._unread) < limit:
            if not (piece := self._receive(PIECE)):
                break
            self._unread += piece
        return self._take(end or limit)

    def read(self, limit: int) -> bytes:
        """Return between 1 and `limit` bytes, as soon as there are any, or nothing at the end of the connection.

        Raises:
            OSError: As :meth:`readline`.
        """
        return self._take(limit) if self._unread else self._receive(limit)

    def _receive(self, limit: int) -> bytes:
        if self._deadline is not None:
            remaining = self._deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError("timed out")
            self._socket.settimeout(remaining)
        return self._socket.recv(limit)

    def _take(self, limit: int) -> bytes:
        data = bytes(self._unread[:limit])
        del self._unread[:limit]
        return data
