"""A connection to a client, and how it ends."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress

from cheroot.server import HTTPConnection

from fakestore.clients.server.request import ReceivedRequest

#: The number of bytes that are read or sent at a time.
PIECE = 64 * 1024
#: How long a connection is kept open for a client that has not yet read why its request was refused, in seconds.
_LINGER = 1.0


class Connection(HTTPConnection):
    """A connection to a client."""

    RequestHandlerClass = ReceivedRequest
    #: Whether the connection is reset instead of being closed in the normal way.
    resets = False
    #: Whether the client may still be sending while it should read the reply.
    lingers = False

    @property
    def last_used(self) -> float:
        """Infinity. Idle connections do not expire, because a test may move the clock."""
        return float("inf")

    @last_used.setter
    def last_used(self, moment: float) -> None:
        pass

    def close(self) -> None:
        """Close the connection."""
        if self.resets:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.socket.close()
            self.rfile.close()
            return
        if self.lingers:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.wait_for_end(_LINGER)
        with suppress(OSError):
            super().close()
        self.socket.close()

    def wait_for_end(self, seconds: float) -> None:
        """Drop what the client sends until it closes the connection or sends nothing for some time.

        Raises:
            OSError: If the connection fails, or the client sends nothing for `seconds`.
        """
        self.socket.settimeout(seconds)
        while self.socket.recv(PIECE):
            pass
