"""The command ``serve``: a server of a store, until a signal ends it."""

from __future__ import annotations

import argparse
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fakestore.api.options import Options, StoreOptions
from fakestore.api.store import FakeStore
from fakestore.clients.server import serve
from fakestore.clients.server.settings import Settings
from fakestore.command import archive
from fakestore.command.control import Control
from fakestore.command.introduction import introduction
from fakestore.command.options import parse_arguments
from fakestore.command.output import Output
from fakestore.command.words import explain_option, explain_refusal
from fakestore.http.request import DEFAULT_PORTS
from fakestore.protocol.addressing import join_netloc


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit status.

    Args:
        arguments: The arguments, without the name of the program; those of the process by default.
    """
    parsed = parse_arguments(sys.argv[1:] if arguments is None else arguments)
    try:
        store, aliases = _make_store(parsed)
        tls = _load_certificate(parsed)
        reset = _load_objects(store, parsed)
    except ValueError as error:
        parsed.fail(explain_option(str(error)))
    settings = Settings(
        host=parsed.host,
        port=parsed.port,
        tls=tls,
        control=None if parsed.no_control else Control(store, reset),
        explain=partial(explain_refusal, dialect=store.dialect.name),
    )
    output = Output()
    if not parsed.quiet:
        _log_requests(output)
    try:
        with _signals() as wait, serve(store._service, settings) as url:
            _answer_also_at(store, aliases)
            output.write(f"{url}\n" if parsed.quiet else f"{url}\n{introduction(store, url, parsed)}\n")
            wait()
    except (OSError, ValueError) as error:  # a ValueError is about the host
        sys.stderr.write(f"cannot listen at --host {parsed.host} --port {parsed.port}: {error}\n")
        return 1
    status = _dump_objects(store, parsed.dump)
    if not parsed.quiet:
        output.write("fakestore has stopped\n")
    output.close()
    return status


def _make_store(parsed: argparse.Namespace) -> tuple[FakeStore, tuple[str, ...]]:
    """Return the store that the arguments describe, and the network locations of all base URLs but the first.

    Raises:
        ValueError: If an argument is invalid.
    """
    options: dict[str, Any] = {
        name: value
        for name, value in vars(parsed).items()
        if name in StoreOptions.__annotations__ and value is not None
    }
    options["buckets"] = {}
    for text in parsed.bucket or ():
        name, equals, versioning = text.partition("=")
        if equals and versioning not in ("enabled", "suspended"):
            raise ValueError(f"invalid --bucket {text!r}: expected NAME, NAME=enabled or NAME=suspended")
        options["buckets"][name] = versioning or None
    first, *others = parsed.base_url or [None]
    aliases = [alias for url in others for alias in _netlocs({**options, "base_url": url})]
    return FakeStore(**{**options, "base_url": first}), tuple(aliases)


def _netlocs(options: dict[str, Any]) -> Iterator[str]:
    """Yield the network locations of a base URL: with the port, and without it if it is the default port."""
    checked = Options.from_kwargs(options)
    endpoint = checked.endpoint()
    default = DEFAULT_PORTS[checked.effective_base_url().partition(":")[0].lower()]
    yield join_netloc(endpoint.host, endpoint.port or default)
    if endpoint.port in (None, default):
        yield join_netloc(endpoint.host, None)


def _answer_also_at(store: FakeStore, netlocs: tuple[str, ...]) -> None:
    service = store._service
    with service.turns:
        service.endpoint = service.endpoint._replace(aliases=service.endpoint.aliases + netlocs)


def _load_certificate(parsed: argparse.Namespace) -> ssl.SSLContext | None:
    """Return how the server speaks TLS, or None if it does not.

    Raises:
        ValueError: If the certificate cannot be used.
    """
    if parsed.cert is None:
        if parsed.key is not None:
            raise ValueError("--key needs the certificate of the key: add --cert FILE")
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(parsed.cert, parsed.key)
    except OSError as error:  # an SSLError is one, too
        raise ValueError(f"--cert and --key cannot be used: {error}") from None
    return context


def _load_objects(store: FakeStore, parsed: argparse.Namespace) -> Callable[[], None]:
    """Load the file of ``--load``, and return the function that puts the store back into the state after that.

    A file that does not exist is not loaded if it is also that of ``--dump``.

    Raises:
        ValueError: If the file cannot be loaded, or that of ``--dump`` cannot be written.
    """
    if parsed.dump is not None and not Path(parsed.dump).absolute().parent.is_dir():
        raise ValueError(f"--dump {parsed.dump}: the folder of the file does not exist")
    if parsed.load is not None and (parsed.load != parsed.dump or Path(parsed.load).exists()):
        try:
            archive.load(store, Path(parsed.load))
        except (OSError, ValueError, TypeError) as error:
            raise ValueError(f"--load {parsed.load}: {error}") from None
    initial = store.snapshot()

    def reset() -> None:
        with store._service.turns:
            store.reset()
            store.restore(initial)

    return reset


def _dump_objects(store: FakeStore, path: str | None) -> int:
    """Write the file of ``--dump``, and return the exit status."""
    if path is None:
        return 0
    try:
        archive.dump(store, Path(path))
    except OSError as error:
        sys.stderr.write(f"--dump {path}: {error}\n")
        return 1
    return 0


def _log_requests(output: Output) -> None:
    """Write the log of the server to the output."""
    logging.basicConfig(stream=output, format="%(asctime)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
    logging.getLogger("fakestore.server").setLevel(logging.INFO)


@contextmanager
def _signals() -> Iterator[Callable[[], object]]:
    """Let SIGINT and SIGTERM end what waits with the function that is yielded."""
    stop, stopped = socket.socketpair()  # not an Event, which a signal handler must not set while it is waited for
    with stop, stopped:
        stop.setblocking(False)
        signal.set_wakeup_fd(stop.fileno())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        try:
            yield lambda: stopped.recv(1)
        finally:
            signal.set_wakeup_fd(-1)
