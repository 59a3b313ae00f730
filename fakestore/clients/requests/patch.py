"""A store in front of every `requests` session of the process, while it is active."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from threading import RLock
from typing import Any
from urllib.parse import SplitResult, urlsplit

import requests
from requests.adapters import HTTPAdapter
from responses import RequestsMock

from fakestore.clients.requests.convert import is_for
from fakestore.clients.requests.send import send
from fakestore.service.service import Service

_Send = Callable[..., requests.Response]

#: Held while ``HTTPAdapter.send`` changes hands, for it is the whole process's.
_patching = RLock()


class UnexpectedRequest(requests.ConnectionError):
    """A request to a host that is not the store's, where nobody else answers and no network is allowed.

    Raised where the request was sent, and again on leaving the store if the code under test swallowed it, unless
    it was taken off ``store.unhandled_requests``.
    """


class Patch(RequestsMock):
    """Stands in ``HTTPAdapter.send`` for one store.

    A `RequestsMock`, so that it nests with any other; its one public seam before a body is read or a call is
    recorded is :meth:`unbound_on_send`, and nothing else of it is used.
    """

    def __init__(self, service: Service, *, allow_network: bool) -> None:
        super().__init__(assert_all_requests_are_fired=False)
        self._service = service
        self._allow_network = allow_network
        self._previous: _Send = HTTPAdapter.send
        self._active = False

    def start(self) -> None:
        """Begin to answer; whoever answered before is asked for what is not the store's."""
        with _patching:
            _take_off_closed()
            self._previous = HTTPAdapter.send
            self._active = True
            super().start()

    def stop(self, allow_assert: bool = True) -> None:
        """Stop answering. Where another patch was put on top and is still there, it is left in place, and this one
        forwards from now on: to tear it out would tear out the other as well. It goes as soon as a store that is
        started or stopped finds it on top.
        """
        with _patching:
            self._active = False
            _take_off_closed()

    def _take_off(self) -> None:
        super().stop()

    def _below(self) -> _Send:
        """Whoever is asked for what is not the store's; a closed store in between has no say."""
        send = self._previous
        while isinstance(patch := getattr(send, "patch", None), Patch) and not patch._active:
            send = patch._previous
        return send

    def unbound_on_send(self) -> Any:
        def fakestore_send(
            adapter: HTTPAdapter, request: requests.PreparedRequest, *args: Any, **kwargs: Any
        ) -> requests.Response:
            if not self._active:
                return self._below()(adapter, request, *args, **kwargs)
            url = urlsplit(str(request.url))
            if is_for(self._service.endpoint, url.scheme, url.netloc):
                timeout = kwargs.get("timeout") if len(args) < 2 else args[1]
                return send(self._service, adapter, request, timeout)
            below = self._below()
            if self._allow_network or not _is_network(below):
                return below(adapter, request, *args, **kwargs)
            unexpected = UnexpectedRequest(self._explain(request, url), request=request)
            self._service.unhandled_requests.append(unexpected)
            raise unexpected

        fakestore_send.patch = self  # type: ignore[attr-defined]  # tells a store's own send from others
        return fakestore_send

    def _explain(self, request: requests.PreparedRequest, url: SplitResult) -> str:
        endpoint = self._service.endpoint
        asked = f"{request.method} {request.url}: {url.netloc!r} is not a host of this store"
        if url.hostname is not None and endpoint.claims(url.scheme, url.hostname, endpoint.port):
            asked += f": the port is not that of {endpoint.netloc!r}."
        elif _near(url.hostname or "", endpoint.host):
            asked += f", though it is close to {endpoint.netloc!r}; is it a slip?"
        else:
            asked += "."
        return (
            f"{asked} It answers at {endpoint.netloc!r} and at '<bucket>.{endpoint.netloc}'; to let other requests go"
            " to the network, use fake_store(allow_network=True)"
        )


def _take_off_closed() -> None:
    """Take off the patches on top whose stores are closed."""
    while isinstance(patch := getattr(HTTPAdapter.send, "patch", None), Patch) and not patch._active:
        patch._take_off()


def _is_network(previous: _Send) -> bool:
    """Whether this is `requests`' own method, which nobody has patched."""
    return getattr(previous, "__module__", None) == HTTPAdapter.__module__


def _near(host: str, ours: str) -> bool:
    return host.endswith(ours) or SequenceMatcher(None, host[-len(ours) :], ours).ratio() > 0.75
