"""Errors for clients that are not intercepted. They explain a look-up or connection that would fail.

httpx, aiohttp and `http.client` look up the hosts of their requests by functions of `socket`. The hosts of a store
usually do not exist, so such a client would only report an unknown name. aiohttp does not look up an IP address, but
connects to it, so connections are explained, too.
"""

from __future__ import annotations

import errno
import socket
from typing import Any

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target
from fakestore.clients.unexpected import is_local
from fakestore.locks import new_lock
from fakestore.protocol.addressing import Endpoint, join_netloc
from fakestore.service.journal import UninterceptedRequest
from fakestore.service.service import Service, current_time

_targets: list[Target] = []
#: Held while the patches are installed or removed, because they belong to the whole process.
_patching = new_lock()


def install(target: Target) -> None:
    """Explain look-ups of a store's hosts, and connections to them, while the store is active."""
    with _patching:
        _targets.append(target)
        for replacement in _replacements:
            replacement.put_in_place()


def uninstall(target: Target) -> None:
    """Stop explaining. The patches are removed with the last store."""
    with _patching:
        _targets[:] = [each for each in _targets if each is not target]
        if not _targets:
            for replacement in _replacements:
                replacement.remove()


def _make_lookup(original: Any) -> Any:
    def fakestore_lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        flags = args[4] if len(args) > 4 else kwargs.get("flags", 0)
        if flags & socket.AI_PASSIVE:  # a server is about to listen
            return original(host, *args, **kwargs)
        port = args[0] if args else kwargs.get("port")
        explanation = _explain(host, port)
        if explanation is not None:
            raise socket.gaierror(socket.EAI_NONAME, explanation)
        try:
            return original(host, *args, **kwargs)
        except socket.gaierror as error:
            explanation = _explain_name_before_server(host, port)
            if explanation is None:
                raise
            raise socket.gaierror(error.errno, explanation) from None

    return fakestore_lookup


def _make_connect(original: Any) -> Any:
    def fakestore_connect(connection: socket.socket, address: Any) -> Any:
        # Addresses of other families have other forms, for example a path.
        host, port = address[:2] if isinstance(address, tuple) and len(address) > 1 else (None, None)
        explanation = _explain(host, port)
        if explanation is not None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, explanation)
        return original(connection, address)

    return fakestore_connect


_replacements = (
    Replacement(socket, "getaddrinfo", _make_lookup),
    Replacement(socket, "gethostbyname", _make_lookup),
    Replacement(socket, "gethostbyname_ex", _make_lookup),
    Replacement(socket.socket, "connect", _make_connect),
    Replacement(socket.socket, "connect_ex", _make_connect),
)


def _explain(host: Any, port: Any) -> str | None:
    """Note in the journal why a client cannot reach a host, and return the explanation.

    Return None if no store has the host, or if a server answers at it.
    """
    name = _text_of(host)
    if name is None:
        return None
    services = [target.service for target in tuple(_targets)]
    service = next((each for each in services if _is_unserved_host(each.endpoint, name.lower(), port)), None)
    if service is None:
        return None
    return _note(
        service,
        name,
        f"{name!r} is a host of a fakestore, but this client is not intercepted; {_way_to_server(service.endpoint)}; if"
        " the client is urllib3 itself, fake_store(intercept_urllib3=True) intercepts it",
    )


def _note(service: Service, host: str, explanation: str) -> str:
    """Note in the journal why a client cannot reach a host of the store, and return the explanation."""
    service.journal.add_note(UninterceptedRequest(host, explanation, current_time()))
    return explanation


def _way_to_server(endpoint: Endpoint) -> str:
    """Return how a client that is not intercepted reaches the store."""
    if not endpoint.aliases:
        return "use 'with store.serve() as url:' and send the request to that url"
    return (
        f"send the request to the server of the store, 'http://{endpoint.aliases[0]}'; URLs of store.url() and"
        " store.presign() lead there with the options of fake_store(base_url='http://127.0.0.1:<port>') and"
        " store.serve(port=<port>)"
    )


def _explain_name_before_server(host: Any, port: Any) -> str | None:
    """Note and return why a bucket name in front of the host of a server is unknown.

    Return None if the host has another form.
    """
    name = _text_of(host)
    if name is None:
        return None
    netloc = join_netloc(name.lower(), _number_of(port))
    for service in [target.service for target in tuple(_targets)]:
        endpoint = service.endpoint
        alias = endpoint.find_alias(netloc)
        if alias is not None and alias != netloc:
            way = f"send the request to 'http://{alias}', with this host in the Host header"
            if endpoint.answers_at(path_style=True):
                way = "pass path_style=True to store.url() or store.presign()"
            explanation = (
                f"{name!r} has a bucket's name in front of the host of store.serve(), and is unknown here; {way}"
            )
            return _note(service, name, explanation)
    return None


def _text_of(host: Any) -> str | None:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    return name if isinstance(name, str) else None


def _number_of(port: Any) -> int | None:
    return int(port) if isinstance(port, int) or (isinstance(port, str) and port.isdigit()) else None


def _is_unserved_host(endpoint: Endpoint, host: str, port: Any) -> bool:
    """Return whether a host and port belong to the store, and no server answers at them.

    The host may end with a dot. A look-up without a port is for any port. If the host is local, it may have other
    servers, so the look-up is not refused.
    """
    host, number = host.removesuffix("."), _number_of(port)
    if number is None:
        if is_local(host):
            return False
        number = endpoint.port
    if endpoint.find_alias(join_netloc(host, number)) is not None:
        return False
    return any(endpoint.claims(scheme, host, number) for scheme in ("http", "https"))
