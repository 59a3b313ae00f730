"""Rendering: results and errors as replies in the dialect."""

from __future__ import annotations

from collections.abc import Mapping

from fakestore.errors import METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.http.headers import Headers
from fakestore.http.reply import Delivery, Reply
from fakestore.http.values import http_date
from fakestore.model.content import Content, content_size
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.result import render_error
from fakestore.xml.document import render as render_document

#: Replies with these statuses have no body, and so no length.
_WITHOUT_LENGTH = (204, 304)


def render(call: Call) -> None:
    """Render the result of the operation as the reply."""
    result = call.result
    body = result.body if result.document is None else render_document(result.document, call.dialect.xml_namespace)
    headers = dict(result.headers)
    if result.chunked:
        if call.received.http_version != "1.0":
            headers["Transfer-Encoding"] = "chunked"
    elif result.status not in _WITHOUT_LENGTH:
        headers["Content-Length"] = str(content_size(body))
    reply = _reply(call, result.status, headers, result.service_headers, body, chunked=result.chunked)
    call.delivery = Delivery(reply)


def refuse(call: Call, error: ErrorResponse) -> None:
    """Render an error of the service as the reply. Its document may name the resource.

    MethodNotAllowed allows DELETE. The reply to HEAD has no body, and does not announce one. [errors-to-head]
    """
    # A traceback refers to the frames that hold the call, and a cycle would keep the body alive.
    call.error = error.with_traceback(None)
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if error.error is METHOD_NOT_ALLOWED:
        headers["Allow"] = "DELETE"
    received, named = call.received, call.named
    resource = received.target.partition("?")[0] if named is None else named.resource
    shown = resource if call.semantics.errors_name_resource else None
    body = render_error(error, shown, call.ids, method=received.method)
    if received.method != "HEAD":
        headers["Content-Length"] = str(len(body))
    call.delivery = Delivery(_reply(call, error.error.status, headers, error.service_headers, body))


def _reply(
    call: Call,
    status: int,
    headers: dict[str, str],
    service_headers: Mapping[str, str],
    body: Content,
    *,
    chunked: bool = False,
) -> Reply:
    """Add what every reply carries. The reply to HEAD loses its body."""
    if body and "Content-Type" not in headers:
        headers["Content-Type"] = call.dialect.xml_content_type
    prefix = call.dialect.header_prefix
    for name, value in service_headers.items():
        headers[prefix + name] = value
    headers[f"{prefix}request-id"], headers[f"{prefix}id-2"] = call.ids
    headers["Date"] = http_date(call.now)
    headers["Connection"] = "close"
    headers["Server"] = "fakestore"
    return Reply(status, Headers(headers), b"" if call.received.method == "HEAD" else body, chunked)
