"""The command ``serve``: its options, its output, and its server, which runs until a signal ends it."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import signal
import socket
import ssl
import stat
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fakestore.api.options import OptionError, Options, StoreOptions
from fakestore.api.store import FakeStore
from fakestore.clients.server import Settings, serve
from fakestore.control import PREFIX, answer_control
from fakestore.http.message import DEFAULT_PORTS
from fakestore.protocol.addressing import Addressing, join_netloc
from fakestore.protocol.dialect import DIALECTS
from fakestore.service.events import NotDelivered

_DESCRIPTION = (
    "Serve a store over HTTP until SIGINT or SIGTERM. Each option is also an environment variable: --base-url is"
    " FAKESTORE_BASE_URL. Spaces separate several values, and 1 sets an option that has no value. An option replaces"
    " its variable."
)

_REPEATED = ("--base-url", "--bucket")

#: The values of variables for options that have no value.
_SWITCHES = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of the command line, completed by the options in the environment.

    Its function ``fail`` prints an error about an option, and ends the program with status 2.
    """
    parser = argparse.ArgumentParser(prog="python -m fakestore", description="A fake of an object storage service.")
    parser.add_argument("--version", action="version", version=f"fakestore {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", description=_DESCRIPTION, help="serve a store over HTTP", allow_abbrev=False)
    options = list(_add_options(serve))
    parser.parse_args(arguments)
    inherited = [each for option in options for each in _from_environment(serve, option, arguments)]
    return parser.parse_args([*arguments, *inherited], argparse.Namespace(fail=serve.error))


def _add_options(serve: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    add = serve.add_argument
    yield add("--dialect", choices=sorted(DIALECTS), default="document", help="default: %(default)s")
    yield add(
        "--host",
        default="127.0.0.1",
        help="the address to listen at; for clients in containers, use 0.0.0.0 and --base-url; default: %(default)s",
    )
    yield add("--port", type=port, default=9000, help="the port; 0 means any free port; default: %(default)s")
    yield add(
        "--base-url",
        action="append",
        metavar="URL",
        help="a URL that clients use to reach the server, if it is not http://HOST:PORT; can be repeated",
    )
    yield add(
        "--bucket",
        action="append",
        metavar="NAME[=VERSIONING]",
        help="create a bucket; =enabled or =suspended sets its versioning; can be repeated",
    )
    account = "the %s of the default account; default: one that the server chooses and prints"
    yield add("--access-key-id", metavar="ID", help=account % "access key ID")
    yield add("--secret-key", metavar="KEY", help=account % "secret key")
    yield add("--any-access-key", action="store_true", help="accept every access key for the default account")
    yield add("--acls", action="store_true", help="new buckets have ACLs and no public access block, as in early 2023")
    yield add(
        "--signatures",
        choices=["accept", "verify"],
        default="accept",
        help="accept every signature, or verify it; default: %(default)s",
    )
    yield add("--region", help="the region of the store and of its buckets; default: us-east-1")
    yield add("--cert", metavar="FILE", help="the certificate of the server, in PEM; it then speaks TLS (https)")
    yield add("--key", metavar="FILE", help="the private key of the certificate; default: it is in the file of --cert")
    content = "a directory with one directory for each bucket"
    yield add("--load", metavar="DIR", type=Path, help=f"{content}, whose files become objects")
    yield add(
        "--dump", metavar="DIR", type=Path, help=f"{content}, into which the server writes the objects when it ends"
    )
    yield add("--event-url", metavar="URL", help="the URL to which the document of each event of a bucket is posted")
    yield add("--no-control", action="store_true", help="do not answer the requests below /_fakestore/")
    yield add("--quiet", action="store_true", help="print only the URL of the server, and no log")


def _from_environment(
    serve: argparse.ArgumentParser, option: argparse.Action, arguments: Sequence[str]
) -> Iterator[str]:
    """Yield the arguments for an option that is not on the command line but in the environment."""
    name = option.option_strings[0]
    variable = f"FAKESTORE_{name.removeprefix('--').replace('-', '_').upper()}"
    value = os.environ.get(variable)
    if not value or any(each.partition("=")[0] == name for each in arguments):
        return
    if option.nargs == 0:
        if value.lower() not in _SWITCHES:
            serve.error(f"{variable} is {value!r}; expected 1 or 0")
        if _SWITCHES[value.lower()]:
            yield name
        return
    for each in value.split() if name in _REPEATED else [value]:
        yield f"{name}={each}"


def port(text: str) -> int:
    """Return the number of a port. argparse reports a ValueError with the name of this function."""
    port = int(text)
    if port not in range(65_536):
        raise ValueError(text)
    return port


def _version() -> str:
    try:
        return version("fakestore")
    except PackageNotFoundError:  # it runs from a checkout
        return "(not installed)"


class Output:
    """The standard output. A full pipe must not stop the server, so lines are lost while the pipe is full."""

    def __init__(self) -> None:
        self._stdout = sys.__stdout__  # None if the program was started without one
        if self._stdout is not None and stat.S_ISFIFO(os.fstat(self._stdout.fileno()).st_mode):
            with suppress(AttributeError):  # Python 3.11 on Windows
                os.set_blocking(self._stdout.fileno(), False)

    def write(self, text: str) -> None:
        if self._stdout is not None:
            with suppress(OSError):  # the pipe is full or closed
                os.write(self._stdout.fileno(), text.encode(self._stdout.encoding, "backslashreplace"))

    def flush(self) -> None:
        """Do nothing: `write` has no buffer. `logging` calls this."""


def introduction(store: FakeStore, url: str, parsed: argparse.Namespace) -> str:
    """Return the text that tells a person how to use the server."""
    account, dialect = store.default_account, store.dialect
    secret = account.secret_key if parsed.secret_key is None else "the one of --secret-key"
    lines = [f"fakestore listens at this URL (dialect: {dialect.name}; buckets: {', '.join(store) or 'none'})."]
    if parsed.base_url is not None:
        lines.append(f"It also answers at {' and '.join(parsed.base_url)}.")
    elif parsed.host in ("0.0.0.0", "::"):
        lines.append("For clients on other machines or in containers, pass the URL that they use as --base-url.")
    lines.append("It keeps everything in memory, and ends on Ctrl+C and SIGTERM.")
    if not parsed.no_control:
        lines.append(f"GET {PREFIX}health says that it is ready, GET {PREFIX}report shows what happened,")
        lines.append(f"and POST {PREFIX}reset puts it back into the state in which it started.")
    lines += ["", f"  access key id: {account.access_key_id}", f"  secret key:    {secret}"]
    if dialect.header_prefix == "x-amz-":
        lines += ["", "Clients of S3 are configured by the environment:", *_exports(store, url, parsed)]
    lines += _examples(store, url, parsed)
    return "\n".join([*lines, ""])


def _exports(store: FakeStore, url: str, parsed: argparse.Namespace) -> list[str]:
    account = store.default_account
    secret = account.secret_key if parsed.secret_key is None else "..."
    lines = [
        f"  export AWS_ENDPOINT_URL_S3={url} AWS_DEFAULT_REGION={parsed.region or 'us-east-1'}",
        f"  export AWS_ACCESS_KEY_ID={account.access_key_id} AWS_SECRET_ACCESS_KEY={secret}",
    ]
    return lines if parsed.cert is None else [*lines, f"  export AWS_CA_BUNDLE={parsed.cert}"]


def _examples(store: FakeStore, url: str, parsed: argparse.Namespace) -> list[str]:
    """Return commands of curl that show how requests reach the store."""
    curl = "curl -i" if parsed.cert is None else f"curl -i --cacert {parsed.cert}"
    host, bucket = (each.partition("://")[2] for each in (store.base_url, store.url("photos")))
    is_in_path = store._service.endpoint.uses_path_style
    ways = []
    if parsed.cert is None:
        sentence = f"Clients that use http://{host} and have proxy settings find the store without any change:"
        ways.append((sentence, f"export http_proxy={url}\n  {curl} http://{bucket}"))
    if not is_in_path:
        ways.append(("Others send the host as a header:", f"{curl} -H 'Host: photos.{host}' {url}/"))
    if Addressing.PATH in store.dialect.addressing:
        beginning = "Others" if is_in_path or not ways else "or"
        ways.append((f"{beginning} name the bucket in the path:", f"{curl} {url}/photos"))
    return [line for sentence, command in ways for line in ("", sentence, f"  {command}")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return the exit status."""
    parsed = parse_arguments(sys.argv[1:] if arguments is None else arguments)
    try:
        store, aliases = _make_store(parsed)
        tls = _load_certificate(parsed)
        reset, loaded = _load_objects(store, parsed), set(store)
        if parsed.event_url is not None:
            store._service.outbox.listener = parsed.event_url, _event_poster(parsed.event_url)
    except OptionError as error:
        parsed.fail(error.describe(f"--{error.option.replace('_', '-')}"))
    except ValueError as error:
        parsed.fail(str(error))
    settings = Settings(
        host=parsed.host,
        port=parsed.port,
        tls=tls,
        aliases=aliases,
        control=None if parsed.no_control else partial(answer_control, store._service, reset),
    )
    output = Output()
    if not parsed.quiet:
        logging.basicConfig(stream=output, format="%(asctime)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
        logging.getLogger("fakestore.server").setLevel(logging.INFO)
    try:
        with _signals() as wait, serve(store._service, settings) as url:
            output.write(f"{url}\n" if parsed.quiet else f"{url}\n{introduction(store, url, parsed)}\n")
            wait()
    except (OSError, ValueError) as error:  # a ValueError is for an invalid host
        sys.stderr.write(f"cannot listen at --host {parsed.host} --port {parsed.port}: {error}\n")
        return 1
    status = _dump_objects(store, parsed.dump, loaded)
    if not parsed.quiet:
        output.write("fakestore has stopped\n")
    return status


#: How long the receiver of an event may take to answer, in seconds.
_EVENT_TIMEOUT = 30.0


def _event_poster(url: str) -> Callable[[object], None]:
    """Return a handler that posts the document of an event to a URL. A failure is logged."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"--event-url {url}: expected a URL that begins with http:// or https://")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy variable may name this server

    def post(document: object) -> None:
        request = urllib.request.Request(url, json.dumps(document).encode(), {"Content-Type": "application/json"})
        try:
            with opener.open(request, timeout=_EVENT_TIMEOUT):
                pass
        except (OSError, HTTPException) as error:
            logging.getLogger("fakestore.server").warning("an event was not delivered to %s: %s", url, error)
            raise NotDelivered(str(error)) from None

    return post


def _make_store(parsed: argparse.Namespace) -> tuple[FakeStore, tuple[str, ...]]:
    """Return the store for the arguments, and the network locations of all base URLs except the first."""
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
    service = Options.from_kwargs(options).new_service()
    endpoint, default = service.endpoint, DEFAULT_PORTS[service.origin.partition(":")[0].lower()]
    yield join_netloc(endpoint.host, endpoint.port or default)
    if endpoint.port in (None, default):
        yield join_netloc(endpoint.host, None)


def _load_certificate(parsed: argparse.Namespace) -> ssl.SSLContext | None:
    """Return the TLS context of the server, or None for a server without TLS."""
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
    """Load the directory of ``--load``, and return a function that puts the store back into this state.

    The directory may be missing if it is also that of ``--dump``.
    """
    source, target = parsed.load, parsed.dump
    if target is not None:
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"--dump {target}: {error}") from None
        if target != source and any(target.iterdir()):
            raise ValueError(f"--dump {target}: the directory is not empty; name an empty one, or that of --load")
    if source is not None:
        try:
            for path in sorted(source.iterdir()):
                if path.name not in store:
                    store.create_bucket(path.name)
                store.load(path.name, path)
        except (OSError, ValueError) as error:
            raise ValueError(f"--load {source}: {error}; expected a directory for each bucket") from None
    initial = store.snapshot()

    def reset() -> None:
        with store._service.turns:
            store.reset()
            store.restore(initial)

    return reset


def _dump_objects(store: FakeStore, directory: Path | None, loaded: set[str]) -> int:
    """Write the directory of ``--dump``, and return the exit status.

    When everything is written, it replaces the directories of `loaded`, the buckets with which the server started.
    """
    if directory is None:
        return 0
    try:
        with TemporaryDirectory(dir=directory) as written:
            for name in store:
                store.dump(name, Path(written, name))
            for name in loaded.union(store):
                shutil.rmtree(directory / name, ignore_errors=True)
            for name in store:
                Path(written, name).rename(directory / name)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"--dump {directory}: {error}\n")
        return 1
    return 0


@contextmanager
def _signals() -> Iterator[Callable[[], object]]:
    """Yield a function that waits until SIGINT or SIGTERM."""
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
