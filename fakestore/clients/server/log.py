"""The log of the server: one line about each request."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from fakestore.http.headers import Headers
from fakestore.http.secrets import HIDDEN, hide_header, hide_parameters
from fakestore.messages import escaped
from fakestore.model.accounts import Account

#: Gets a line about each request with the level INFO, and the errors of the server itself with higher levels.
logger = logging.getLogger("fakestore.server")

#: A shorter text is not hidden, because it could also be a part of other words.
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
