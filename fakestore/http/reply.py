"""A reply as a value, how it is delivered to the client, and what can happen instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from fakestore.http.headers import Headers
from fakestore.model.content import Content


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request.

    Args:
        status: The status code.
        headers: The header fields.
        body: The body: ``bytes``, a :class:`fakestore.SparseContent` or a :class:`fakestore.JoinedContent`.
            ``bytes(reply.body)`` returns the bytes of each of them. The body is empty in the reply to a HEAD request.
        chunked: Whether the body is sent in chunks, without a Content-Length.
    """

    status: int
    headers: Headers = field(default_factory=Headers)
    body: Content = b""
    chunked: bool = False

    def with_headers(self, more: Mapping[str, str]) -> Reply:
        """Return a copy of the reply that has further header fields, after its own ones.

        Example:
            >>> dict(Reply(200).with_headers({"Vary": "Origin"}).headers)
            {'vary': 'Origin'}
        """
        return replace(self, headers=Headers([*self.headers.fields, *more.items()]))


class ConnectionFailure(Enum):
    """A way in which a connection fails instead of carrying a reply."""

    RESET = "connection reset"
    CONNECT_TIMEOUT = "connect timeout"
    READ_TIMEOUT = "read timeout"


class Delivery(NamedTuple):
    """A reply, and what happens to it on its way to the client.

    Args:
        reply: The whole reply.
        truncate_at: The connection is lost after this many bytes of the body; None if the body arrives whole.
        delay: The time before the first byte, in seconds.
    """

    reply: Reply
    truncate_at: int | None = None
    delay: float = 0.0
