"""Passes a request to the store, and the reply of the store to the client."""

from __future__ import annotations

from contextlib import suppress

from cheroot.server import Gateway

from fakestore.clients.server.body import StreamedBody
from fakestore.clients.server.connection import Connection
from fakestore.clients.server.reply import pieces_to_send, render_head, text_reply
from fakestore.clients.server.request import parse_target
from fakestore.http.headers import Headers
from fakestore.http.integers import parse_integer
from fakestore.http.reply import ConnectionFailure, Delivery
from fakestore.http.request import LOOPBACK, Request
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.service.service import Service

#: How long the server keeps a connection open without an answer after ConnectTimeout or ReadTimeout, in seconds. The
#: client may close it earlier.
LONGEST_SILENCE = 60.0


class StoreGateway(Gateway):
    """Lets the store answer a request, and sends the reply."""

    def respond(self) -> None:
        """Answer the request that was read."""
        received, server = self.req, self.req.server
        received.sent_headers = True  # cheroot adds nothing to what is sent here
        fields, is_http10 = received.fields, received.is_http10
        try:
            scheme, host, target = parse_target(received.uri, fields, server.netloc if is_http10 else None)
        except ValueError as error:
            received.simple_response("400 Bad Request", str(error))
            return
        if received.method == b"CONNECT":
            received.simple_response("501 No proxy for https; use a base_url that begins with http://")
            return
        body = self._open_body(fields)
        request = Request(
            method=received.method.decode("latin-1"),
            scheme=scheme,
            host=host,
            target=target,
            headers=fields,
            body=b"" if body.is_complete else body,
            http_version="1.0" if is_http10 else "1.1",
            source_ip=received.conn.remote_addr or LOOPBACK,
        )
        delivery = self._answer(server.service, request, body)
        if isinstance(delivery, ConnectionFailure):
            self._fail(delivery, body)
        elif delivery.delay and not server.sleep(delivery.delay):
            received.close_connection = True
        else:
            self._send(delivery, body)

    def _open_body(self, fields: Headers) -> StreamedBody:
        """Return the body of the request, which has not been read yet."""
        connection: Connection = self.req.conn
        is_chunked = self.req.chunked_read
        length = None if is_chunked else parse_integer(fields.get("content-length", "0"))
        if length is None and not is_chunked:
            # The store refuses the invalid length. The connection ends, because the body has no known end, so the
            # server cannot find the beginning of the next request.
            length, connection.lingers = 0, True
        awaits_continue = not self.req.is_http10 and fields.get("expect", "").lower() == "100-continue"
        return StreamedBody(connection, length, awaits_continue=awaits_continue)

    def _answer(self, service: Service, request: Request, body: StreamedBody) -> Delivery | ConnectionFailure:
        """Return the answer of the store, or an error of the server if the store has no answer."""
        received = self.req
        try:
            delivery, exchange = service.answer(request)
            received.log_line(str(exchange))
            return delivery
        except UnsupportedRequest as error:  # which the service has recorded
            reply, reason = service.render_unsupported(request, error), f"UnsupportedRequest: {error}"
        except Exception as error:
            if error is body.error:
                received.log(f"no answer: reading the body raised {error!r}")
                raise
            service.unhandled_requests.append(error)
            reply = text_reply(request.method, 500, reason := f"fakestore failed with {error!r}")
        received.log(f"{reply.status}: {reason}")
        return Delivery(reply)

    def _fail(self, failure: ConnectionFailure, body: StreamedBody) -> None:
        """Reset the connection, or send nothing until the client closes it."""
        connection: Connection = self.req.conn
        body.drop()
        self.req.close_connection = True
        if failure is ConnectionFailure.RESET:
            connection.resets = True
        else:
            with suppress(OSError):
                connection.wait_for_end(LONGEST_SILENCE)

    def _send(self, delivery: Delivery, body: StreamedBody) -> None:
        """Send the reply, whole or up to a byte, and end the connection if the next request cannot follow."""
        reply, truncate_at = delivery.reply, delivery.truncate_at
        received, connection = self.req, self.req.conn
        is_chunked = "transfer-encoding" in reply.headers
        has_end = is_chunked or "content-length" in reply.headers or not reply.body
        if body.awaits_continue or body.error is not None:
            connection.lingers = True
        if truncate_at is not None or connection.lingers or not has_end:
            received.close_connection = True
        connection.socket.sendall(render_head(reply, is_http10=received.is_http10, closes=received.close_connection))
        content = reply.body if truncate_at is None else reply.body[:truncate_at]
        for piece in pieces_to_send(content):
            connection.socket.sendall(b"%x\r\n%b\r\n" % (len(piece), bytes(piece)) if is_chunked else piece)
        if is_chunked and truncate_at is None:
            connection.socket.sendall(b"0\r\n\r\n")
        if not connection.lingers:
            body.drop()
            if not body.is_complete:
                received.close_connection = connection.lingers = True
