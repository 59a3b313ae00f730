"""A loopback HTTP server on a store, for clients that are not intercepted and for other processes.

It uses `socketserver` of the standard library, like `http.server`. The request handler of `http.server` is not used. It
removes slashes from the beginning of a target, reads header fields as it reads mail (folded lines, at most 100 fields),
and sends 100 Continue before a store could refuse an upload by its headers. Nor is h11 used. It refuses an invalid
Content-Length before the store could answer, announces a body of errors to HEAD, closes all connections of HTTP/1.0,
and takes over 100 us more for a request (of 400).
"""

from __future__ import annotations

import errno
import socket
import ssl
import struct
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from selectors import EVENT_READ, DefaultSelector
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Condition, Event, Thread, current_thread
from typing import Any

from fakestore.clients.server_messages import (
    PIECE,
    BadRequest,
    RequestHead,
    SocketReader,
    StreamedBody,
    logger,
    parse_target,
    read_head,
    render_head,
    text_reply,
)
from fakestore.clients.target import add_server, remove_server
from fakestore.errors import ErrorResponse, UnsupportedRequest
from fakestore.http.message import DEFAULT_PORTS, ConnectionFailure, Delivery, Reply, Request
from fakestore.http.secrets import hide_parameters
from fakestore.model.content import pieces_of
from fakestore.protocol.addressing import join_netloc
from fakestore.service.journal import UninterceptedRequest
from fakestore.service.service import Service, current_time

#: How many connections are open at the same time, unless the process may have fewer files.
MAX_CONNECTIONS = 2000
#: The errors that mean: this process or machine cannot open another connection now.
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
#: How long the server then waits before it tries again, in seconds.
_PAUSE = 0.05
#: How long requests under way may take when the server stops, in seconds.
_GRACE = 1.0
#: How long the server keeps a connection open without an answer after ConnectTimeout or ReadTimeout, in seconds. The
#: client may close it earlier.
_LONGEST_SILENCE = 60.0
#: How long a connection stays open after a refusal, so that the client can read the answer, in seconds.
_LINGER = 1.0
#: The ports of servers that have stopped, by host. The system had chosen them.
_earlier_ports: defaultdict[str, list[int]] = defaultdict(list)
#: The number of bytes that are sent at a time, which TLS limits.
_MOST_AT_ONCE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a server.

    Args:
        host: The address or host name at which the server listens.
        port: The port at which it listens; 0 for a free one.
        timeout: How long a client may take to send a head, and how long it may then be silent, in seconds.
        sleep: The function that waits for :class:`fakestore.faults.Latency`. If it is None, the server waits itself, at
            most until it stops.
        tls: How the server speaks TLS; None for a server of http.
        aliases: Further network locations at which clients reach the store.
        control: Returns the reply to a request that is not for the store, or None.
    """

    host: str
    port: int
    timeout: float = 60.0
    sleep: Callable[[float], object] | None = None
    tls: ssl.SSLContext | None = None
    aliases: tuple[str, ...] = ()
    control: Callable[[Request], Reply | None] | None = None


@contextmanager
def serve(service: Service, settings: Settings) -> Iterator[str]:
    """Serve a store over HTTP until the context is left, and yield the URL of the server.

    Meanwhile the address of the server is an address of the store, for every client. In a forked child it leads to this
    process.
    """
    server = StoreServer(service, settings)
    local_netlocs = server.netlocs()
    # The host of the store's base URL, at the port of the server, is one of the addresses, too.
    added = (*server.netlocs(service.endpoint.host), *settings.aliases)
    with service.turns:
        service.endpoint = service.endpoint._replace(aliases=service.endpoint.aliases + added)
    add_server(local_netlocs)
    thread = Thread(target=server.accept_connections, name="fakestore-server", daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop(thread)
        remove_server(local_netlocs)
        with service.turns:
            aliases = list(service.endpoint.aliases)
            for alias in added:
                aliases.remove(alias)  # once, because another server at this port may have the same alias
            service.endpoint = service.endpoint._replace(aliases=tuple(aliases))


class StoreServer(ThreadingTCPServer):
    """A server of one store, with a thread for each connection.

    If it has as many connections as it may have, it closes the one that has been idle for the longest time. While no
    connection is idle, further clients wait.
    """

    allow_reuse_address = True
    block_on_close = False  # `stop` waits for the connections
    daemon_threads = True
    request_queue_size = 1024  # clients that wait to be connected
    #: Whether a connection stays open after a reply.
    keeps_connections = True
    #: Whether the journal tells of a client that did not wait for its reply.
    notes_abandoned = True
    #: The name of the threads that answer, which the report shows.
    thread_name = "fakestore-server"
    #: Lets the client raise the error of its timeout at once; None if it must wait for its timeout.
    time_out: Callable[[ConnectionFailure], object] | None = None

    def __init__(self, service: Service, settings: Settings) -> None:
        self.service = service
        self.settings = settings
        self._stopping = Event()
        self._changed = Condition()
        self._open: set[socket.socket] = set()
        #: The connections without a request, the one that has been idle for the longest time first.
        self._idle: dict[socket.socket, None] = {}
        self._is_exhausted = False
        self._most = _raise_limit_of_files()
        self._listen()
        self._port = int(self.server_address[1])
        self._wake, self._woken = socket.socketpair()
        self.scheme = "http" if settings.tls is None else "https"
        #: The host and port by which a client on this machine reaches the server.
        self.netloc = join_netloc({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host), self._port)
        self.url = f"{self.scheme}://{self.netloc}"

    def _listen(self) -> None:
        """Listen at the port of the settings. Without one, listen at the port of an earlier server if it is free.

        Some clients keep a connection for each URL, for example polars. They lose seconds if they find none there.
        """
        host, port = self.settings.host, self.settings.port
        while not port and (earlier := take_port(host)):
            with suppress(OSError):
                self._listen_at(host, earlier)
                return
        try:
            self._listen_at(host, port)
        except OSError as error:
            problem = f"cannot listen at {host}, port {port}: {error.strerror}"
            if error.errno == errno.EADDRINUSE:
                problem = (
                    f"port {port} of {host} is in use; pass another port, or omit it for a free one. With pytest-xdist,"
                    " each worker needs a port of its own"
                )
            raise OSError(error.errno, problem) from None

    def _listen_at(self, host: str, port: int) -> None:
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

    def netlocs(self, *further_hosts: str) -> tuple[str, ...]:
        """Return the network locations at which programs on this machine reach the server, its own first."""
        hosts = {self.settings.host, str(self.server_address[0]), "127.0.0.1", "localhost", *further_hosts}
        if self.settings.host in ("0.0.0.0", "::"):
            hosts |= {"::1", socket.gethostname()}
        netlocs = {join_netloc(host.lower(), self._port) for host in hosts}
        if self._port == DEFAULT_PORTS[self.scheme]:
            netlocs |= {netloc.removesuffix(f":{self._port}") for netloc in netlocs}
        own = self.netloc.lower()
        return (own, *sorted(netlocs - {own}))

    def accept_connections(self) -> None:
        """Accept connections until the server stops. Unlike `serve_forever`, it does not look for the end at times."""
        with DefaultSelector() as selector:
            selector.register(self.socket, EVENT_READ)
            selector.register(self._woken, EVENT_READ)
            while not self._stopping.is_set():
                selector.select()
                with suppress(OSError):
                    self._accept()

    def _accept(self) -> None:
        if self._stopping.is_set():
            return
        connected, address = self.get_request()
        try:
            self.process_request(connected, address)
        except Exception:  # for example, no further thread can start
            self.handle_error(connected, address)
            self.shutdown_request(connected)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection. The server tries again after an OSError."""
        with self._changed:
            is_full = len(self._open) >= self._most
        if is_full:
            self._make_room()
            raise BlockingIOError("the server has too many connections")
        try:
            connected, address = super().get_request()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                if not self._is_exhausted:
                    logger.warning("The server cannot accept connections: %s", error)
                self._is_exhausted = True
                self._make_room()
            raise
        self._is_exhausted = False
        if self.settings.tls is not None:
            connected = self.settings.tls.wrap_socket(connected, server_side=True, do_handshake_on_connect=False)
        with self._changed:
            self._open.add(connected)
            self._idle[connected] = None
        return connected, address

    def _make_room(self) -> None:
        """Close the connection that has been idle for the longest time, and wait a little for any to end."""
        with self._changed:
            oldest = next(iter(self._idle), None)
            if oldest is not None:
                del self._idle[oldest]
                _end(oldest, socket.SHUT_RDWR)
            self._changed.wait(_PAUSE)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection, which has ended."""
        request.close()
        with self._changed:
            self._open.discard(request)
            self._idle.pop(request, None)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error, unless the client ended the connection or was silent for too long."""
        if not isinstance(sys.exception(), OSError):
            logger.exception("The server failed to answer %s", client_address)

    def begin_idle(self, connected: socket.socket) -> None:
        with self._changed:
            if not self._stopping.is_set():
                self._idle[connected] = None

    def end_idle(self, connected: socket.socket) -> bool:
        """Note that a request arrives, and return whether the server still answers it."""
        with self._changed:
            return self._idle.pop(connected, connected) is None

    def sleep(self, seconds: float) -> bool:
        """Wait, and return whether the server still runs."""
        if self.settings.sleep is None:
            return not self._stopping.wait(seconds)
        self.settings.sleep(seconds)
        return True

    def stop(self, thread: Thread) -> None:
        """Stop reading from the clients, give requests under way some time, and then end their connections.

        Args:
            thread: The thread that accepts connections.
        """
        self._stopping.set()
        self._wake.send(b"x")
        thread.join()
        self.server_close()
        self._wake.close()
        self._woken.close()
        if not self.settings.port:
            keep_port(self.settings.host, self._port)
        with self._changed:
            self._idle.clear()
            for how, seconds in ((socket.SHUT_RD, _GRACE), (socket.SHUT_RDWR, None)):
                for connected in self._open:
                    _end(connected, how)
                self._changed.wait_for(lambda: not self._open, seconds)


def take_port(host: str) -> int:
    """Return the port of an earlier server of this process at a host, or 0."""
    with suppress(IndexError):
        return _earlier_ports[host].pop()
    return 0


def keep_port(host: str, port: int) -> None:
    """Keep the port of a server that has ended for a later server."""
    _earlier_ports[host].append(port)


def _raise_limit_of_files() -> int:
    """Raise the limit of open files, as far as possible, and return how many connections the server can have.

    The process keeps the same number of files for everything else.
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


def _end(connected: socket.socket, how: int) -> None:
    """Prevent the thread of a connection from reading more, or also from sending more."""
    with suppress(OSError):  # it may have ended already
        socket.socket.shutdown(connected, how)  # a TLS socket's own shutdown() ends TLS for all threads


class _LoopbackServer(StoreServer):
    """Answers connections that do not come through a port."""

    keeps_connections = False
    notes_abandoned = False  # its clients are intercepted

    def __init__(
        self,
        service: Service,
        scheme: str,
        sleep: Callable[[float], object] | None,
        time_out: Callable[[ConnectionFailure], object],
    ) -> None:
        self.service = service
        self.time_out = time_out
        self.settings = Settings(host="127.0.0.1", port=0, sleep=sleep)
        self.scheme = scheme
        self.netloc = service.endpoint.netloc
        self.thread_name = current_thread().name  # that of the client's own thread
        self._stopping = Event()

    def begin_idle(self, connected: socket.socket) -> None:
        """Do nothing: a connection has one request."""

    def end_idle(self, connected: socket.socket) -> bool:
        return True


def answer_connection(
    connected: socket.socket,
    service: Service,
    scheme: str,
    sleep: Callable[[float], object] | None,
    time_out: Callable[[ConnectionFailure], object],
) -> None:
    """Answer one request on a connected socket, and close it.

    Args:
        scheme: The scheme that the client means. It speaks no TLS.
        sleep: As in :class:`Settings`.
        time_out: As in :class:`StoreServer`.
    """
    server = _LoopbackServer(service, scheme, sleep, time_out)
    with connected:
        try:
            Connection(connected, ("127.0.0.1", 0), server)
        except Exception:
            server.handle_error(connected, "aiohttp")


class Connection(BaseRequestHandler):
    """A connection to a client, which sends one request after the other."""

    server: StoreServer

    def setup(self) -> None:
        current_thread().name = self.server.thread_name
        self._socket: socket.socket = self.request
        if self._socket.family != getattr(socket, "AF_UNIX", None):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a reply is sent in several pieces
        self._socket.settimeout(self.server.settings.timeout)
        self._incoming = SocketReader(self._socket)
        self._reader: BufferedReader = BufferedReader(self._incoming)
        #: Whether the connection ends after the current request.
        self._closes = False
        #: Whether the connection is reset instead of being closed in the normal way.
        self._resets = False
        #: Whether the client may still be sending while it should read the reply.
        self._lingers = False

    def handle(self) -> None:
        if isinstance(self._socket, ssl.SSLSocket):
            self._start_tls(self._socket)
        while not self._closes and self._wait_for_data():
            if not self.server.end_idle(self._socket):
                return
            head = RequestHead()
            try:
                with self._incoming.deadline(self.server.settings.timeout):
                    read_head(self._reader, head)
                self._answer(head)
            except BadRequest as error:
                self._refuse(head, error)
            self.server.begin_idle(self._socket)

    def _start_tls(self, connected: ssl.SSLSocket) -> None:
        try:
            connected.do_handshake()
        except ssl.SSLError as error:
            advice = "; use a URL that begins with https://" if error.reason == "HTTP_REQUEST" else ""
            logger.info("- -> no TLS with the client: %s%s", error.reason, advice)
            raise

    def _wait_for_data(self) -> bool:
        """Wait until the client sends data or ends the connection. Return whether it sent data."""
        with self._incoming.deadline(None):
            return bool(self._reader.peek(1))

    def _refuse(self, head: RequestHead, error: BadRequest) -> None:
        """Answer a request that does not reach the store. The connection ends."""
        self._lingers = self._closes = True
        outcome = f"{error.status} {error.reason}"
        head.log(f"{outcome}: {error}" if str(error) else outcome, self.server.service)
        reply = self._own_reply(head.method, error.status, str(error))
        self._send(render_head(reply, reason=error.reason, closes=True) + bytes(reply.body))

    def _own_reply(self, method: str, status: int, text: str) -> Reply:
        """Return a reply of the server in place of the store's, with the headers that every reply of the store has."""
        return text_reply(method, status, text).with_headers(self.server.service.standard_headers())

    def _answer(self, head: RequestHead) -> None:
        self._closes = head.closes_connection or not self.server.keeps_connections
        scheme, host, target = parse_target(head, self.server.scheme, self.server.netloc)
        body = StreamedBody(head, self._reader, self._send)
        if not body.has_known_end:
            self._lingers = True
        request = Request(
            method=head.method,
            scheme=scheme,
            host=host,
            target=target,
            headers=head.headers,
            body=b"" if body.is_complete else body,
            http_version="1.0" if head.is_http10 else "1.1",
            source_ip=str(self.client_address[0]),
        )
        delivery = self._control(head, request) or self._deliver(head, request, body)
        if self.server.notes_abandoned and self._is_abandoned():
            self._note_abandoned(request)
        if isinstance(delivery, ConnectionFailure):
            self._fail(delivery, body)
        elif delivery.delay and not self.server.sleep(delivery.delay):
            self._closes = True
        else:
            self._reply(head, delivery, body)

    def _control(self, head: RequestHead, request: Request) -> Delivery | None:
        """Return the answer to a request that controls the server, or None for a request to the store."""
        control = self.server.settings.control
        reply = None if control is None else control(request)
        if reply is None:
            return None
        head.log(str(reply.status), self.server.service)
        return Delivery(reply.with_headers({"Server": "fakestore"}))

    def _deliver(self, head: RequestHead, request: Request, body: StreamedBody) -> Delivery | ConnectionFailure:
        """Return the answer of the store, or an error of the server if the store has no answer."""
        service = self.server.service
        try:
            delivery, exchange = service.answer(request)
            head.log_line(str(exchange), service)
            return delivery
        except UnsupportedRequest as error:  # the service has recorded this error
            reason = f"UnsupportedRequest: {error}"
            reply = service.render_unsupported(request, reason)
        except Exception as error:
            if error is body.error:
                head.log(f"no answer: reading the body raised {error!r}", service)
                raise
            service.unhandled_requests.append(error)
            reply = self._own_reply(request.method, 500, reason := f"fakestore failed with {error!r}")
        head.log(f"{reply.status}: {reason}", service)
        return Delivery(reply)

    def _is_abandoned(self) -> bool:
        """Return whether the client has closed the connection already."""
        if isinstance(self._socket, ssl.SSLSocket):  # it has no peek
            return False
        timeout = self._socket.gettimeout()
        self._socket.settimeout(0)
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self._socket.settimeout(timeout)

    def _note_abandoned(self, request: Request) -> None:
        """Note in the journal that the client did not wait for the answer."""
        explanation = (
            f"{request.method} {hide_parameters(request.target)}: the client closed the connection before the server"
            " could answer. If it holds the lock of the interpreter while it waits, as deltalake, GDAL and"
            " opendal.Operator do, use fake_store(serve='process')"
        )
        self.server.service.journal.add_note(UninterceptedRequest(request.host, explanation, current_time()))

    def _fail(self, failure: ConnectionFailure, body: StreamedBody) -> None:
        """Reset the connection, or let the client time out: send nothing until it closes the connection."""
        self._closes = True
        if failure is ConnectionFailure.RESET:
            body.drop()
            self._resets = True
        elif self.server.time_out is not None:
            body.drop()
            self.server.time_out(failure)
        else:
            with suppress(OSError, ErrorResponse):
                deque(body, maxlen=0)  # a client that waits for 100 Continue begins its timeout only after it
            with suppress(OSError):
                self._wait_for_end(_LONGEST_SILENCE)

    def _reply(self, head: RequestHead, delivery: Delivery, body: StreamedBody) -> None:
        """Send the reply, whole or truncated, and end the connection if no request can follow."""
        reply, truncate_at = delivery.reply, delivery.truncate_at
        is_chunked = "transfer-encoding" in reply.headers
        has_end = is_chunked or "content-length" in reply.headers or not reply.body
        if body.awaits_continue or body.error is not None:
            self._lingers = True
        if truncate_at is not None or self._lingers or not has_end:
            self._closes = True
        self._send(render_head(reply, closes=self._closes))
        for piece in pieces_of(reply.body[:truncate_at]):
            self._send(b"%x\r\n%b\r\n" % (len(piece), bytes(piece)) if is_chunked else piece)
        if is_chunked and truncate_at is None:
            self._send(b"0\r\n\r\n")
        if not self._lingers:
            body.drop()
            if not body.is_complete:
                self._closes = self._lingers = True

    def _send(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        while view:  # not `sendall`, whose timeout is for all of the data
            view = view[self._socket.send(view[:_MOST_AT_ONCE]) :]

    def _wait_for_end(self, seconds: float) -> None:
        """Drop what the client sends until it closes the connection."""
        with self._incoming.deadline(seconds):
            while self._reader.read1(PIECE):
                pass

    def finish(self) -> None:
        """Close the connection for every process that has the socket, for example after a fork."""
        with suppress(OSError):  # the client may have closed it already
            if self._resets:
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if self._lingers:
                _end(self._socket, socket.SHUT_WR)
                self._wait_for_end(_LINGER)
            _end(self._socket, socket.SHUT_RDWR)
