"""One request of `requests`, sent to a store: retries, timeouts and failures behave as on a real connection."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, ProtocolError, ReadTimeoutError
from urllib3.util import Retry, Timeout
from urllib3.util.request import set_file_position

from fakestore.clients.requests.convert import request_of
from fakestore.clients.target import Target
from fakestore.clients.wire import response_of, send_unread
from fakestore.http.reply import ConnectionFailure, Delivery
from fakestore.http.request import Request
from fakestore.messages import PLANNED_FAULT

#: The timeout of a request that has none. Made once, because most requests have none.
_NO_TIMEOUT = Timeout(connect=None, read=None)


def send(target: Target, adapter: HTTPAdapter, prepared: requests.PreparedRequest, timeout: Any) -> requests.Response:
    """Return what ``HTTPAdapter.send`` returns, with the store at the other end.

    Raises:
        UnsupportedRequest: If the fake does not support what the request asks for.
        requests.RequestException: If a fault fails the connection, as `requests` raises it.
        urllib3.exceptions.UnrewindableBodyError: If a retry is due and the body cannot be rewound.
        ValueError: If the timeout is invalid, as `requests` raises it.
    """
    __tracebackhide__ = True
    limits = _parse_timeout(timeout)
    retries: Retry = adapter.max_retries
    position: Any = None
    while True:
        position = set_file_position(prepared.body, position)
        try:
            delivery, request = _send_once(target, adapter, prepared, limits)
        except HTTPError as failure:
            retries = _remaining_retries(retries, prepared, failure)
            _back_off(target, retries, None)
            continue
        reply, raw = delivery.reply, response_of(delivery, request, request.target)
        if not retries.is_retry(request.method, reply.status, "retry-after" in raw.headers):
            return adapter.build_response(prepared, raw)
        try:
            retries = retries.increment(request.method, prepared.url, response=raw)
        except MaxRetryError as failure:
            if retries.raise_on_status:
                raise requests.exceptions.RetryError(failure, request=prepared) from failure
            return adapter.build_response(prepared, raw)
        _back_off(target, retries, raw)


def timeout_argument(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the timeout from the arguments of ``HTTPAdapter.send`` that follow the request."""
    return kwargs.get("timeout") if len(args) < 2 else args[1]


def _parse_timeout(argument: Any) -> Timeout:
    """Return what `requests` makes of a timeout, and refuse an invalid one in its words."""
    if argument is None:
        return _NO_TIMEOUT
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


def _send_once(
    target: Target, adapter: HTTPAdapter, prepared: requests.PreparedRequest, limits: Timeout
) -> tuple[Delivery, Request]:
    """Send the request once.

    Raises:
        urllib3.exceptions.HTTPError: If the connection fails.
    """
    __tracebackhide__ = True
    request = request_of(prepared, adapter)
    try:
        delivery, _ = target.service.answer(request)
        if delivery is not ConnectionFailure.CONNECT_TIMEOUT:
            send_unread(request)
    except OSError as error:
        raise ProtocolError("Connection aborted.", error) from error
    if isinstance(delivery, ConnectionFailure):
        raise _error_of(delivery)
    if delivery.delay:
        limits = limits.clone()
        limits.start_connect()  # as a connection does: a total timeout counts from here
        if not target.is_in_time(delivery.delay, limits.read_timeout):
            raise _error_of(ConnectionFailure.READ_TIMEOUT)
    return delivery, request


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


def _error_of(failure: ConnectionFailure) -> HTTPError:
    if failure is ConnectionFailure.CONNECT_TIMEOUT:
        return ConnectTimeoutError(None, f"Connection to the store timed out. ({PLANNED_FAULT})")
    if failure is ConnectionFailure.READ_TIMEOUT:
        return ReadTimeoutError(None, "", f"Read timed out. ({PLANNED_FAULT})")  # type: ignore[arg-type]
    reset = ConnectionResetError(errno.ECONNRESET, f"Connection reset by peer ({PLANNED_FAULT})")
    return ProtocolError("Connection aborted.", reset)


def _remaining_retries(retries: Retry, prepared: requests.PreparedRequest, failure: HTTPError) -> Retry:
    """Return the retries that are left after `failure`.

    Raises:
        requests.RequestException: If none are left.
    """
    __tracebackhide__ = True
    try:
        return retries.increment(prepared.method, prepared.url, error=failure)
    except MaxRetryError as error:
        if isinstance(error.reason, ConnectTimeoutError):
            raise requests.ConnectTimeout(error, request=prepared) from error
        raise requests.ConnectionError(error, request=prepared) from error
    except ReadTimeoutError as error:
        raise requests.ReadTimeout(error, request=prepared) from error
    except ProtocolError as error:
        raise requests.ConnectionError(error, request=prepared) from error
