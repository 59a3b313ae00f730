"""What the command prints when the server has started."""

from __future__ import annotations

import argparse

from fakestore.api.store import FakeStore
from fakestore.command.control import PREFIX
from fakestore.protocol.addressing import Addressing

#: The hosts that mean every address of this machine.
_EVERY_ADDRESS = ("0.0.0.0", "::")


def introduction(store: FakeStore, url: str, parsed: argparse.Namespace) -> str:
    """Return what a person needs to know to use the server.

    Args:
        store: The store.
        url: The URL of the server.
        parsed: The options of the command.
    """
    account, dialect = store.default_account, store.dialect
    secret = account.secret_key if parsed.secret_key is None else "the one of --secret-key"
    lines = [f"fakestore listens at this URL (dialect: {dialect.name}; buckets: {', '.join(store) or 'none'})."]
    if parsed.base_url is not None:
        lines.append(f"It also answers at {' and '.join(parsed.base_url)}.")
    elif parsed.host in _EVERY_ADDRESS:
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
        f"  export AWS_ENDPOINT_URL={url} AWS_DEFAULT_REGION={parsed.region or 'us-east-1'}",
        f"  export AWS_ACCESS_KEY_ID={account.access_key_id} AWS_SECRET_ACCESS_KEY={secret}",
    ]
    return lines if parsed.cert is None else [*lines, f"  export AWS_CA_BUNDLE={parsed.cert}"]


def _examples(store: FakeStore, url: str, parsed: argparse.Namespace) -> list[str]:
    """Return commands of curl, which show how requests reach the store."""
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
