"""A connection to a client, and how it ends."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import Any

from cheroot.server import HTTPConnection, HTTPServer

from fakestore.clients.server.reader import PIECE, Reader
from fakestore.clients.server.request import ReceivedRequest

#: How long a connection is kept open for a client that has not yet read why its request was refused, in seconds.
_LINGER = 1.0


class Connection(HTTPConnection):
    """A connection to a client."""

    RequestHandlerClass = ReceivedRequest
    #: Whether the connection is reset instead of being closed in the normal way.
    resets = False
    #: Whether the client may still be sending while it should read the reply.
    lingers = False
    #: Whether the connection was accepted, and the server does not wait for its first request yet.
    is_new = True

    def __init__(self, server: HTTPServer, connected: socket.socket, makefile: Any) -> None:
        super().__init__(server, connected, makefile)
        self.rfile = Reader(connected, server.timeout)

    @property
    def last_used(self) -> float:
        """Infinity. Idle connections do not expire, because a test may move the clock."""
        return float("inf")

    @last_used.setter
    def last_used(self, moment: float) -> None:
        pass

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):  # the client may have closed it already
            if self.resets:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                self._shut_down()
        self.socket.close()

    def _shut_down(self) -> None:
        """End the connection for every process that has the socket, for example after a fork."""
        if self.lingers:
            self.socket.shutdown(socket.SHUT_WR)
            self.wait_for_end(_LINGER)
        self.socket.shutdown(socket.SHUT_RDWR)

    def wait_for_end(self, seconds: float) -> None:
        """Drop what the client sends until it closes the connection.

        Raises:
            OSError: If the connection fails, or the client does not close it within `seconds`.
        """
        with self.rfile.deadline(seconds):
            while self.rfile.read(PIECE):
                pass
