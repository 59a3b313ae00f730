"""One request of `requests`, sent to a store: retries, timeouts and failures as on a real connection."""

from __future__ import annotations

import time
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    MaxRetryError,
    ProtocolError,
    ReadTimeoutError,
    UnrewindableBodyError,
)
from urllib3.util import Retry, Timeout

from fakestore.clients.requests.convert import SentBody, request_of, response_of
from fakestore.http.integers import parse_integer
from fakestore.http.reply import ConnectionFailure, Delivery, Reply
from fakestore.http.request import Request
from fakestore.messages import PLANNED_FAULT
from fakestore.service.service import Service

#: Where a body stands that has a position and cannot tell it.
_UNTOLD = object()
#: Waits for as long as it takes; made once, for most requests come without a timeout.
_ENDLESS = Timeout(connect=None, read=None)


def send(service: Service, adapter: HTTPAdapter, prepared: requests.PreparedRequest, timeout: Any) -> requests.Response:
    """What ``HTTPAdapter.send`` answers, with the store at the other end.

    Raises:
        UnsupportedRequest: the fake does not model what was asked.
        requests.RequestException: the failure that a fault asked for, as `requests` would raise it.
        urllib3.exceptions.UnrewindableBodyError: another try is due, and the body cannot go back; likewise.
        ValueError: a timeout that is none, likewise.
    """
    waits = _timeout_of(timeout)
    retries: Retry = adapter.max_retries
    position = _position(prepared.body)
    while True:
        try:
            reply, delivery, request = _once(service, prepared, waits)
        except HTTPError as failure:
            retries = _retry(retries, prepared, failure)
            retries.sleep()
        else:
            raw = response_of(reply, delivery, request, prepared.path_url)
            has_retry_after = "Retry-After" in reply.headers
            if not retries.is_retry(request.method, reply.status, has_retry_after):
                return adapter.build_response(prepared, raw)
            try:
                retries = retries.increment(request.method, prepared.url, response=raw)
            except MaxRetryError as failure:
                if retries.raise_on_status:
                    raise requests.exceptions.RetryError(failure, request=prepared) from failure
                return adapter.build_response(prepared, raw)
            retries.sleep(raw)
        if position is not None:
            _rewind(prepared.body, position)


def _timeout_of(given: Any) -> Timeout:
    """What `requests` makes of a timeout, in whose words a wrong one is refused."""
    if given is None:
        return _ENDLESS
    if isinstance(given, Timeout):
        return given
    if not isinstance(given, tuple):
        return Timeout(connect=given, read=given)
    try:
        connect, read = given
        return Timeout(connect=connect, read=read)
    except ValueError:
        raise ValueError(
            f"Invalid timeout {given}. Pass a (connect, read) timeout tuple, or a single float to set both timeouts"
            " to the same value."
        ) from None


def _once(service: Service, prepared: requests.PreparedRequest, timeout: Timeout) -> tuple[Reply, Delivery, Request]:
    """Send it once.

    Raises:
        urllib3.exceptions.HTTPError: the connection failed.
    """
    request, body = request_of(prepared)
    try:
        reply, delivery = service.answer(request)
        if delivery.failure is not ConnectionFailure.CONNECT_TIMEOUT:
            _send_the_rest(request, body)
    except OSError as error:
        raise ProtocolError("Connection aborted.", error) from error
    if delivery.delay:
        _wait(delivery.delay, timeout)
    if delivery.failure is not None or reply is None:
        raise _failure(delivery.failure or ConnectionFailure.RESET)
    return reply, delivery, request


def _send_the_rest(request: Request, body: SentBody) -> None:
    """A client that does not wait for 100 Continue sends its body, also to a service that has refused it."""
    if body.whole() is not None:
        return
    length = request.headers.get("content-length")
    if length is not None and "expect" not in request.headers:
        body.drain(parse_integer(length) or 0)


def _wait(delay: float, timeout: Timeout) -> None:
    """Let the delay pass, or as much of it as the client waits."""
    timeout = timeout.clone()
    timeout.start_connect()  # as a connection does: a total is counted from here
    limit = timeout.read_timeout
    if isinstance(limit, int | float) and delay >= limit:
        time.sleep(limit)
        raise _failure(ConnectionFailure.READ_TIMEOUT)
    time.sleep(delay)


def _failure(broken: ConnectionFailure) -> HTTPError:
    if broken is ConnectionFailure.CONNECT_TIMEOUT:
        return ConnectTimeoutError(None, f"Connection to the store timed out. ({PLANNED_FAULT})")
    if broken is ConnectionFailure.READ_TIMEOUT:
        return ReadTimeoutError(None, "", f"Read timed out. ({PLANNED_FAULT})")  # type: ignore[arg-type]
    reset = ConnectionResetError(104, f"Connection reset by peer ({PLANNED_FAULT})")
    return ProtocolError("Connection aborted.", reset)


def _retry(retries: Retry, prepared: requests.PreparedRequest, failure: HTTPError) -> Retry:
    """The retries that are left after ``failure``.

    Raises:
        requests.RequestException: none are.
    """
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


def _position(body: Any) -> Any:
    """Where a file body stands before the first try, so that another try sends the same; ``None`` of any other."""
    tell = getattr(body, "tell", None)
    if tell is None:
        return None
    try:
        return tell()
    except OSError:
        return _UNTOLD


def _rewind(body: Any, position: Any) -> None:
    """Put a file body back to where it stood.

    Raises:
        urllib3.exceptions.UnrewindableBodyError: it cannot be, in urllib3's own words.
    """
    if position is _UNTOLD:
        raise UnrewindableBodyError(
            "Unable to record file position for rewinding request body during a redirect/retry."
        )
    seek = getattr(body, "seek", None)
    if seek is None:
        raise UnrewindableBodyError("body does not implement seek.")
    try:
        seek(position)
    except OSError as error:
        raise UnrewindableBodyError("An error occurred when rewinding request body for redirect/retry.") from error
