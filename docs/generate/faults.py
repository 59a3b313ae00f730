"""Writes the table of faults: each one is met by every client of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import groupby
from typing import Any

import aiohttp
import boto3
import httpx
import requests
from botocore.config import Config

from fakestore import FakeStore, OperationName, fake_store, faults
from fakestore.errors import STATUSES
from fakestore.service.fault_plan import DeliveryFault

_PAGE = """# Faults

These are the faults for `store.fail(operation, fault)`: `from fakestore import faults`. [Faults and
retries](../how-to/faults-and-retries.md) has examples, and [Classes](#classes) says what happens.

<!-- Written by: python -m docs.generate -->

## Exceptions of clients

The table shows what a client gets from a GET Object if every attempt meets the fault (`times=None`), and the read
timeout is 60 seconds. For `EmbeddedError`, the request is a PUT Object Copy.

{faults}

Without `awscrt`, boto3 does not notice a `CorruptedBody` of an object that `Bucket.put` has stored.

`DuplicateEvent`, `LateEvent` and `LostEvent` are for the delivery of [events](../how-to/events.md):
`store.fail("delivery", faults.LostEvent())`.

## Codes of `ServiceError` and `EmbeddedError`

These codes have a status and a message. `ServiceError` also takes any other code, together with a status.

{codes}

## Classes

::: fakestore.faults
    options:
      show_bases: false
      filters: ["!^_", "!^(alter|copies|is_late|outcome|applies_to|embedded_error|respond)$"]
"""

_SHOWN: tuple[faults.Fault, ...] = (
    faults.ServiceError("SlowDown"),
    faults.ConnectTimeout(),
    faults.ReadTimeout(),
    faults.ConnectionReset(),
    faults.Latency(600),
    faults.TruncatedBody(2),
    faults.CorruptedBody(),
    faults.EmbeddedError("InternalError"),
    faults.AfterCommit(faults.ConnectionReset()),
)


def _check_shown() -> None:
    """Check that the table shows every fault.

    Raises:
        LookupError: If a fault is missing.
    """
    of_deliveries = {each.__name__ for each in DeliveryFault.__subclasses__()}
    missing = set(faults.__all__) - {"Fault", *of_deliveries, *(type(fault).__name__ for fault in _SHOWN)}
    if missing:
        raise LookupError(f"docs/generate/faults.py does not show {', '.join(sorted(missing))}; add it to _SHOWN")


def faults_page() -> str:
    """Return the page of the reference with all faults.

    Raises:
        LookupError: If a fault is missing in the table.
    """
    _check_shown()
    return _PAGE.format(faults=_faults(), codes=_codes())


def _faults() -> str:
    clients = {"`requests`": _requests, "httpx": _httpx, "aiohttp": _aiohttp, "boto3": _boto3}
    head = [f"| Fault | {' | '.join(clients)} |", f"|---|{'---|' * len(clients)}"]
    rows = [f"| `{fault}` | {' | '.join(_met(client, fault) for client in clients.values())} |" for fault in _SHOWN]
    return "\n".join([*head, *rows])


def _codes() -> str:
    errors = sorted((status, code) for code, status in STATUSES.items())
    rows = [
        f"| {status} | {', '.join(f'`{code}`' for _, code in group)} |"
        for status, group in groupby(errors, key=lambda error: error[0])
    ]
    return "\n".join(["| Status | Codes |", "|---|---|", *rows])


def _met(client: Callable[[FakeStore, bool], str], fault: faults.Fault) -> str:
    """Return what a client makes of a fault: the exception that it raises, or what it returns."""
    copies = isinstance(fault, faults.EmbeddedError)
    operation: OperationName = "PUT Object Copy" if copies else "GET Object"
    with fake_store(dialect="s3", access_key_id="A", secret_key="s", buckets=["photos"], sleep=lambda _: None) as store:
        _client().put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        store.fail(operation, fault, times=None)
        try:
            return client(store, copies)
        except Exception as error:
            return f"`{type(error).__name__}`"


def _requests(store: FakeStore, copies: bool) -> str:
    with requests.Session() as session:
        response = session.send(_signed(store, copies), timeout=60)
    return _outcome(response.status_code, response.content)


def _httpx(store: FakeStore, copies: bool) -> str:
    signed = _signed(store, copies)
    response = httpx.request(str(signed.method), str(signed.url), headers=dict(signed.headers), timeout=60)
    return _outcome(response.status_code, response.content)


def _aiohttp(store: FakeStore, copies: bool) -> str:
    async def send() -> tuple[int, bytes]:
        signed, timeout = _signed(store, copies), aiohttp.ClientTimeout(sock_read=60)
        method, url = str(signed.method), str(signed.url)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.request(method, url, headers=signed.headers) as response,
        ):
            return response.status, await response.read()

    try:
        return _outcome(*asyncio.run(send()))
    except aiohttp.ServerTimeoutError:  # since 3.10, it has subclasses
        return f"`{aiohttp.ServerTimeoutError.__name__}`"


def _signed(store: FakeStore, copies: bool) -> requests.PreparedRequest:
    if copies:
        headers = {"x-amz-copy-source": "photos/cat.jpg"}
        return requests.Request("PUT", store.url("photos", "copy.jpg"), headers, auth=store.auth()).prepare()
    return requests.Request("GET", store.url("photos", "cat.jpg"), auth=store.auth()).prepare()


def _outcome(status: int, content: bytes) -> str:
    if status == 200 and b"<Error>" in content:
        return "an error with status 200"
    return _compared(content) if status == 200 else f"status {status}"


def _boto3(store: FakeStore, copies: bool) -> str:
    s3 = _client()
    if copies:
        s3.copy_object(Bucket="photos", Key="copy.jpg", CopySource="photos/cat.jpg")
    return _compared(s3.get_object(Bucket="photos", Key="cat.jpg")["Body"].read())


def _client() -> Any:
    config = Config(retries={"total_max_attempts": 1, "mode": "standard"})
    return boto3.client("s3", region_name="us-east-1", aws_access_key_id="A", aws_secret_access_key="s", config=config)


def _compared(content: bytes) -> str:
    return "the content" if content == b"meow" else "wrong content"
