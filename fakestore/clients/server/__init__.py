"""A loopback HTTP server on a store, for clients that are not intercepted and for other processes.

It uses `cheroot <https://cheroot.cherrypy.dev>`_, the WSGI server of CherryPy: it is pure Python, has two small
dependencies, is well maintained, and lets the application read a body while it arrives. `waitress` was the alternative,
but it collects a whole body before the application sees the request, so a store could not refuse an upload by its
headers.

The store is connected through cheroot's own interface, a `Gateway`, and not through WSGI. WSGI loses the order of
header fields, the case of their names, and the difference between ``-`` and ``_`` in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

from fakestore.clients.served import add_server, remove_server
from fakestore.service.service import Service

try:
    import cheroot.server  # noqa: F401  # imported here so that the error says what to install
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "serving a store needs the package 'cheroot', which is not installed; install it with:"
        " pip install 'fakestore[server]'",
        name=missing.name,
    ) from None

from fakestore.clients.server.server import StoreServer


@contextmanager
def serve(
    service: Service, host: str, port: int, *, sleep: Callable[[float], object] | None, timeout: float
) -> Iterator[str]:
    """Serve a store over HTTP until the context is left, and return the URL of the server.

    Meanwhile the address of the server is an address of the store, for every client. In a forked child it leads to this
    process.

    Args:
        service: Answers the requests.
        host: The address or host name at which the server listens.
        port: The port at which it listens; 0 for a free one.
        sleep: The function that waits for :class:`fakestore.faults.Latency`. If it is None, the server waits, but not
            longer than it runs.
        timeout: How long a client may take to send the head of a request, and how long it may then be silent in the
            middle of the request or the reply, in seconds.

    Raises:
        OSError: If the server cannot listen there, for example because the port is in use.
    """
    server = StoreServer(service, host, port, sleep, timeout)
    server.prepare()
    with service.lock:
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
        with service.lock:
            aliases = list(service.endpoint.aliases)
            for alias in server.aliases:
                aliases.remove(alias)  # once, because another server at this port may have the same alias
            service.endpoint = service.endpoint._replace(aliases=tuple(aliases))
