"""What the tests of the server share: requests as bytes, and their replies."""

from __future__ import annotations

import socket
from email.utils import formatdate
from http.client import HTTPResponse
from urllib.parse import urlsplit
from urllib.request import build_opener

from fakestore import FakeStore

HOST = "photos.objects.test"


def signed(store: FakeStore, **headers: str) -> dict[str, str]:
    """Return headers that authenticate a request; an underscore in a name stands for a hyphen."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    access_key = store.default_account.access_key_id
    return {"Authorization": f"SVC {access_key}:any-signature", "Date": formatdate(usegmt=True), **fields}


def head(store: FakeStore, request_line: str, *, host: str = HOST, **headers: str) -> bytes:
    """Return the bytes of a request line and of signed headers."""
    lines = [request_line, f"Host: {host}", *(f"{name}: {value}" for name, value in signed(store, **headers).items())]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


def has_ipv6() -> bool:
    """Return whether this machine has an IPv6 loopback address."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def connect(url: str) -> socket.socket:
    """Return a connection to the server, on which nothing takes longer than 5 seconds."""
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=5)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def reply_to(connection: socket.socket, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Read one reply: its status, its headers in lower case, and its body."""
    response = HTTPResponse(connection, method=method)
    response.begin()
    body = response.read()
    headers = {name.lower(): value for name, value in response.getheaders()}
    response.close()
    return response.status, headers, body


def ends(connection: socket.socket) -> bool:
    """Return whether the server closes the connection and sends nothing more."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def open_url(url):
    """Open a URL by a client that no store intercepts, with the proxies of the environment."""
    return build_opener().open(url)
