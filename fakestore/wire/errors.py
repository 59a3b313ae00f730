"""How a refusal is answered: one document, rendered here and nowhere else."""

from __future__ import annotations

from fakestore.model.errors import METHOD_NOT_ALLOWED, Refusal
from fakestore.wire.dialect import Dialect
from fakestore.wire.messages import Reply
from fakestore.wire.xml import PROLOG, element, text


def error_document(refusal: Refusal, resource: str, ids: tuple[str, str], *, leading_blanks: int = 0) -> bytes:
    """The Error document: code, message, what more the refusal tells, resource and the ids of the reply."""
    body = element(
        "Error",
        text("Code", refusal.error.code),
        text("Message", refusal.message),
        *(text(name, value) for name, value in refusal.elements.items()),
        text("Resource", resource),
        text("RequestId", ids[0]),
        text("HostId", ids[1]),
    )
    return f"{PROLOG}{' ' * leading_blanks}{body}".encode()


def error_reply(refusal: Refusal, resource: str, ids: tuple[str, str], dialect: Dialect, method: str) -> Reply:
    """The reply to a refusal; one that met a delete marker says so, and what may still be done with it."""
    headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
    if refusal.marker is not None:
        headers[f"{dialect.header_prefix}delete-marker"] = "true"
        headers[f"{dialect.header_prefix}version-id"] = refusal.marker.version_id
    if refusal.error is METHOD_NOT_ALLOWED:
        headers["Allow"] = "DELETE"
        refusal.elements = {"Method": method, "ResourceType": "DeleteMarker"}
    return Reply(refusal.error.status, headers, error_document(refusal, resource, ids))
