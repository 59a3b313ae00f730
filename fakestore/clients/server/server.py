"""The server of one store: the addresses at which it is reached, and its limits."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

from cheroot.server import HTTPServer

from fakestore.clients.server.connection import Connection
from fakestore.clients.server.gateway import StoreGateway
from fakestore.clients.server.log import logger
from fakestore.clients.server.workers import Workers
from fakestore.protocol.addressing import join_netloc
from fakestore.service.service import Service

#: The largest accepted request line and headers, in bytes. The store has a smaller limit of its own for headers.
MAX_HEADER_SIZE = 256 * 1024
#: How long the server waits between two checks whether it must stop, in seconds.
_STOP_INTERVAL = 0.05


class StoreServer(HTTPServer):
    """A server of one store."""

    ConnectionClass = Connection
    request_queue_size = 128
    keep_alive_conn_limit = None  # type: ignore[assignment]  # documented as "unlimited"
    max_request_header_size = MAX_HEADER_SIZE
    expiration_interval = _STOP_INTERVAL

    def __init__(
        self, service: Service, host: str, port: int, sleep: Callable[[float], object] | None, timeout: float
    ) -> None:
        super().__init__((host, port), StoreGateway, server_name="fakestore")
        self.service = service
        self.timeout = timeout  # type: ignore[assignment]  # a timeout of sockets
        self._host = host
        self._sleep = sleep
        self.requests = Workers(self.put_conn)

    def clear_stats(self) -> None:
        """Forget the statistics. cheroot's registry would keep every server, and so every store, alive."""
        super().clear_stats()  # type: ignore[no-untyped-call]  # cheroot's stubs
        registry: dict[str, object] = logging.statistics  # type: ignore[attr-defined]  # cheroot makes it
        registry.pop(f"Cheroot HTTPServer {id(self)}", None)

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """Log what cheroot reports."""
        logger.log(level, msg, exc_info=traceback)

    @staticmethod
    def bind_socket(socket_: socket.socket, bind_addr: tuple[str, int]) -> socket.socket:
        """Bind the socket, or close it, which cheroot forgets."""
        try:
            socket_.bind(bind_addr)
        except OSError:
            socket_.close()
            raise
        return socket_

    def process_conn(self, conn: Connection) -> None:
        """Let a thread answer the next request of a connection, but not before the client begins to send it."""
        if conn.is_new:
            conn.is_new = False
            self.put_conn(conn)
        else:
            super().process_conn(conn)

    @property
    def _port(self) -> int:
        return int(self.bind_addr[1])

    @property
    def netloc(self) -> str:
        """The host and port by which a client on this machine reaches the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._host, self._host)
        return join_netloc(host, self._port)

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"http://{self.netloc}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """The network locations at which clients reach the store while it is served.

        The host of the store's base URL, at the port of the server, is one of them.
        """
        return self._netlocs_of({*self._local_hosts(), self.service.endpoint.host})

    @property
    def local_netlocs(self) -> tuple[str, ...]:
        """The network locations at which programs on this machine reach the server."""
        return self._netlocs_of(self._local_hosts())

    def _local_hosts(self) -> set[str]:
        hosts = {self._host, self.bind_addr[0], "127.0.0.1", "localhost"}
        if self._host in ("0.0.0.0", "::"):
            hosts |= {"::1", socket.gethostname()}
        return hosts

    def _netlocs_of(self, hosts: set[str]) -> tuple[str, ...]:
        aliases = {join_netloc(host.lower(), self._port) for host in hosts}
        if self._port == 80:
            aliases |= {alias.removesuffix(":80") for alias in aliases}
        return (self.netloc.lower(), *sorted(aliases - {self.netloc.lower()}))

    def sleep(self, seconds: float) -> bool:
        """Wait, and return whether the server must still answer after that. It must not if it has stopped."""
        if self._sleep is None:
            return not self.requests.stopping.wait(seconds)
        self._sleep(seconds)
        return True
