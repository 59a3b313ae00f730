"""What the tests of clients share: a bucket with an object, and servers on real sockets.

The servers listen on 127.0.0.1, and nothing here goes further.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from http.client import parse_headers
from pathlib import Path

import httpx
import pytest

from fakestore import FakeStore
from tests.clients.served import HOST, signed

RESPONSES = {
    "/ok": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nreal",
    "/503": b"HTTP/1.1 503 Slow Down\r\nContent-Length: 4\r\nConnection: close\r\n\r\nslow",
    "/503-later": b"HTTP/1.1 503 Slow Down\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "/cut": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nonly this",
    "/cut-chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n9\r\nonly this\r\n",
}


class Loopback:
    """A server that answers one request per connection with the response of its path.

    It closes the connection of ``/reset`` with a TCP reset, and it never answers ``/silent``.
    """

    def __init__(self):
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.bodies = []
        self.headers = []
        self._kept = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as file, suppress(ConnectionError):  # the client may give up
                self._answer(connection, file)

    def _answer(self, connection, file):
        path = file.readline().split()[1].decode()
        # All of the body is read: a close with unread bytes is a reset, which can overtake the response.
        self.headers.append(parse_headers(file))
        self.bodies.append(_read_body(file, self.headers[-1]))
        if path == "/silent":
            self._kept.append(connection.dup())
        elif path == "/reset":
            # Closed without lingering, TCP sends a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            connection.sendall(RESPONSES[path])

    def close(self):
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()  # a client may have given up before its request was read
        self._listening.close()
        for connection in self._kept:
            connection.close()


def _read_body(file, headers):
    """Return the body of a request: by its length, in chunks, or what came of it before the client gave up."""
    if "Content-Length" in headers or "Transfer-Encoding" not in headers:  # requests may send both
        return file.read(int(headers.get("Content-Length", 0)))
    body = b""
    while size := int(file.readline() or b"0", 16):
        body += file.read(size + len(b"\r\n")).removesuffix(b"\r\n")
    file.readline()
    return body


@pytest.fixture(autouse=True, scope="session")
def one_certificate():
    """Let httpx trust only one certificate. Otherwise each client loads those of all authorities, in 20 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(Path(__file__).parent / "localhost.pem"))
        yield


@pytest.fixture
def photos(fakestore):
    """A bucket with an object of a hundred bytes."""
    bucket = fakestore.create_bucket("photos")
    bucket.put("cat.jpg", b"only this" + b"x" * 91)
    return bucket


@pytest.fixture
def loopback():
    server = Loopback()
    yield server
    server.close()


@pytest.fixture
def full_queue():
    """The URL of a socket whose queue is full: a client waits for a connection until its timeout."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(0)
    waiting = []
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(listening.getsockname())
        waiting.append(client)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    for each in (*waiting, listening):
        each.close()


@pytest.fixture
def store():
    return FakeStore(buckets={"photos": "enabled"})


@pytest.fixture
def url(store):
    with store.serve() as url:
        yield url


@pytest.fixture
def client(store, url):
    """A client of the server. Its requests are signed, and are for the bucket."""
    with httpx.Client(base_url=url, headers=signed(store, Host=HOST)) as client:
        yield client
