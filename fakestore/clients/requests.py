"""How `requests` reaches a store: one patch for all active stores, or an adapter that a session mounts.

The adapter of `requests` itself sends a request to the store, through a pool whose connections lead to the store. So
retries, timeouts and errors are those of the library. `Signer` signs requests as an account of the store.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy, deepcopy
from inspect import unwrap
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

import requests
from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from responses import RequestsMock
from urllib3.util import Retry

from fakestore.clients import moto
from fakestore.clients.decision import SCHEMES, check_allowed
from fakestore.clients.replacement import Replacement
from fakestore.clients.responses import EVERY_URL, NotAnswered, has_response_for, on_stop, real_send, watched
from fakestore.clients.target import Target, active, find_target, is_for, patching
from fakestore.clients.unexpected import UnexpectedRequest, refuse_if_left
from fakestore.clients.urllib3 import StorePool, passing_on
from fakestore.clients.wire import make_headers, make_request
from fakestore.errors import ErrorResponse, UnsupportedRequest
from fakestore.http.message import Request
from fakestore.model.accounts import Account
from fakestore.protocol.addressing import parse_address


class Signer(AuthBase):
    """Adds ``Authorization``. Adds ``Date``, unless the request has it or the dialect's own date header.

    Requests to other hosts are not changed. Requests to a store that was left are refused.
    """

    def __init__(self, target: Target, account: Account) -> None:
        self._target = target
        self._account = account

    def __call__(self, prepared: PreparedRequest) -> PreparedRequest:
        __tracebackhide__ = True
        service = self._target.service
        url = split_url(prepared.url)
        if not is_for(service.endpoint, url.scheme, url.netloc):
            return prepared
        refuse_if_left(self._target.reach, prepared.method, url)
        request = request_of(prepared)
        try:
            address = parse_address(request, service.endpoint)
        except (ErrorResponse, UnsupportedRequest):
            # It cannot be signed. The store explains this when the request is sent.
            return prepared
        prepared.headers.update(service.sign(request, address, self._account))
        return prepared

    def __repr__(self) -> str:
        return f"<signs as {self._account.display_name} for {self._target.service.origin}>"

    def __deepcopy__(self, memo: Any) -> Signer:
        return self  # the copy of a session signs for the same store


class StoreAdapter(HTTPAdapter):
    """Answers requests to the store. Requests to other hosts are sent as by any `HTTPAdapter`."""

    def __init__(self, target: Target, max_retries: Any = 0) -> None:
        super().__init__(max_retries=max_retries)
        self._target = target

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        __tracebackhide__ = True
        if find_target((self._target,), split_url(request.url)) is not None:
            return send_to_store(self._target, self, request, *args, **kwargs)
        return super().send(request, *args, **kwargs)

    def __getstate__(self) -> NoReturn:  # the adapter of `requests` would be pickled without the store
        self._target.service.__reduce__()

    def __deepcopy__(self, memo: Any) -> StoreAdapter:
        # `HTTPAdapter` copies only the attributes that it knows.
        return StoreAdapter(self._target, deepcopy(self.max_retries, memo))


def split_url(url: str | None) -> SplitResult:
    # With these arguments, urlsplit has the URL in its cache: requests has just parsed it, by urlparse.
    return urlsplit(str(url), "", True)


def request_of(prepared: PreparedRequest) -> Request:
    """Return the request as `requests` would send it."""
    url, headers = split_url(prepared.url), make_headers(prepared.headers.items())
    return make_request(prepared.method or "GET", url, headers, prepared.body)


class _AdapterToStore:
    """An adapter of a client, but with connections that lead to a store."""

    def __init__(self, adapter: HTTPAdapter, target: Target) -> None:
        self._adapter = adapter
        self._target = target

    def get_connection_with_tls_context(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> StorePool:
        return self.get_connection(request.url)

    def get_connection(self, url: str | None, *args: Any) -> StorePool:  # of `requests` before 2.32
        parts = split_url(url)
        return StorePool(self._target, parts.scheme, parts.hostname or "", parts.port)

    def cert_verify(self, *args: object) -> None:
        """Do nothing: a store has no certificate."""

    def request_url(self, request: PreparedRequest, proxies: object) -> str:
        return self._adapter.request_url(request, {})

    @property
    def max_retries(self) -> Retry:
        retries: Retry = self._adapter.max_retries
        return retries if self._target.sleep is None else waiting_by(self._target.wait, retries)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)


def send_to_store(
    target: Target, adapter: HTTPAdapter, request: PreparedRequest, *args: Any, **kwargs: Any
) -> requests.Response:
    """Send a request to a store instead of the network. Arguments and result are those of ``HTTPAdapter.send``."""
    __tracebackhide__ = True
    return real_send(_AdapterToStore(adapter, target), request, *args, **kwargs)


def waiting_by(wait: Callable[[float], object], retries: Retry) -> Retry:
    """Return the same retries, which wait by a function."""

    class Waiting(type(retries)):  # type: ignore[misc]
        def sleep(self, response: Any = None) -> None:
            after = self.get_retry_after(response) if response and self.respect_retry_after_header else None
            if seconds := after or self.get_backoff_time():
                wait(seconds)

    copied = retries.new()
    copied.__class__ = Waiting
    return copied


def send_to_network(adapter: HTTPAdapter, request: PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
    """Send a request that was allowed, so that the patch of urllib3 does not refuse it."""
    with passing_on():
        return real_send(adapter, request, *args, **kwargs)


_Send = Callable[..., requests.Response]


class _Patch:
    """The replacement of `HTTPAdapter.send` for some stores.

    Stores share one patch, unless another mock was started between them. The patch is not one that a `RequestsMock`
    starts and stops: if it is stopped before a mock that was started later, it would remove that mock, and the later
    stop would put the patch back for ever.
    """

    def __init__(self) -> None:
        #: The stores that it serves, innermost last.
        self.targets: tuple[Target, ...] = ()
        self.replacement = Replacement(HTTPAdapter, "send", self._make_send)
        self.replacement.put_in_place()

    def _make_send(self, below: Callable[..., requests.Response]) -> Callable[..., requests.Response]:
        is_mock = unwrap(below) is not real_send

        def fakestore_send(
            adapter: HTTPAdapter, request: PreparedRequest, *args: Any, **kwargs: Any
        ) -> requests.Response:
            __tracebackhide__ = True
            targets, url = self.targets, split_url(request.url)
            target = find_target(targets, url)
            if target is not None:
                return send_to_store(target, adapter, request, *args, **kwargs)
            if url.scheme in SCHEMES:
                for stubs in (each.responses for each in reversed(targets)):
                    if stubs.is_used:
                        with suppress(NotAnswered):
                            return stubs.unbound_on_send()(adapter, request, *args, **kwargs)
            check_allowed(targets, request.method, url, is_mocked=is_mock, request=request)
            if is_mock and moto.is_active():
                return _send_below_moto(below, adapter, request, *args, **kwargs)
            with passing_on():  # also if another library has patched urllib3 on top
                return below(adapter, request, *args, **kwargs)

        return fakestore_send


def _send_below_moto(below: Callable[..., requests.Response], *args: Any, **kwargs: Any) -> requests.Response:
    """Send a request to the mocks below, one of which may be moto. The patch of urllib3 refuses what moto lets pass."""
    __tracebackhide__ = True
    try:
        return below(*args, **kwargs)
    except requests.ConnectionError as error:  # `requests` has wrapped the refusal, which is an OSError, too
        if error.args and isinstance(error.args[0], UnexpectedRequest):
            raise error.args[0] from None
        raise


def _make_unbound_on_send(original: Callable[[RequestsMock], _Send]) -> Callable[[RequestsMock], _Send]:
    """Let a mock that starts while a store is entered leave it the requests for which the mock has no response."""

    def fakestore_unbound_on_send(mock: RequestsMock) -> _Send:
        send = original(mock)

        def fakestore_send(
            adapter: HTTPAdapter, request: PreparedRequest, *args: Any, **kwargs: Any
        ) -> requests.Response:
            __tracebackhide__ = True
            url = split_url(request.url)
            target = find_target(tuple(active), url)
            if target is None:
                return send(adapter, request, *args, **kwargs)
            if not has_response_for(mock, url):
                return send_to_store(target, adapter, request, *args, **kwargs)
            target.reach.is_mocked = True
            passing = copy(mock)
            passing.passthru_prefixes = (EVERY_URL,)
            return original(passing)(_AdapterToStore(adapter, target), request, *args, **kwargs)

        return fakestore_send

    return fakestore_unbound_on_send


_mocks = Replacement(RequestsMock, "unbound_on_send", _make_unbound_on_send)

#: The patches that are in place, in order of their start.
_patches: list[_Patch] = []


def install(target: Target) -> None:
    """Let a store answer requests to its hosts, before all stores and mocks that were started earlier."""
    with patching:
        _tidy()
        if not _patches or not _patches[-1].replacement.is_on_top:
            _patches.append(_Patch())
        _patches[-1].targets += (target,)
        watched.put_in_place()
        _mocks.put_in_place()


def uninstall(target: Target) -> None:
    """Stop answering for a store."""
    with patching:
        for patch in _patches:
            patch.targets = tuple(each for each in patch.targets if each is not target)
        _tidy()


def _tidy(*_: object) -> None:
    """Remove patches without stores, and serve the stores of a patch that another mock has removed.

    A mock that ends puts back the function that it replaced. If it was started before a store, this removes the patch
    of the store. If it outlives a store, this puts back a patch without stores, which only forwards.
    """
    with patching:
        on_top = (number for number, patch in enumerate(_patches, 1) if patch.replacement.is_on_top)
        kept = 0 if HTTPAdapter.send is real_send else next(on_top, len(_patches))
        targets = tuple(target for patch in _patches[kept:] for target in patch.targets)
        del _patches[kept:]
        if targets:
            if not _patches:
                _patches.append(_Patch())
            _patches[-1].targets += targets
        for patch in reversed(_patches.copy()):
            if not patch.targets and patch.replacement.remove():
                _patches.remove(patch)
        if not _patches:
            watched.remove()
            _mocks.remove()


def _put_on_top() -> None:
    """Let the stores answer before a moto that has just started, as if they had been entered inside it."""
    with patching:
        if _patches and not _patches[-1].replacement.is_on_top:
            targets = tuple(target for patch in _patches for target in patch.targets)
            for patch in _patches:
                patch.targets = ()
            _patches.append(_Patch())
            _patches[-1].targets = targets


on_stop.append(_tidy)
moto.moto_started.append(_put_on_top)
