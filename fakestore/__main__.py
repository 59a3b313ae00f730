"""The command line: ``python -m fakestore serve`` serves a store for programs in any language.

It keeps nothing on disk, and ends with status 0 on SIGINT (Ctrl+C) and SIGTERM.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from queue import Full, Queue
from threading import Thread

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C during the imports below ends without a traceback

from fakestore.api.names import VersioningName
from fakestore.api.options import StoreOptions
from fakestore.api.store import FakeStore
from fakestore.protocol.addressing import Addressing
from fakestore.protocol.dialects import DIALECT_NAMES

_HOST_HELP = "the address to listen at; for clients in containers, use 0.0.0.0 and --base-url; default: %(default)s"
_BASE_URL_HELP = "the URL that clients use to reach the server, if it is not http://HOST:PORT"
_BUCKET_HELP = "create a bucket; :enabled or :suspended sets its versioning; can be repeated"
_SIGNATURES_HELP = "accept every signature, or verify it; default: %(default)s"
_ACCOUNT_HELP = "the %s of the default account; default: one that the server chooses and prints"
#: The hosts that mean every address of this machine.
_EVERY_ADDRESS = ("0.0.0.0", "::")
#: How many lines wait to be written; further lines are dropped.
_MAX_WAITING_LINES = 1000
#: How long the last lines may take to be written when the server stops, in seconds.
_LAST_LINES = 1.0


class _Output:
    """The standard output, written by a thread of its own: a full pipe must not stop the server.

    Lines are dropped while nobody reads them. When the reader closes the pipe, nothing more is written.
    """

    def __init__(self) -> None:
        self._texts: Queue[str | None] = Queue(_MAX_WAITING_LINES)
        self._dropped = 0
        self._thread = Thread(target=self._write_texts, name="fakestore-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Let the thread write `text`, which is one or more lines."""
        if self._dropped:
            text = f"{self._dropped} lines are missing here, because the output was not read\n{text}"
        try:
            self._texts.put_nowait(text)
            self._dropped = 0
        except Full:
            self._dropped += 1

    def flush(self) -> None:
        """Do nothing: the thread writes each text at once. `logging` calls this."""

    def close(self) -> None:
        """Wait until everything is written, but not longer than :data:`_LAST_LINES`."""
        with suppress(Full):
            self._texts.put_nowait(None)
            self._thread.join(_LAST_LINES)

    def _write_texts(self) -> None:
        stdout = sys.__stdout__
        if stdout is None:  # the program was started without a standard output
            return
        with suppress(OSError):
            while (text := self._texts.get()) is not None:
                data = text.encode(stdout.encoding, "backslashreplace")
                while data:  # not by `stdout`, because Python waits for its lock when the program ends
                    data = data[os.write(stdout.fileno(), data) :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fakestore", description="A fake of an object storage service.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve a store over HTTP until SIGINT or SIGTERM")
    serve.add_argument("--dialect", choices=sorted(DIALECT_NAMES), default="document", help="default: %(default)s")
    serve.add_argument("--host", default="127.0.0.1", help=_HOST_HELP)
    serve.add_argument("--port", type=int, default=9000, help="the port; 0 means any free port; default: %(default)s")
    serve.add_argument("--bucket", action="append", default=[], metavar="NAME[:VERSIONING]", help=_BUCKET_HELP)
    serve.add_argument("--access-key-id", metavar="ID", help=_ACCOUNT_HELP % "access key ID")
    serve.add_argument("--secret-key", metavar="KEY", help=_ACCOUNT_HELP % "secret key")
    serve.add_argument("--base-url", metavar="URL", help=_BASE_URL_HELP)
    serve.add_argument("--signatures", choices=["accept", "verify"], default="accept", help=_SIGNATURES_HELP)
    return parser


def _make_store(arguments: argparse.Namespace) -> FakeStore:
    """Return the store that the arguments describe.

    Raises:
        ValueError: If an argument is invalid.
    """
    buckets: dict[str, VersioningName | None] = {}
    for text in arguments.bucket:
        name, _, versioning = text.partition(":")
        buckets[name] = versioning or None
    options: StoreOptions = {
        "dialect": arguments.dialect,
        "buckets": buckets,
        "signatures": arguments.signatures,
        "access_key_id": arguments.access_key_id,
        "secret_key": arguments.secret_key,
    }
    if arguments.base_url is not None:
        options["base_url"] = arguments.base_url
    return FakeStore(**options)


def _log_requests(output: _Output) -> None:
    """Write the log of the server to the output."""
    logging.basicConfig(stream=output, format="%(asctime)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
    logging.getLogger("fakestore.server").setLevel(logging.INFO)


def _introduction(store: FakeStore, url: str, arguments: argparse.Namespace) -> str:
    """Return what a person needs to know to use the server."""
    account, dialect = store.default_account, store.dialect
    host, bucket = (each.partition("://")[2] for each in (store.base_url, store.url("photos")))
    is_in_path = store._service.endpoint.uses_path_style
    secret_is_chosen = arguments.secret_key is not None
    secret = "the one of --secret-key" if secret_is_chosen else account.secret_key
    lines = [f"fakestore listens at {url} (dialect: {dialect.name}; buckets: {', '.join(store) or 'none'})"]
    if arguments.base_url is not None:
        lines.append(f"It also answers at {store.base_url}.")
    elif arguments.host in _EVERY_ADDRESS:
        lines.append("For clients on other machines or in containers, pass the URL that they use as --base-url.")
    lines += [
        "It keeps everything in memory, and ends on Ctrl+C and SIGTERM.",
        "",
        f"  access key id: {account.access_key_id}",
        f"  secret key:    {secret}",
    ]
    if dialect.header_prefix == "x-amz-":
        lines += [
            "",
            "Clients of S3 are configured by the environment:",
            f"  export AWS_ENDPOINT_URL={url} AWS_DEFAULT_REGION=us-east-1",
            f"  export AWS_ACCESS_KEY_ID={account.access_key_id}"
            f" AWS_SECRET_ACCESS_KEY={'...' if secret_is_chosen else account.secret_key}",
        ]
    lines += ["", f"Clients that use http://{host} and have proxy settings find the store without any change:"]
    lines += [f"  export http_proxy={url}", f"  curl -i http://{bucket}"]
    if not is_in_path:
        lines += ["", "Others send the host as a header:", f"  curl -i -H 'Host: photos.{host}' {url}/"]
    if Addressing.PATH in dialect.addressing:
        beginning = "Others" if is_in_path else "or"
        lines += ["", f"{beginning} name the bucket in the path:", f"  curl -i {url}/photos"]
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit status.

    Args:
        arguments: The arguments, without the name of the program; those of the process by default.
    """
    parser = _parser()
    parsed = parser.parse_args(arguments)
    try:
        store = _make_store(parsed)
        server = store.serve(parsed.host, parsed.port)
    except ValueError as error:
        parser.error(str(error))
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    output = _Output()
    _log_requests(output)
    stop, stopped = socket.socketpair()  # not an Event, which a signal handler must not set while it is waited for
    stop.setblocking(False)
    signal.set_wakeup_fd(stop.fileno())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    try:
        with server as url:
            output.write(f"{_introduction(store, url, parsed)}\n")
            stopped.recv(1)
    except (OSError, ValueError) as error:  # a ValueError is about the host
        sys.stderr.write(f"cannot listen at {parsed.host} port {parsed.port}: {error}\n")
        return 1
    output.write("fakestore has stopped\n")
    output.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
