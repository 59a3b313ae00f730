"""The mocks of the library `responses`: the mock of each store, and the mocks that a test starts itself.

A mock of `responses` replaces `HTTPAdapter.send`, and moto has such a mock, too. When one ends while a store is
entered, `requests.py` learns it here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import signature
from typing import Any
from urllib.parse import SplitResult, urlsplit

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from responses import RequestsMock

from fakestore.clients import moto
from fakestore.clients.replacement import Replacement

#: `HTTPAdapter.send` of `requests` itself, even if this module is imported while a mock is active.
real_send: Callable[..., Response] = signature(RequestsMock).parameters["real_adapter_send"].default

#: Is called when a mock of the test, or of moto, has ended.
on_stop: list[Callable[[RequestsMock], None]] = []

EVERY_URL = re.compile("")


class NotAnswered(Exception):
    """No response of a store's mock is for a request."""


class StoreResponses(RequestsMock):
    """Answers requests of `requests` to other hosts while its store is entered. It needs no start.

    A request without a response goes on to the mocks around the store.

    Args:
        pass_on: Sends a request that the test lets pass.
    """

    def __init__(self, pass_on: Callable[..., Response]) -> None:
        self._pass_on = pass_on
        super().__init__(real_adapter_send=self._pass)  # type: ignore[arg-type]  # it passes on what it does not know
        self.reset()

    def start(self) -> None:
        """Do nothing: the store has started it."""

    def reset(self) -> None:
        """Forget the responses, the calls and the prefixes of :meth:`add_passthru`."""
        super().reset()
        self.passthru_prefixes = (EVERY_URL,)

    @property
    def is_used(self) -> bool:
        return bool(self.registered()) or len(self.passthru_prefixes) > 1

    def _pass(self, adapter: HTTPAdapter, request: PreparedRequest, **kwargs: Any) -> Response:
        by_response = any(each.passthrough and each.matches(request)[0] for each in self.registered())
        if by_response or _passes(self, str(request.url)):
            return self._pass_on(adapter, request, **kwargs)
        raise NotAnswered


def has_response_for(mock: RequestsMock, url: SplitResult) -> bool:
    """Return whether a response of a mock may be for a URL, or for another one at its host."""
    return any(
        urlsplit(each.url).hostname == url.hostname if isinstance(each.url, str) else each.url.match(url.geturl())
        for each in mock.registered()
    )


def is_passed_by_moto(mock: object, url: SplitResult) -> bool:
    """Return whether a mock is moto's, which lets all unknown hosts pass. A prefix that the test has added counts."""
    return isinstance(mock, RequestsMock) and moto.is_moto(mock) and not _passes(mock, url.geturl(), unless="http")


def _passes(mock: RequestsMock, url: str, unless: object = EVERY_URL) -> bool:
    """Return whether `add_passthru` of a mock lets a URL pass. The prefix `unless` does not count."""
    return any(
        url.startswith(prefix) if isinstance(prefix, str) else prefix.match(url) is not None
        for prefix in mock.passthru_prefixes
        if prefix != unless
    )


def _make_stop(original: Any) -> Any:
    def fakestore_stop(mock: RequestsMock, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        try:
            original(mock, *args, **kwargs)
        finally:
            for call in on_stop:
                call(mock)

    return fakestore_stop


watched = Replacement(RequestsMock, "stop", _make_stop)
