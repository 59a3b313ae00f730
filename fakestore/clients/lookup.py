"""Errors for clients that are not intercepted. They explain a look-up or connection that would fail.

`http.client` and others look up the hosts of their requests by functions of `socket`. The hosts of a store
usually do not exist, so such a client would only report an unknown name. Asyncio does not look up an IP address, but
connects to it, so connections are explained, too.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from typing import Any

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, patching
from fakestore.clients.unexpected import is_local
from fakestore.protocol.addressing import Endpoint, join_netloc
from fakestore.service.journal import UninterceptedRequest
from fakestore.service.service import current_time


def install(target: Target) -> None:
    """Explain look-ups of the hosts of active stores, and connections to them."""
    with patching:
        for replacement in _replacements:
            replacement.put_in_place()


def uninstall(target: Target) -> None:
    """Stop explaining after the last store."""
    with patching:
        if not active:
            for replacement in _replacements:
                replacement.remove()


def _make_lookup(original: Any) -> Any:
    def fakestore_lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        flags = args[4] if len(args) > 4 else kwargs.get("flags", 0)
        if flags & socket.AI_PASSIVE:  # a server is about to listen
            return original(host, *args, **kwargs)
        port = args[0] if args else kwargs.get("port")
        explanation = _explain(_explain_unserved_host, host, port)
        if explanation is not None:
            raise socket.gaierror(socket.EAI_NONAME, explanation)
        try:
            return original(host, *args, **kwargs)
        except socket.gaierror as error:
            explanation = _explain(_explain_bucket_before_server, host, port)
            if explanation is None:
                raise
            raise socket.gaierror(error.errno, explanation) from None

    return fakestore_lookup


def _make_connect(original: Any) -> Any:
    def fakestore_connect(connection: socket.socket, address: Any) -> Any:
        # Addresses of other families have other forms, for example a path.
        host, port = address[:2] if isinstance(address, tuple) and len(address) > 1 else (None, None)
        explanation = _explain(_explain_unserved_host, host, port)
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


def _explain(explain: Callable[[Endpoint, str, int | None], str | None], host: Any, port: Any) -> str | None:
    """Return the first store's explanation why a client cannot reach a host, and note it in the journal of the store.

    The host and the port are arguments of the client, of any type.
    """
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if not isinstance(name, str):
        return None
    number = int(port) if isinstance(port, int) or (isinstance(port, str) and port.isdigit()) else None
    for target in tuple(active):
        explanation = explain(target.service.endpoint, name, number)
        if explanation is not None:
            target.service.journal.add_note(UninterceptedRequest(name, explanation, current_time()))
            return explanation
    return None


def _explain_unserved_host(endpoint: Endpoint, name: str, port: int | None) -> str | None:
    """Explain a host of the store at which no server answers.

    The host may end with a dot. A look-up without a port is for any port. If the host is local, it may have other
    servers, so the look-up is not refused.
    """
    host = name.lower().removesuffix(".")
    if port is None and is_local(host):
        return None
    number = endpoint.port if port is None else port
    if endpoint.find_alias(join_netloc(host, number)) is not None:
        return None
    if not any(endpoint.claims(scheme, host, number) for scheme in ("http", "https")):
        return None
    if endpoint.aliases:
        way = (
            f"send the request to the server of the store, 'http://{endpoint.aliases[0]}'; URLs of store.url() and"
            " store.presign() lead there with the options of fake_store(base_url='http://127.0.0.1:<port>') and"
            " store.serve(port=<port>)"
        )
    else:
        way = "use 'with store.serve() as url:' and send the request to that url"
    return f"{name!r} is a host of a fakestore, but this client is not intercepted; {way}"


def _explain_bucket_before_server(endpoint: Endpoint, name: str, port: int | None) -> str | None:
    """Explain why a bucket name in front of the host of a server is unknown."""
    netloc = join_netloc(name.lower(), port)
    alias = endpoint.find_alias(netloc)
    if alias is None or alias == netloc:
        return None
    way = f"send the request to 'http://{alias}', with this host in the Host header"
    if endpoint.answers_at(path_style=True):
        way = "pass path_style=True to store.url() or store.presign()"
    return f"{name!r} has a bucket's name in front of the host of store.serve(), and is unknown here; {way}"
