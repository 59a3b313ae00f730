"""An error that explains itself, for clients that are not intercepted: it takes the place of a DNS failure.

httpx, aiohttp and `http.client` look up the hosts of their requests by `socket.getaddrinfo`. The hosts of a store
mostly do not exist, so such a client would only report that a name is unknown.
"""

from __future__ import annotations

import socket
from typing import Any

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target
from fakestore.protocol.addressing import Endpoint, join_netloc
from fakestore.service.locks import new_lock

_targets: list[Target] = []
#: Held while the patch is installed or removed, because it belongs to the whole process.
_patching = new_lock()


def install(target: Target) -> None:
    """Explain look-ups of a store's hosts while the store is active."""
    with _patching:
        _targets.append(target)
        _replacement.put_in_place()


def uninstall(target: Target) -> None:
    """Stop explaining. The patch is removed with the last store."""
    with _patching:
        _targets[:] = [each for each in _targets if each is not target]
        if not _targets:
            _replacement.remove()


def _make_getaddrinfo(original: Any) -> Any:
    def fakestore_getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        for target in tuple(_targets):
            if isinstance(name, str) and _is_unserved_host(target.service.endpoint, name.lower(), port):
                raise socket.gaierror(
                    socket.EAI_NONAME,
                    f"{name!r} is a host of a fakestore, but this client is not intercepted; use"
                    " 'with store.serve() as url:' and send the request to that url; if the client is urllib3 itself,"
                    " fake_store(intercept_urllib3=True) intercepts it",
                )
        return original(host, port, *args, **kwargs)

    return fakestore_getaddrinfo


_replacement = Replacement(socket, "getaddrinfo", _make_getaddrinfo)


def _is_unserved_host(endpoint: Endpoint, host: str, port: Any) -> bool:
    """Return whether a host and port are the store's, and no server answers there."""
    number = int(port) if isinstance(port, int) or (isinstance(port, str) and port.isdigit()) else None
    if endpoint.find_alias(join_netloc(host, number)) is not None:
        return False
    return any(endpoint.claims(scheme, host, number) for scheme in ("http", "https"))
