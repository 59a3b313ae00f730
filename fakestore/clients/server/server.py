"""The server of one store: the addresses at which it is reached, its connections, and its limits."""

from __future__ import annotations

import errno
import socket
from socketserver import TCPServer
from threading import Condition, Event, Thread
from typing import Any

from fakestore.clients.server.connection import Connection
from fakestore.clients.server.settings import Settings, logger
from fakestore.http.message import DEFAULT_PORTS
from fakestore.protocol.addressing import join_netloc
from fakestore.service.service import Service

#: How many connections are open at the same time, unless the process may have fewer files.
MAX_CONNECTIONS = 2000
#: The errors that mean: this process or machine cannot open another connection now.
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
#: How long the server then waits before it tries again, in seconds.
_PAUSE = 0.05
#: How long the server waits between two checks whether it must stop, in seconds.
_STOP_INTERVAL = 0.05
#: How long requests under way may take when the server stops, in seconds.
_GRACE = 1.0
#: How many clients may wait to be connected.
_BACKLOG = 1024


class StoreServer(TCPServer):
    """A server of one store, with a thread for each connection.

    If it has as many connections as it may have, it closes the one that has been idle for the longest time. While no
    connection is idle, further clients wait.

    Args:
        service: Answers the requests.
        settings: The settings of the server.
    """

    allow_reuse_address = True
    request_queue_size = _BACKLOG

    def __init__(self, service: Service, settings: Settings) -> None:
        self.service = service
        self.settings = settings
        #: Set when the server stops.
        self.stopping = Event()
        self._changed = Condition()
        self._open: set[Connection] = set()
        #: The connections without a request, the one that has been idle for the longest time first.
        self._idle: dict[Connection, None] = {}
        self._is_exhausted = False
        self._most = _raise_limit_of_files()
        self._listen(settings.host, settings.port)

    def _listen(self, host: str, port: int) -> None:
        """Listen at the first possible address of the host."""
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for number, (self.address_family, _, _, _, address) in enumerate(infos, 1):
            try:
                super().__init__(address, Connection)  # type: ignore[arg-type]  # of any family
            except OSError:
                if number == len(infos):
                    raise
            else:
                return

    # -- connections

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection. `TCPServer` tries again after an OSError."""
        with self._changed:
            is_full = len(self._open) >= self._most
        if is_full:
            self._make_room()
            raise BlockingIOError("the server has too many connections")
        try:
            accepted = super().get_request()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                if not self._is_exhausted:
                    logger.warning("The server cannot accept connections: %s", error)
                self._is_exhausted = True
                self._make_room()
            raise
        self._is_exhausted = False
        return accepted

    def _make_room(self) -> None:
        """Close the connection that has been idle for the longest time, and wait a little for any to end."""
        with self._changed:
            oldest = next(iter(self._idle), None)
            if oldest is not None:
                del self._idle[oldest]
                oldest.end(socket.SHUT_RDWR)
            self._changed.wait(_PAUSE)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer the requests of a connection in a thread of its own."""
        connection = Connection(request, str(client_address[0]), self)
        with self._changed:
            self._open.add(connection)
            self._idle[connection] = None
        try:
            Thread(target=self._converse, args=(connection,), name="fakestore-server", daemon=True).start()
        except RuntimeError:  # the process cannot have another thread
            self._forget(connection)
            raise

    def _converse(self, connection: Connection) -> None:
        try:
            connection.answer_requests()
        except OSError:  # the client ended the connection, or was silent for too long
            pass
        except Exception:
            logger.exception("The server failed")
        finally:
            connection.close()
            self._forget(connection)

    def _forget(self, connection: Connection) -> None:
        with self._changed:
            self._open.discard(connection)
            self._idle.pop(connection, None)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of a connection before its thread has started."""
        logger.exception("The server cannot answer %s", client_address)

    def begin_idle(self, connection: Connection) -> None:
        """Note that a connection waits for its next request."""
        with self._changed:
            if not self.stopping.is_set():
                self._idle[connection] = None

    def end_idle(self, connection: Connection) -> bool:
        """Note that a request arrives, and return whether the server still answers it."""
        with self._changed:
            return self._idle.pop(connection, connection) is None

    # -- the end

    def stop(self) -> None:
        """Stop reading from the clients, give requests under way some time, and then end their connections."""
        self.stopping.set()
        self.shutdown()
        self.server_close()
        with self._changed:
            self._idle.clear()
            for how, seconds in ((socket.SHUT_RD, _GRACE), (socket.SHUT_RDWR, None)):
                for connection in self._open:
                    connection.end(how)
                self._changed.wait_for(lambda: not self._open, seconds)

    def serve(self) -> None:
        """Accept connections until :meth:`stop`."""
        self.serve_forever(_STOP_INTERVAL)

    def sleep(self, seconds: float) -> bool:
        """Wait, and return whether the server still runs."""
        if self.settings.sleep is None:
            return not self.stopping.wait(seconds)
        self.settings.sleep(seconds)
        return True

    # -- addresses

    @property
    def _port(self) -> int:
        return int(self.server_address[1])

    @property
    def netloc(self) -> str:
        """The host and port by which a client on this machine reaches the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.settings.host, self.settings.host)
        return join_netloc(host, self._port)

    @property
    def scheme(self) -> str:
        """The scheme of the URLs of the server."""
        return "http" if self.settings.tls is None else "https"

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"{self.scheme}://{self.netloc}"

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
        hosts = {self.settings.host, str(self.server_address[0]), "127.0.0.1", "localhost"}
        if self.settings.host in ("0.0.0.0", "::"):
            hosts |= {"::1", socket.gethostname()}
        return hosts

    def _netlocs_of(self, hosts: set[str]) -> tuple[str, ...]:
        aliases = {join_netloc(host.lower(), self._port) for host in hosts}
        if self._port == DEFAULT_PORTS[self.scheme]:
            aliases |= {alias.removesuffix(f":{self._port}") for alias in aliases}
        return (self.netloc.lower(), *sorted(aliases - {self.netloc.lower()}))


def _raise_limit_of_files() -> int:
    """Raise the limit of open files, as far as possible, to have enough files for the connections.

    Returns:
        How many connections the server can have. The process keeps the same number of files for everything else.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MAX_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft // 2)
