"""The requests that control the server: check it, reset it, and report on its requests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from fakestore.api.store import FakeStore
from fakestore.errors import UnsupportedRequest
from fakestore.http.message import Headers, Reply, Request

#: The beginning of their paths. No bucket can have this name.
PREFIX = "/_fakestore/"


class Control:
    """Answers the requests that control the server. They are not requests to the store, so it does not record them.

    Args:
        store: The store.
        reset: Puts the store back into the state in which the server started.
    """

    def __init__(self, store: FakeStore, reset: Callable[[], object]) -> None:
        self._store = store
        self._reset = reset
        self._answers = {
            ("GET", "health"): lambda: _text(200, "ok"),
            ("POST", "reset"): self._answer_reset,
            ("GET", "report"): self._answer_report,
        }

    def __call__(self, request: Request) -> Reply | None:
        """Return the reply to a request, or None if it is a request to the store."""
        path = request.target.partition("?")[0]
        if not path.startswith(PREFIX) or self._names_bucket(request):
            return None
        name, method = path.removeprefix(PREFIX), "GET" if request.method == "HEAD" else request.method
        answer = self._answers.get((method, name))
        if answer is not None:
            reply = answer()
            return Reply(reply.status, reply.headers) if request.method == "HEAD" else reply
        allowed = next((each for each, known in self._answers if known == name), None)
        if allowed is not None:
            return _text(405, f"Send {allowed} {path}").with_headers({"Allow": allowed})
        known = ", ".join(f"{each} {PREFIX}{name}" for each, name in self._answers)
        return _text(404, f"{path} is unknown; expected one of {known}")

    def _names_bucket(self, request: Request) -> bool:
        """Return whether the host names a bucket, so that the path is a key."""
        try:
            return self._store._service.endpoint.bucket_of_host(request.scheme, request.host) is not None
        except UnsupportedRequest:  # not a host of the store, for example the host of a health check
            return False

    def _answer_reset(self) -> Reply:
        self._reset()
        return _text(200, "ok")

    def _answer_report(self) -> Reply:
        with TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            self._store.to_html(page)
            return _reply(200, page.read_bytes(), "text/html; charset=utf-8")


def _text(status: int, text: str) -> Reply:
    return _reply(status, f"{text}\n".encode(), "text/plain; charset=utf-8")


def _reply(status: int, body: bytes, content_type: str) -> Reply:
    return Reply(status, Headers({"Content-Type": content_type, "Content-Length": str(len(body))}), body)
