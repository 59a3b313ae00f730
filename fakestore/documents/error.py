"""How a refusal is answered: one document, rendered here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fakestore.documents.xml import PROLOG, element, text
from fakestore.http.messages import Reply
from fakestore.model.errors import METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.protocol.dialect import Dialect

#: What XML 1.0 has no way to write, not even as a character reference.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def error_document(refusal: ErrorResponse, resource: str, ids: tuple[str, str], *, leading_blanks: int = 0) -> bytes:
    """The Error document: code, message, what more the refusal tells, resource and the ids of the reply.

    It is well-formed whatever a request had in it. [unwritable-in-errors]
    """
    return _document(refusal, refusal.elements, resource, ids, leading_blanks)


def _document(
    refusal: ErrorResponse, elements: Mapping[str, str], resource: str, ids: tuple[str, str], leading_blanks: int
) -> bytes:
    told = {"Code": refusal.error.code, "Message": refusal.message, **elements}
    told |= {"Resource": resource, "RequestId": ids[0], "HostId": ids[1]}
    body = element("Error", *(text(name, _UNWRITABLE.sub(_REPLACEMENT, value)) for name, value in told.items()))
    return f"{PROLOG}{' ' * leading_blanks}{body}".encode()


def error_reply(refusal: ErrorResponse, resource: str, ids: tuple[str, str], dialect: Dialect, method: str) -> Reply:
    """The reply to a refusal; one that met a delete marker says so, and what may still be done with it."""
    elements: Mapping[str, str] = refusal.elements
    headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
    if refusal.marker is not None:
        headers[f"{dialect.header_prefix}delete-marker"] = "true"
        headers[f"{dialect.header_prefix}version-id"] = refusal.marker.version_id
    if refusal.error is METHOD_NOT_ALLOWED:
        headers["Allow"] = "DELETE"
        elements = {"Method": method, "ResourceType": "DeleteMarker"}
    return Reply(refusal.error.status, headers, _document(refusal, elements, resource, ids, 0))
