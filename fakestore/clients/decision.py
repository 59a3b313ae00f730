"""Who answers a request: the one place that decides about a host, for every library that is intercepted.

The order is: a store, innermost first; the server of a parent process; another mock; and the network, if the outermost
store allows it. Any other request is refused. `find_target` finds the store, and `check_allowed` decides about the
rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import SplitResult

import requests
from urllib3 import HTTPConnectionPool

from fakestore.clients import moto
from fakestore.clients.target import Target, is_at_parent
from fakestore.clients.unexpected import new_request, note_unexpected

#: The schemes of requests that a store can answer or refuse. Others, such as ``http+docker``, do not concern it.
SCHEMES = ("http", "https")


def check_allowed(
    targets: Sequence[Target],
    method: str | None,
    url: SplitResult,
    *,
    is_mocked: bool = False,
    request: requests.PreparedRequest | None = None,
) -> None:
    """Refuse a request that no store answers, unless it may go on as without a store.

    Args:
        targets: The stores that decide.
        is_mocked: Whether another mock gets the request next, or has let it pass.
        request: The request of `requests`, if it is one.

    Raises:
        UnexpectedRequest: If nothing answers it.
    """
    __tracebackhide__ = True
    if not targets or is_mocked or url.scheme not in SCHEMES or targets[0].allows(url):
        return
    if is_at_parent(url) or _connections_are_mocked() or moto.lets_pass(url):
        return
    raise note_unexpected(targets[0], url, new_request(method, url) if request is None else request)


def _connections_are_mocked() -> bool:
    """Return whether a tool such as VCR has replaced the connections of urllib3, so that it answers below the pools."""
    return HTTPConnectionPool.ConnectionCls.__module__.partition(".")[0] != "urllib3"
