"""The options of the command, each of which is also an environment variable."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from fakestore.protocol.dialects import DIALECT_NAMES

_DESCRIPTION = (
    "Serve a store over HTTP until SIGINT or SIGTERM. Each option is also an environment variable: --base-url is"
    " FAKESTORE_BASE_URL. Spaces separate several values, and 1 sets an option that has no value. An option replaces"
    " its variable."
)
_REPEATED = ("--base-url", "--bucket")
#: The values of variables for options that have no value.
_SWITCHES = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def parse_arguments(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> argparse.Namespace:
    """Return the options of the command line, completed by those of the environment.

    Its function ``fail`` prints an error about an option, and ends the program with status 2.

    Args:
        arguments: The arguments, without the name of the program.
        environment: The environment variables.

    Raises:
        SystemExit: If they are invalid, which is printed, or if help or the version was printed.
    """
    parser = argparse.ArgumentParser(prog="python -m fakestore", description="A fake of an object storage service.")
    parser.add_argument("--version", action="version", version=f"fakestore {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", description=_DESCRIPTION, help="serve a store over HTTP", allow_abbrev=False)
    options = list(_add_options(serve))
    parser.parse_args(arguments)
    inherited = [each for option in options for each in _from_environment(serve, option, arguments, environment)]
    return parser.parse_args([*arguments, *inherited], argparse.Namespace(fail=serve.error))


def _add_options(serve: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    add = serve.add_argument
    yield add("--dialect", choices=sorted(DIALECT_NAMES), default="document", help="default: %(default)s")
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
    yield add("--any-access-key", action="store_true", help="accept every access key as that of the default account")
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
    yield add("--load", metavar="FILE", help="a zip file with a folder for each bucket, whose files become objects")
    yield add("--dump", metavar="FILE", help="the zip file into which the objects are written when the server ends")
    yield add("--no-control", action="store_true", help="do not answer the requests below /_fakestore/")
    yield add("--quiet", action="store_true", help="print only the URL of the server, and no log")


def _from_environment(
    serve: argparse.ArgumentParser, option: argparse.Action, arguments: Sequence[str], environment: Mapping[str, str]
) -> Iterator[str]:
    """Yield the arguments for an option that is not on the command line but in the environment."""
    name = option.option_strings[0]
    variable = f"FAKESTORE_{name.removeprefix('--').replace('-', '_').upper()}"
    value = environment.get(variable)
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
    """Return the number of a port. argparse reports a ValueError with the name of this function.

    Raises:
        ValueError: If it is not from 0 to 65535.
    """
    port = int(text)
    if port not in range(65_536):
        raise ValueError(text)
    return port


def _version() -> str:
    try:
        return version("fakestore")
    except PackageNotFoundError:  # it runs from a checkout
        return "(not installed)"
