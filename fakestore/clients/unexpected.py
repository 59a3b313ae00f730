"""The message about a request of any client to a host that is not a host of a store."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from fakestore.messages import escaped
from fakestore.service.service import Service

#: The value of a query parameter, which may be a secret.
_QUERY_VALUE = re.compile(r"=[^&]*")


def explain_unexpected(service: Service, method: str, url: SplitResult, *, is_first: bool) -> str:
    """Return what is wrong with a request to another host, and what to do about it.

    Args:
        service: The store that refuses the request.
        method: The request's method.
        url: The request's URL.
        is_first: Whether this is the first request of the code under test to another host.
    """
    endpoint = service.endpoint
    host = url.hostname or ""
    sentence = f"{escaped(method)} {redacted_url(url)}: {_netloc(url)!r} is not a host of this store"
    if endpoint.claims(url.scheme, host, endpoint.port):
        sentence += f": the port is not that of {endpoint.netloc!r}."
    elif _is_near(host, endpoint.host):
        sentence += f". Did you mean {endpoint.netloc!r}?"
    elif ":" not in host and (is_first or _is_local(host)):  # a base URL cannot have an IPv6 address
        base_url = f"{url.scheme}://{_netloc(url)}"
        sentence += f". If the code is configured with that endpoint, use fake_store(base_url={base_url!r})."
    else:
        sentence += "."
    return (
        f"{sentence} The store answers at {endpoint.netloc!r} and at '<bucket>.{endpoint.netloc}'; to let other"
        " requests reach the network, use fake_store(allow_network=True)"
    )


def redacted_url(url: SplitResult) -> str:
    """Return a URL for a log: without user, password and the values of its query."""
    query = _QUERY_VALUE.sub("=...", url.query)
    return escaped(url._replace(netloc=_netloc(url), query=query).geturl())


def host_of(error: Exception) -> str | None:
    """Return the host of the request that caused an error, or None."""
    return urlsplit(str(getattr(getattr(error, "request", None), "url", ""))).hostname


def _netloc(url: SplitResult) -> str:
    return escaped(url.netloc.rpartition("@")[2])


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_near(host: str, ours: str) -> bool:
    return host.endswith(ours) or SequenceMatcher(None, host[-len(ours) :], ours).ratio() > 0.75
