"""The settings of a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ssl import SSLContext

from fakestore.http.reply import Reply
from fakestore.http.request import Request


def _as_it_is(request: Request, message: str) -> str:
    return message


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a server.

    Args:
        host: The address or host name at which the server listens.
        port: The port at which it listens; 0 for a free one.
        timeout: How long a client may take to send the head of a request, and how long it may then be silent in the
            middle of the request or the reply, in seconds.
        sleep: The function that waits for :class:`fakestore.faults.Latency`. If it is None, the server waits, but not
            longer than it runs.
        tls: How the server speaks TLS; None for a server of http.
        control: Returns the reply to a request that is not for the store, or None.
        explain: Returns a message of the store about a request in the words of whoever started the server.
    """

    host: str
    port: int
    timeout: float = 60.0
    sleep: Callable[[float], object] | None = None
    tls: SSLContext | None = None
    control: Callable[[Request], Reply | None] | None = None
    explain: Callable[[Request, str], str] = _as_it_is
