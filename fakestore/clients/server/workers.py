"""The threads of the server."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Event, Lock

from fakestore.clients.server.connection import Connection

#: How many requests are answered at the same time; more of them wait.
MAX_THREADS = 256
#: How long requests under way may take when the server stops, in seconds.
_GRACE = 1.0


class Workers:
    """The threads that answer requests. A thread answers one request of a connection at a time.

    Args:
        put_back: Lets the server wait for the next request of a connection. It raises an error if the server has
            stopped.
    """

    def __init__(self, put_back: Callable[[Connection], object]) -> None:
        self._put_back = put_back
        self._executor = ThreadPoolExecutor(MAX_THREADS, "fakestore-server")
        self._lock = Lock()
        self._busy: dict[Connection, Future[None]] = {}
        #: Set when the server stops.
        self.stopping = Event()

    def start(self) -> None:
        """Do nothing: threads start when they are needed."""

    def put(self, connection: Connection) -> None:
        """Let a thread answer the next request of a connection."""
        with self._lock:
            self._busy[connection] = self._executor.submit(self._communicate, connection)

    def _communicate(self, connection: Connection) -> None:
        continues = False
        try:
            continues = bool(connection.communicate())  # type: ignore[no-untyped-call]  # cheroot's stubs
        finally:
            if not continues:
                connection.close()
            with self._lock:
                del self._busy[connection]
        if continues:
            try:
                self._put_back(connection)
            except Exception:  # the server has stopped meanwhile
                connection.close()

    def stop(self, timeout: float) -> None:
        """Read no more from the clients, give requests under way some time, and then end their connections.

        The time is always :data:`_GRACE`; cheroot passes a longer `timeout`.
        """
        self.stopping.set()
        wait(self._end(socket.SHUT_RD), _GRACE)
        self._end(socket.SHUT_RDWR)
        self._executor.shutdown()

    def _end(self, how: int) -> list[Future[None]]:
        with self._lock:
            for connection in self._busy:
                with suppress(OSError):
                    connection.socket.shutdown(how)
            return list(self._busy.values())
