"""The servers of the process from which this one was forked.

A forked child has a copy of each store, with the patches of the clients. A request to the URL of a server must not
reach the copy, where it would be lost, but the store of the process that runs the server.
"""

from __future__ import annotations

import os
from urllib.parse import SplitResult

#: The network locations of servers, and the process that runs each.
_processes: dict[str, int] = {}


def add_server(locations: tuple[str, ...]) -> None:
    """Note that this process runs a server at network locations such as ``"127.0.0.1:9000"``."""
    _processes.update(dict.fromkeys(locations, os.getpid()))


def remove_server(locations: tuple[str, ...]) -> None:
    """Forget a server."""
    for location in locations:
        _processes.pop(location, None)


def is_at_parent(url: SplitResult) -> bool:
    """Return whether a URL is that of a server which a parent of this process runs."""
    if not _processes:
        return False
    netloc, process = url.netloc.rpartition("@")[2].lower(), os.getpid()
    return any(
        process != server and (netloc == location or netloc.endswith(f".{location}"))
        for location, server in tuple(_processes.items())  # another thread may start or stop a server
    )
