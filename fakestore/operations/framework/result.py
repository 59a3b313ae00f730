"""Results: what an operation returns, and the document of an error. The service renders them as replies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from fakestore.errors import METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.model.content import Content
from fakestore.model.object_version import Entry, EntryId
from fakestore.xml.document import PROLOG, escape

_NO_HEADERS: Mapping[str, str] = {}


class Result(NamedTuple):
    """The answer of an operation, before it is rendered in the dialect.

    Args:
        status: The status code.
        headers: Standard headers.
        service_headers: Headers of the dialect, without its prefix.
        body: The body, if the reply has one that is not a document.
        document: The document of the reply, an instance of a shape.
        digest: The MD5 of `body` if it is known, so that the journal need not compute it.
        chunked: Whether the body is sent chunk encoded, without a length.
        version_id: The id of the version or delete marker that was added, read or changed, for the journal.
        created: The versions and delete markers that the operation added, for the journal.
        removed: The versions and delete markers that the operation removed by a DELETE, for the journal.
        explanation: Why parts of the request were refused, for the test's author; never sent.
    """

    status: int = 200
    headers: Mapping[str, str] = _NO_HEADERS
    service_headers: Mapping[str, str] = _NO_HEADERS
    body: Content = b""
    document: object | None = None
    digest: str | None = None
    chunked: bool = False
    version_id: str | None = None
    created: tuple[EntryId, ...] = ()
    removed: tuple[EntryId, ...] = ()
    explanation: str | None = None


#: An answer without headers and body.
OK = Result()

NO_CONTENT = Result(status=204)


def entry_ids(*entries: Entry | None) -> tuple[EntryId, ...]:
    """Return the keys and version ids of entries. Those that are None are left out."""
    return tuple([EntryId.of(each) for each in entries if each is not None])


#: The characters that XML 1.0 cannot write, not even as references.
_UNWRITABLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def render_error(
    error: ErrorResponse,
    resource: str | None,
    ids: tuple[str, str],
    *,
    method: str | None = None,
    leading_blanks: int = 0,
) -> bytes:
    """Return the Error document, which is well-formed whatever the request contained. [characters-invalid-in-xml]

    The other documents are shapes. This one is not, because every error has elements of its own.

    Args:
        error: The error; its ``elements`` follow the code and the message.
        resource: The path of the resource, with the bucket's name in front; None if errors of the dialect have none.
        ids: The request id and the id-2 of the reply.
        method: The method of the request, which a MethodNotAllowed repeats.
        leading_blanks: The number of blanks between the XML declaration and the document.
    """
    elements: Mapping[str, str] = error.elements
    if error.error is METHOD_NOT_ALLOWED and method is not None:
        elements = {"Method": method, "ResourceType": "DeleteMarker"}
    texts = {"Code": error.error.code, "Message": error.message, **elements}
    if resource is not None:
        texts["Resource"] = resource
    texts |= {"RequestId": ids[0], "HostId": ids[1]}
    written = "".join(
        f"<{name}>{escape(re.sub(_UNWRITABLE, _REPLACEMENT, value))}</{name}>" for name, value in texts.items()
    )
    return f"{PROLOG}{' ' * leading_blanks}<Error>{written}</Error>".encode()
