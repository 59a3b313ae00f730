"""How `requests` reaches a store: one patch for all active stores, or an adapter that a session mounts.

Retries, timeouts and failures behave as on a real connection. `Signer` signs requests as an account of the store.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from http.client import HTTPException
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

import requests
import requests.adapters
from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3 import HTTPResponse, exceptions
from urllib3.util import Retry, Timeout
from urllib3.util.request import set_file_position

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, find_target, is_at_parent, is_for, patching
from fakestore.clients.unexpected import note_unexpected, refuse_if_left
from fakestore.clients.urllib3 import passing_on
from fakestore.clients.wire import connection_reset, make_headers, make_request, response_of, send_unread
from fakestore.errors import ErrorResponse, UnsupportedRequest
from fakestore.http.message import ConnectionFailure, Request
from fakestore.messages import PLANNED_FAULT
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
        url = split_url(prepared)
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
        if find_target((self._target,), split_url(request)) is not None:
            return send(self._target, self, request, *args, **kwargs)
        return super().send(request, *args, **kwargs)

    def __getstate__(self) -> NoReturn:  # the adapter of `requests` would be pickled without the store
        self._target.service.__reduce__()

    def __deepcopy__(self, memo: Any) -> StoreAdapter:
        # `HTTPAdapter` copies only the attributes that it knows.
        return StoreAdapter(self._target, deepcopy(self.max_retries, memo))


def split_url(prepared: PreparedRequest) -> SplitResult:
    # With these arguments, urlsplit has the URL in its cache: requests has just parsed it, by urlparse.
    return urlsplit(str(prepared.url), "", True)


def request_of(prepared: PreparedRequest, adapter: HTTPAdapter | None = None) -> Request:
    """Return the request as `requests` would send it by an adapter. The adapter is None if it is not sent yet."""
    url = split_url(prepared)
    if adapter is not None and url.path.startswith("//"):  # the adapters of some versions send the slashes as one
        url = url._replace(path=adapter.request_url(prepared, {}).partition("?")[0])
    return make_request(prepared.method or "GET", url, make_headers(prepared.headers.items()), prepared.body)


def send(
    target: Target, adapter: HTTPAdapter, prepared: PreparedRequest, *args: Any, **kwargs: Any
) -> requests.Response:
    """Send a request to the store instead of the network. Arguments and result are those of ``HTTPAdapter.send``."""
    __tracebackhide__ = True
    limits = _parse_timeout(kwargs.get("timeout") if len(args) < 2 else args[1])
    try:
        response = _send_with_retries(target, adapter, prepared, limits)
    except exceptions.MaxRetryError as error:
        if isinstance(error.reason, exceptions.ConnectTimeoutError):
            raise requests.ConnectTimeout(error, request=prepared) from error
        if isinstance(error.reason, exceptions.ResponseError):
            raise requests.exceptions.RetryError(error, request=prepared) from error
        if isinstance(error.reason, exceptions.ProxyError):
            raise requests.exceptions.ProxyError(error, request=prepared) from error
        if isinstance(error.reason, exceptions.SSLError):
            raise requests.exceptions.SSLError(error, request=prepared) from error
        raise requests.ConnectionError(error, request=prepared) from error
    except exceptions.ReadTimeoutError as error:
        raise requests.ReadTimeout(error, request=prepared) from error
    except exceptions.SSLError as error:
        raise requests.exceptions.SSLError(error, request=prepared) from error
    except exceptions.ProxyError as error:
        raise requests.exceptions.ProxyError(error) from error
    except exceptions.ProtocolError as error:
        raise requests.ConnectionError(error, request=prepared) from error
    return adapter.build_response(prepared, response)


#: The errors after which urllib3 retries a request.
_RETRIED = (exceptions.TimeoutError, exceptions.ProtocolError, exceptions.SSLError, exceptions.ProxyError)


def _send_with_retries(
    target: Target, adapter: HTTPAdapter, prepared: PreparedRequest, limits: Timeout
) -> HTTPResponse:
    """Send a request until its reply is not retried, or no retry is left, like ``urlopen`` of urllib3."""
    __tracebackhide__ = True
    method, retries = str(prepared.method), adapter.max_retries
    position: Any = None
    while True:
        position = set_file_position(prepared.body, position)
        try:
            response = _send_once(target, adapter, prepared, limits)
        except _RETRIED as error:
            retries = retries.increment(method, prepared.url, error=error)
            _back_off(target, retries, None)
            continue
        if not retries.is_retry(method, response.status, "retry-after" in response.headers):
            return response
        try:
            retries = retries.increment(method, prepared.url, response=response)
        except exceptions.MaxRetryError:
            if retries.raise_on_status:
                raise
            return response
        _back_off(target, retries, response)


def _parse_timeout(argument: Any) -> Timeout:
    """Convert a timeout as `requests` does. Refuse an invalid timeout with its message."""
    if isinstance(argument, Timeout):
        return argument
    if not isinstance(argument, tuple):
        return Timeout(connect=argument, read=argument)
    try:
        connect, read = argument
        return Timeout(connect=connect, read=read)
    except ValueError:
        raise ValueError(
            f"Invalid timeout {argument}. Pass a (connect, read) timeout tuple, or a single float to set both timeouts"
            " to the same value."
        ) from None


def _send_once(target: Target, adapter: HTTPAdapter, prepared: PreparedRequest, limits: Timeout) -> HTTPResponse:
    __tracebackhide__ = True
    request = request_of(prepared, adapter)
    try:
        outcome, _ = target.service.answer(request)
        if outcome is ConnectionFailure.CONNECT_TIMEOUT:
            raise exceptions.ConnectTimeoutError(None, f"Connection to the store timed out. ({PLANNED_FAULT})")
        send_unread(request)
        if outcome is ConnectionFailure.RESET:
            raise connection_reset()
    except (OSError, HTTPException) as error:
        raise exceptions.ProtocolError("Connection aborted.", error) from error
    limits = limits.clone()
    limits.start_connect()  # like a connection, because a total timeout counts from here
    delivery = target.await_reply(outcome, limits.read_timeout)
    if delivery is None:
        raise exceptions.ReadTimeoutError(None, "", f"Read timed out. ({PLANNED_FAULT})")  # type: ignore[arg-type]
    return response_of(delivery, request, request.target)


def _back_off(target: Target, retries: Retry, response: HTTPResponse | None) -> None:
    """Wait as :meth:`urllib3.util.Retry.sleep` does, by the store's own function if it has one."""
    if target.sleep is None:
        retries.sleep(response)
        return
    seconds = None
    if response is not None and retries.respect_retry_after_header:
        seconds = retries.get_retry_after(response)
    seconds = seconds or retries.get_backoff_time()
    if seconds > 0:
        target.wait(seconds)


_Send = Callable[..., requests.Response]


class _Patch:
    """The replacement of `HTTPAdapter.send` for some stores.

    Stores share one patch, unless another mock was started between them.
    """

    def __init__(self) -> None:
        #: The stores that it serves, innermost last.
        self.targets: tuple[Target, ...] = ()
        self.replacement = Replacement(HTTPAdapter, "send", self._make_send)
        self.replacement.put_in_place()

    def _make_send(self, below: _Send) -> _Send:
        def fakestore_send(
            adapter: HTTPAdapter, request: PreparedRequest, *args: Any, **kwargs: Any
        ) -> requests.Response:
            __tracebackhide__ = True
            targets = self.targets
            url = split_url(request)
            target = find_target(targets, url)
            if target is not None:
                return send(target, adapter, request, *args, **kwargs)
            if not targets or targets[0].allow_network or not _is_network(below) or is_at_parent(url):
                with passing_on():  # also if another library has patched urllib3 on top
                    return below(adapter, request, *args, **kwargs)
            recorded = request.copy()
            recorded.body = None
            raise note_unexpected(targets[0], url, recorded)

        return fakestore_send


#: The patches that are in place, in order of their start.
_patches: list[_Patch] = []


def install(target: Target) -> None:
    """Let a store answer requests to its hosts, before all stores and mocks that were started earlier."""
    with patching:
        _remove_unused()
        if not _patches or not _patches[-1].replacement.is_on_top:
            _patches.append(_Patch())
        _patches[-1].targets += (target,)


def uninstall(target: Target) -> None:
    """Stop answering for a store."""
    with patching:
        for patch in _patches:
            patch.targets = tuple(each for each in patch.targets if each is not target)
        _remove_unused()


def _remove_unused() -> None:
    """Remove the patches without stores. Below some mocks such a patch stays until later, and only forwards."""
    for patch in reversed(_patches.copy()):
        if not patch.targets and patch.replacement.remove():
            _patches.remove(patch)


def _is_network(send: _Send) -> bool:
    """Return whether `send` is the function of `requests` itself.

    The module of the function shows this. A saved reference does not, because a mock may replace the function before
    this module is imported.
    """
    return getattr(send, "__globals__", None) is vars(requests.adapters)
