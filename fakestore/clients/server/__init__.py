"""A loopback HTTP server on a store, for clients that are not intercepted and for other processes.

It uses `socketserver` of the standard library, like `http.server`. The request handler of `http.server` is not used. It
removes slashes from the beginning of a target, reads header fields as it reads mail (folded lines, at most 100 fields),
and sends 100 Continue before a store could refuse an upload by its headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from fakestore.clients.server.server import StoreServer
from fakestore.clients.server.settings import Settings
from fakestore.clients.target import add_server, remove_server
from fakestore.service.service import Service


@contextmanager
def serve(service: Service, settings: Settings) -> Iterator[str]:
    """Serve a store over HTTP until the context is left, and yield the URL of the server.

    Meanwhile the address of the server is an address of the store, for every client. In a forked child it leads to this
    process.

    Args:
        service: Answers the requests.
        settings: The settings of the server.
    """
    server = StoreServer(service, settings)
    with service.turns:
        service.endpoint = service.endpoint._replace(aliases=service.endpoint.aliases + server.aliases)
    add_server(server.local_netlocs)
    thread = Thread(target=server.serve, name="fakestore-server", daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
        remove_server(server.local_netlocs)
        with service.turns:
            aliases = list(service.endpoint.aliases)
            for alias in server.aliases:
                aliases.remove(alias)  # once, because another server at this port may have the same alias
            service.endpoint = service.endpoint._replace(aliases=tuple(aliases))
