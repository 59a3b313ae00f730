"""The arrival of a request, and rendering: results and errors as replies in the dialect."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from fakestore.documents.error import render_error
from fakestore.documents.shape import render
from fakestore.http.dates import http_date
from fakestore.http.headers import Headers
from fakestore.http.reply import Reply
from fakestore.http.request import Request
from fakestore.model.content import Content, content_size
from fakestore.model.errors import METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.operations.core.context import ReplyIds
from fakestore.operations.core.result import Result
from fakestore.protocol.dialect import Dialect

#: Replies with these statuses have no body, and so no length.
_WITHOUT_LENGTH = (204, 304)


class Arrival(NamedTuple):
    """A request that has arrived, with everything else that its reply depends on, whatever its result is.

    Args:
        request: The request.
        now: The time at which it arrived.
        ids: The ids of its reply.
        dialect: How the service names things.
    """

    request: Request
    now: datetime
    ids: ReplyIds
    dialect: Dialect

    def render(self, result: Result) -> Reply:
        """Return the reply for a result."""
        body = result.body if result.document is None else render(result.document, self.dialect.xml_namespace)
        headers = dict(result.headers)
        if result.chunked:
            if self.request.http_version != "1.0":
                headers["Transfer-Encoding"] = "chunked"
        elif result.status not in _WITHOUT_LENGTH:
            headers["Content-Length"] = str(content_size(body))
        return self._reply(result.status, headers, result.service_headers, body, chunked=result.chunked)

    def render_error(self, error: ErrorResponse, resource: str) -> Reply:
        """Return the reply for an error of the service, whose document may name `resource`.

        MethodNotAllowed allows DELETE. The reply to HEAD has no body, and does not announce one. [errors-to-head]
        """
        headers = {}
        if error.retry_after is not None:
            headers["Retry-After"] = str(error.retry_after)
        if error.error is METHOD_NOT_ALLOWED:
            headers["Allow"] = "DELETE"
        named = resource if self.dialect.semantics.errors_name_resource else None
        body = render_error(error, named, self.ids, method=self.request.method)
        if self.request.method != "HEAD":
            headers["Content-Length"] = str(len(body))
        return self._reply(error.error.status, headers, error.service_headers, body)

    def _reply(
        self,
        status: int,
        headers: dict[str, str],
        service_headers: Mapping[str, str],
        body: Content,
        *,
        chunked: bool = False,
    ) -> Reply:
        """Add what every reply carries. The reply to HEAD loses its body."""
        if body and "Content-Type" not in headers:
            headers["Content-Type"] = self.dialect.xml_content_type
        prefix = self.dialect.header_prefix
        for name, value in service_headers.items():
            headers[prefix + name] = value
        headers[f"{prefix}request-id"], headers[f"{prefix}id-2"] = self.ids
        headers["Date"] = http_date(self.now)
        headers["Connection"] = "close"
        headers["Server"] = "fakestore"
        return Reply(status, Headers(headers), b"" if self.request.method == "HEAD" else body, chunked)
