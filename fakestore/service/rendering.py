"""Rendering: results and errors as replies in the dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from fakestore.errors import METHOD_NOT_ALLOWED, STATUSES, ErrorCode, ErrorResponse
from fakestore.http.message import Delivery, Headers, Reply
from fakestore.http.values import http_date
from fakestore.messages import PLANNED_FAULT
from fakestore.model.content import Content
from fakestore.model.object_version import MarkerError
from fakestore.operations.framework.call import ReplyIds
from fakestore.operations.framework.pipeline import PipelineCall
from fakestore.operations.framework.result import Result
from fakestore.protocol.dialect import Dialect
from fakestore.xml.document import PROLOG, escape
from fakestore.xml.document import render as render_document

#: Replies with these statuses have no body, and so no length.
_WITHOUT_LENGTH = (204, 304)


def render(call: PipelineCall) -> None:
    result = call.result
    body = result.body if result.document is None else render_document(result.document, call.dialect.xml_namespace)
    headers = dict(result.headers)
    if result.chunked:
        if call.received.http_version != "1.0":
            headers["Transfer-Encoding"] = "chunked"
    elif result.status not in _WITHOUT_LENGTH:
        headers["Content-Length"] = str(len(body))
    _set_reply(call, result.status, headers, result.service_headers, body, chunked=result.chunked)


def refuse(call: PipelineCall, error: ErrorResponse) -> None:
    """Render an error of the service as the reply. Its document may name the resource.

    The reply to HEAD has no body, and does not announce one. [errors-to-head]
    """
    # A traceback refers to the frames that hold the call, and a cycle would keep the body alive.
    call.error = error.with_traceback(None)
    headers, service_headers, elements, allow = {}, error.service_headers, error.elements, error.allow
    if isinstance(error, MarkerError):
        service_headers = {"delete-marker": "true", "version-id": error.marker.version_id}
        allow = "DELETE" if error.code == METHOD_NOT_ALLOWED.code else None
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if allow is not None:
        headers["Allow"] = allow
        elements = {"Method": call.received.method, **elements}
    body = _render_error(call, error, elements)
    if call.received.method != "HEAD":
        headers["Content-Length"] = str(len(body))
    status = STATUSES[error.code] if error.status is None else error.status
    _set_reply(call, status, headers, service_headers, body)


def embed(call: PipelineCall, error: ErrorCode) -> Result:
    """Return a success whose body is an error, as if the service had failed while it sent blanks.

    This is section 7 of the specification. [error-in-a-200-reply]
    """
    document = _render_error(call, error.error(), {}, leading_blanks=8)
    return Result(body=document, chunked=True, explanation=PLANNED_FAULT)


def _set_reply(
    call: PipelineCall,
    status: int,
    headers: dict[str, str],
    service_headers: Mapping[str, str],
    body: Content,
    *,
    chunked: bool = False,
) -> None:
    """Make the reply. Add the headers that every reply carries, and remove the body of the reply to HEAD."""
    if body and "Content-Type" not in headers:
        headers["Content-Type"] = call.dialect.xml_content_type
    prefix = call.dialect.header_prefix
    for name, value in service_headers.items():
        headers[prefix + name] = value
    headers |= standard_headers(call.dialect, call.ids, call.now)
    fields = (headers | call.reply_headers).items()
    sent = b"" if call.received.method == "HEAD" else body
    call.delivery = Delivery(Reply(status, Headers(fields), sent, chunked))


def standard_headers(dialect: Dialect, ids: ReplyIds, now: datetime) -> dict[str, str]:
    """Return the headers that every reply carries."""
    return {**ids.headers(dialect), "Date": http_date(now), "Connection": "close", "Server": "fakestore"}


#: The characters that XML 1.0 cannot write, not even as references.
_UNWRITABLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def _render_error(
    call: PipelineCall, error: ErrorResponse, elements: Mapping[str, str], *, leading_blanks: int = 0
) -> bytes:
    """Return the Error document, which is well-formed whatever the request contained. [characters-invalid-in-xml]

    The other documents are shapes. This one is not, because every error has elements of its own. The blanks are between
    the XML declaration and the document.
    """
    texts = {"Code": error.code, "Message": error.message, **elements}
    if call.semantics.errors_name_resource:
        texts["Resource"] = call.received_address.resource or call.received.target.partition("?")[0]
    texts |= {"RequestId": call.ids.request_id, "HostId": call.ids.id_2}
    written = "".join(
        f"<{name}>{escape(re.sub(_UNWRITABLE, _REPLACEMENT, value))}</{name}>" for name, value in texts.items()
    )
    return f"{PROLOG}{' ' * leading_blanks}<Error>{written}</Error>".encode()
