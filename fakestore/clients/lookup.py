"""An error that explains itself, for clients that are not intercepted: it takes the place of a DNS failure.

httpx, aiohttp and `http.client` look up the hosts of their requests by `socket.getaddrinfo`. The hosts of a store
mostly do not exist, so such a client would only report that a name is unknown.
"""

from __future__ import annotations

import socket
from typing import Any

from fakestore.clients.target import Target
from fakestore.protocol.addressing import Endpoint
from fakestore.service.locks import new_lock

_targets: list[Target] = []
_original = socket.getaddrinfo
#: Held while the patch is installed or removed, because it belongs to the whole process.
_patching = new_lock()


def install(target: Target) -> None:
    """Explain look-ups of a store's hosts while the store is active."""
    global _original
    with _patching:
        _targets.append(target)
        if socket.getaddrinfo is not _explaining_getaddrinfo:
            _original = socket.getaddrinfo
            socket.getaddrinfo = _explaining_getaddrinfo


def uninstall(target: Target) -> None:
    """Stop explaining. The patch is removed with the last store, unless another library has patched on top of it."""
    with _patching:
        _targets[:] = [each for each in _targets if each is not target]
        if not _targets and socket.getaddrinfo is _explaining_getaddrinfo:
            socket.getaddrinfo = _original


def _explaining_getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    for target in _targets:
        if isinstance(name, str) and _is_unserved_host(target.service.endpoint, name.lower(), port):
            raise socket.gaierror(
                socket.EAI_NONAME,
                f"{name!r} is a host of a fakestore, but this client is not intercepted; use"
                " 'with store.serve() as url:' and send the request to that url",
            )
    return _original(host, port, *args, **kwargs)


def _is_unserved_host(endpoint: Endpoint, host: str, port: Any) -> bool:
    """Return whether a host and port are the store's, and no server answers there."""
    number = int(port) if isinstance(port, int) or (isinstance(port, str) and port.isdigit()) else None
    if endpoint.find_alias(f"{host}:{number}") is not None:
        return False
    return any(endpoint.claims(scheme, host, number) for scheme in ("http", "https"))
