"""A request and a reply as values, whatever carried them."""

from __future__ import annotations

from dataclasses import dataclass, field

from fakestore.http.headers import Headers
from fakestore.http.reply import ConnectionFailure
from fakestore.http.request import Request
from fakestore.model.content import Content

__all__ = ["ConnectionFailure", "Headers", "Reply", "Request"]


@dataclass(slots=True)
class Reply:
    """An answer. ``body`` follows ``headers`` on the wire unless the request was a HEAD.

    ``chunked`` sends the body chunk encoded, without a length. ``cut`` ends the body after so many bytes, as a
    connection lost half-way does. ``delay`` is in seconds, before the first byte. ``broken`` stands for no answer
    at all; the rest then means nothing.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: Content = b""
    chunked: bool = False
    cut: int | None = None
    delay: float = 0.0
    broken: ConnectionFailure | None = None
