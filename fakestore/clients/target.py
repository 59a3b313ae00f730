"""A store as a client library reaches it, and the servers of a parent process.

A forked child has a copy of each store, with the patches of the clients. A request to the URL of a server must not
reach the copy, where it would be lost. It must reach the store of the process that runs the server.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult

from fakestore.http.message import DEFAULT_PORTS, ConnectionFailure, Delivery
from fakestore.locks import new_lock
from fakestore.protocol.addressing import Endpoint, join_netloc
from fakestore.service.service import Service

if TYPE_CHECKING:
    from fakestore.clients.responses import StoreResponses


@dataclass(slots=True, eq=False, repr=False)
class Reach:
    """Whether clients still reach a store. A client may keep it for long, so it does not refer to the store."""

    endpoint: Endpoint
    origin: str
    #: Whether the store was entered and left.
    is_left: bool = False
    #: Whether an adapter was made, or a server ran after the store was left.
    is_mounted: bool = False
    #: The last request of boto3's default session for the store. Another mock may answer it; empty if it has arrived.
    last_sent: str | None = None
    #: Whether a mock of `responses` that started while the store was entered had a response for a host of the store.
    is_mocked: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Target:
    """A service, and how its clients behave."""

    service: Service
    #: Whether requests to other hosts may reach the network, or the hosts that they may reach.
    allow_network: bool | frozenset[str]
    #: The function that waits; None for ``time.sleep``.
    sleep: Callable[[float], object] | None
    reach: Reach

    @cached_property
    def responses(self) -> StoreResponses:
        """The mock for requests of `requests` to other hosts."""
        from fakestore.clients.requests import send_to_network
        from fakestore.clients.responses import StoreResponses

        return StoreResponses(send_to_network)

    def check_responses(self) -> None:
        """Raise AssertionError if a response to another host was never sent."""
        if "responses" in vars(self):
            self.responses.stop()

    def reset_responses(self) -> None:
        """Forget the responses to other hosts, and their calls."""
        if "responses" in vars(self):
            self.responses.reset()

    def allows(self, url: SplitResult) -> bool:
        """Return whether requests to another host may reach the network. A host without a port allows all its ports."""
        if isinstance(self.allow_network, bool):
            return self.allow_network
        host, port = url.hostname or "", url.port or DEFAULT_PORTS.get(url.scheme)
        return not self.allow_network.isdisjoint((host, join_netloc(host, port)))

    def wait(self, seconds: float) -> None:
        (self.sleep or time.sleep)(seconds)

    def await_reply(self, outcome: Delivery | ConnectionFailure, read_timeout: Any) -> Delivery | None:
        """Wait until a delayed reply is due, and return it. Return None if the read timeout ends first.

        A read timeout of urllib3 that is not a number means no timeout.
        """
        if isinstance(outcome, ConnectionFailure):
            return None
        if not outcome.delay:
            return outcome
        in_time = not isinstance(read_timeout, int | float) or outcome.delay < read_timeout
        self.wait(outcome.delay if in_time else read_timeout)
        return outcome if in_time else None


#: The active stores, innermost last.
active: list[Target] = []
#: Held while patches are installed or removed, because they belong to the whole process.
patching = new_lock()

#: The network locations of servers, and the process that runs each.
_processes: dict[str, int] = {}


def add_server(locations: tuple[str, ...]) -> None:
    """Note that this process runs a server at network locations such as ``"127.0.0.1:9000"``."""
    _processes.update(dict.fromkeys(locations, os.getpid()))


def remove_server(locations: tuple[str, ...]) -> None:
    """Note that the server ended."""
    for location in locations:
        _processes.pop(location, None)


def is_at_parent(url: SplitResult) -> bool:
    """Return whether the URL belongs to a server of a parent process."""
    if not _processes:
        return False
    netloc, process = url.netloc.rpartition("@")[2].lower(), os.getpid()
    return any(
        process != server and (netloc == location or netloc.endswith(f".{location}"))
        for location, server in tuple(_processes.items())  # another thread may start or stop a server
    )


@lru_cache(maxsize=256)  # most requests are for a few hosts, and examining a host takes as long as authentication
def is_for(endpoint: Endpoint, scheme: str, netloc: str) -> bool:
    """Return whether a URL of these parts belongs to the store. A URL with an invalid port does not."""
    parts = SplitResult(scheme, netloc, "", "", "")
    try:
        port = parts.port
    except ValueError:
        return False
    return endpoint.claims(scheme, parts.hostname or "", port)


def find_target(targets: Sequence[Target], url: SplitResult) -> Target | None:
    """Return the innermost store to which a URL belongs, or None.

    A store with another base URL answers at the public hosts of the service only if no other store does. In a forked
    child, the URL of a server of the parent belongs to no store. [hosts-of-the-store]
    """
    if is_at_parent(url):
        return None
    claiming = [each for each in reversed(targets) if is_for(each.service.endpoint, url.scheme, url.netloc)]
    if len(claiming) > 1:
        return next((each for each in claiming if each.service.endpoint.owns(url.hostname or "")), claiming[0])
    return claiming[0] if claiming else None
