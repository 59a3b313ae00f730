"""Results: what an operation returns. The service renders them as replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fakestore.model.content import Content
from fakestore.model.entity_tag import EntityTag
from fakestore.model.object_version import Change

_NO_HEADERS: Mapping[str, str] = {}


class Result(NamedTuple):
    """The answer of an operation, before it is rendered in the dialect.

    Args:
        headers: Standard headers.
        service_headers: Headers of the dialect, without its prefix.
        body: The body, if the reply has one that is not a document.
        document: The document of the reply, an instance of a shape.
        content_tag: The entity tag of `body` if it is known, so that the journal need not compute it.
        chunked: Whether the body is sent chunk encoded, without a length.
        version_id: The id of the version or delete marker that was added, read or changed, for the journal.
        changes: What the operation did to the entries of keys, for the journal and for events.
        truncated_after: How many items a page has, if the listing continues after it, for the journal.
        explanation: Why parts of the request were refused, or what a deletion did not find. It is never sent.
    """

    status: int = 200
    headers: Mapping[str, str] = _NO_HEADERS
    service_headers: Mapping[str, str] = _NO_HEADERS
    body: Content = b""
    document: object | None = None
    content_tag: EntityTag | None = None
    chunked: bool = False
    version_id: str | None = None
    changes: tuple[Change, ...] = ()
    truncated_after: int | None = None
    explanation: str | None = None


#: An answer without headers and body.
OK = Result()

NO_CONTENT = Result(status=204)
