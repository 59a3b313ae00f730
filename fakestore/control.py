"""The requests that control the server of the command: they check it, reset its store, and read a report."""

from __future__ import annotations

from collections.abc import Callable

from fakestore.clients.server_messages import text_reply
from fakestore.errors import UnsupportedRequest
from fakestore.http.message import Reply, Request
from fakestore.service.service import Service

#: The beginning of the paths of requests that control the server. No bucket can have this name.
PREFIX = "/_fakestore/"
#: The method of each request below this path.
_METHODS = {"health": "GET", "reset": "POST", "report": "GET"}


def answer_control(service: Service, reset: Callable[[], object], request: Request) -> Reply | None:
    """Return the reply to a request that controls the server, or None if it is a request to the store.

    The store does not record it. `reset` puts the store back into the state in which the server started.
    """
    path = request.target.partition("?")[0]
    if not path.startswith(PREFIX) or _names_bucket(service, request):
        return None
    name = path.removeprefix(PREFIX)
    if name not in _METHODS:
        known = ", ".join(f"{method} {PREFIX}{name}" for name, method in _METHODS.items())
        return text_reply(request.method, 404, f"{path} is unknown; expected one of {known}")
    if _METHODS[name] != ("GET" if request.method == "HEAD" else request.method):
        reply = text_reply(request.method, 405, f"Send {_METHODS[name]} {path}")
        return reply.with_headers({"Allow": _METHODS[name]})
    if name == "report":
        from fakestore.api.page import render_page  # imported here, because it imports lxml

        return text_reply(request.method, 200, render_page(service), "text/html")
    if name == "reset":
        reset()
    return text_reply(request.method, 200, "ok")


def _names_bucket(service: Service, request: Request) -> bool:
    """Return whether the host names a bucket, so that the path is a key."""
    try:
        return service.endpoint.bucket_of_host(request) is not None
    except UnsupportedRequest:  # not a host of the store, for example the host of a health check
        return False
