"""The settings of a server, and its log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from ssl import SSLContext

from fakestore.http.message import Headers, Reply, Request
from fakestore.http.secrets import HIDDEN, hide_header, hide_parameters
from fakestore.messages import escaped
from fakestore.model.accounts import Account


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
        sleep: The function that waits for :class:`fakestore.faults.Latency`. If it is None, the server waits itself, at
            most until it stops.
        tls: How the server speaks TLS; None for a server of http.
        control: Returns the reply to a request that is not for the store, or None.
        explain: Returns a message of the store about a request, with the options of the command or program that started
            the server.
    """

    host: str
    port: int
    timeout: float = 60.0
    sleep: Callable[[float], object] | None = None
    tls: SSLContext | None = None
    control: Callable[[Request], Reply | None] | None = None
    explain: Callable[[Request, str], str] = _as_it_is


#: Gets a line about each request with the level INFO, and the errors of the server itself with higher levels.
logger = logging.getLogger("fakestore.server")

#: The length of the shortest secret key that is hidden. A shorter text could be a part of other words.
_SHORTEST_SECRET = 8


def log_request(line: str, headers: Headers, accounts: Iterable[Account]) -> None:
    """Log a line about a request, without the credentials in its headers and without the secret keys of accounts."""
    if not logger.isEnabledFor(logging.INFO):
        return
    for secret in sorted(_secrets(headers, accounts), key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            line = line.replace(secret, HIDDEN)
    logger.info("%s", hide_parameters(escaped(line)))


def _secrets(headers: Headers, accounts: Iterable[Account]) -> Iterator[str]:
    for account in accounts:
        yield account.secret_key
    for name, value in headers.fields:
        if hide_header(name, value) != value:
            for separator in (" ", ":", "="):  # the secret is the whole value, or its last part
                yield value.rpartition(separator)[2]
