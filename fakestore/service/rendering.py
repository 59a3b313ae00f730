"""Rendering: results and errors as replies in the dialect."""

from __future__ import annotations

from collections.abc import Mapping

from fakestore.errors import METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.http.headers import Headers
from fakestore.http.reply import Delivery, Reply
from fakestore.http.values import http_date
from fakestore.model.content import Content, content_size
from fakestore.operations.framework.call import RequestContext
from fakestore.operations.framework.result import render_error
from fakestore.xml.document import render as render_document

#: Replies with these statuses have no body, and so no length.
_WITHOUT_LENGTH = (204, 304)


def render(context: RequestContext) -> None:
    """Render the result of the operation as the reply."""
    result = context.result
    body = result.body if result.document is None else render_document(result.document, context.dialect.xml_namespace)
    headers = dict(result.headers)
    if result.chunked:
        if context.received.http_version != "1.0":
            headers["Transfer-Encoding"] = "chunked"
    elif result.status not in _WITHOUT_LENGTH:
        headers["Content-Length"] = str(content_size(body))
    reply = _reply(context, result.status, headers, result.service_headers, body, chunked=result.chunked)
    context.delivery = Delivery(reply)


def refuse(context: RequestContext, error: ErrorResponse) -> None:
    """Render an error of the service as the reply. Its document may name the resource.

    MethodNotAllowed allows DELETE. The reply to HEAD has no body, and does not announce one. [errors-to-head]
    """
    # A traceback refers to the frames that hold the call, and a cycle would keep the body alive.
    context.error = error.with_traceback(None)
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if error.error is METHOD_NOT_ALLOWED:
        headers["Allow"] = "DELETE"
    received, named = context.received, context.named
    resource = received.target.partition("?")[0] if named is None else named.resource
    shown = resource if context.semantics.errors_name_resource else None
    body = render_error(error, shown, context.ids, method=received.method)
    if received.method != "HEAD":
        headers["Content-Length"] = str(len(body))
    context.delivery = Delivery(_reply(context, error.error.status, headers, error.service_headers, body))


def _reply(
    context: RequestContext,
    status: int,
    headers: dict[str, str],
    service_headers: Mapping[str, str],
    body: Content,
    *,
    chunked: bool = False,
) -> Reply:
    """Add what every reply carries. The reply to HEAD loses its body."""
    if body and "Content-Type" not in headers:
        headers["Content-Type"] = context.dialect.xml_content_type
    prefix = context.dialect.header_prefix
    for name, value in service_headers.items():
        headers[prefix + name] = value
    headers[f"{prefix}request-id"], headers[f"{prefix}id-2"] = context.ids
    headers["Date"] = http_date(context.now)
    headers["Connection"] = "close"
    headers["Server"] = "fakestore"
    return Reply(status, Headers(headers), b"" if context.received.method == "HEAD" else body, chunked)
