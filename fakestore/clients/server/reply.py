"""A reply as it is sent: its head, its pieces, and the replies of the server itself."""

from __future__ import annotations

from http.client import responses as reasons

from fakestore.http.headers import Headers
from fakestore.http.reply import Reply


def text_reply(method: str, status: int, text: str) -> Reply:
    """Return a reply of the server itself to a request with this method."""
    body = f"{text}\n".encode()
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body)), "Server": "fakestore"}
    return Reply(status, Headers(headers), b"" if method == "HEAD" else body)


def render_head(reply: Reply, *, is_http10: bool, closes: bool, reason: str | None = None) -> bytes:
    """Return the status line and the header fields, with a Connection header of the server in place of the store's."""
    lines = [f"HTTP/1.1 {reply.status} {reasons.get(reply.status, '') if reason is None else reason}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.fields if name.lower() != "connection"]
    if closes:
        lines.append("Connection: close")
    elif is_http10:
        lines.append("Connection: keep-alive")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")
