"""What is timed: for each case, a context manager that prepares a call and yields it.

The contenders are fakestore, moto, *bare* (a callback of `responses` with a dictionary and MD5: no fake of this kind
can cost less) and *alone* (boto3 with a connection that answers at once: the part of the time that no fake can change).
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from email.utils import formatdate
from functools import partial
from http.client import HTTPConnection
from typing import Any
from unittest import mock

import requests
import responses

from fakestore import fake_store

Call = Callable[[], object]
Case = Callable[[], AbstractContextManager[Call]]

BODY = bytes(range(256)) * 4
BUCKET = "bench"
MIB = 1024 * 1024
_KEYS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_DEFAULT_REGION": "us-east-1"}
_MOTO_URL = f"http://{BUCKET}.s3.amazonaws.com/"
_SIGNED = {"Authorization": "AWS bench:c2lnbmF0dXJl", "Date": formatdate(usegmt=True)}


# -- one request of `requests`


@contextmanager
def _requests(contender: str, request: str) -> Iterator[Call]:
    url, prefix, headers = f"http://{BUCKET}.objects.test/", "x-svc-", dict(_SIGNED)
    with ExitStack() as stack:
        if contender == "fakestore":
            headers["Authorization"] = "SVC bench:c2lnbmF0dXJl"
            options = {"base_url": "http://objects.test", "access_key_id": "bench", "buckets": [BUCKET]}
            stack.enter_context(fake_store(**options))  # type: ignore[arg-type]
        elif contender == "moto":
            url, prefix = _MOTO_URL, "x-amz-"
            stack.enter_context(_mock_aws())
            requests.put(url, headers=headers).raise_for_status()
        else:
            stack.enter_context(_bare_callback())
        session = stack.enter_context(requests.Session())
        session.headers.update(headers)
        session.put(f"{url}cat", data=BODY).raise_for_status()
        source = {f"{prefix}copy-source": f"/{BUCKET}/cat"}
        yield {
            "PUT": lambda: session.put(f"{url}key", data=BODY),
            "GET": lambda: session.get(f"{url}cat"),
            "copy": lambda: session.put(f"{url}copy", headers=source),
            "DELETE": lambda: session.delete(f"{url}key"),
        }[request]


@contextmanager
def _bare_callback() -> Iterator[None]:
    objects: dict[str, tuple[bytes, str]] = {}

    def put(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        if source := request.headers.get("x-svc-copy-source"):
            objects[request.path_url] = objects["/" + source.split("/", 2)[2]]
        else:
            body = request.body
            assert isinstance(body, bytes)
            objects[request.path_url] = body, f'"{hashlib.md5(body).hexdigest()}"'
        return 200, {"ETag": objects[request.path_url][1]}, b""

    def get(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        content, etag = objects[request.path_url]
        return 200, {"ETag": etag}, content

    def delete(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        objects.pop(request.path_url, None)
        return 204, {}, b""

    url = re.compile(r"http://bench\.objects\.test/.*")
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mocked:
        for method, callback in (("PUT", put), ("GET", get), ("DELETE", delete)):
            mocked.add_callback(method, url, callback, content_type=None)
        yield


def _mock_aws() -> AbstractContextManager[Any]:
    from moto import mock_aws  # imported here, so that no other contender pays for it

    return mock_aws()


# -- boto3


@contextmanager
def _boto3(contender: str, request: str) -> Iterator[Call]:
    with _answered_by(contender), _client() as s3:
        s3.create_bucket(Bucket=BUCKET)
        s3.put_object(Bucket=BUCKET, Key="cat", Body=BODY)
        yield {
            "PUT": lambda: s3.put_object(Bucket=BUCKET, Key="key", Body=BODY),
            "GET": lambda: s3.get_object(Bucket=BUCKET, Key="cat")["Body"].read(),
            "copy": lambda: s3.copy_object(Bucket=BUCKET, Key="copy", CopySource=f"{BUCKET}/cat"),
            "list": lambda: s3.list_objects_v2(Bucket=BUCKET),
        }[request]


@contextmanager
def _client() -> Iterator[Any]:
    import boto3

    s3 = boto3.client("s3")
    try:
        yield s3
    finally:
        s3.close()


@contextmanager
def _answered_by(contender: str) -> Iterator[None]:
    fakes: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "fakestore": partial(fake_store, dialect="s3"),
        "moto": _mock_aws,
        "alone": _canned_replies,
    }
    with fakes[contender](), mock.patch.dict(os.environ, {} if contender == "fakestore" else _KEYS):
        yield


@contextmanager
def _canned_replies() -> Iterator[None]:
    """Answer botocore by its event `before-send` with the first reply of a store to such a request."""
    import botocore.handlers
    from botocore.awsrequest import AWSResponse

    from fakestore import FakeStore, Reply, Request

    store = FakeStore(dialect="s3", any_access_key=True)
    replies: dict[tuple[str, str, bool], Reply] = {}

    class Raw:
        def __init__(self, body: bytes) -> None:
            self._pieces = [body]

        def read(self, amount: int | None = None, **_: Any) -> bytes:
            return self._pieces.pop() if self._pieces else b""

        def stream(self, **_: Any) -> Iterator[bytes]:
            yield self.read()

    def answer(request: Any, **_: Any) -> Any:
        body = request.body or b""
        content = body if isinstance(body, bytes) else body.read()
        kind = request.method, request.url, "x-amz-copy-source" in request.headers
        if kind not in replies:
            fields = {name: each if isinstance(each, str) else each.decode() for name, each in request.headers.items()}
            replies[kind] = store.handle(Request.to_url(request.method, request.url, fields, content))
        reply = replies[kind]
        headers = {name.lower(): value for name, value in reply.headers.fields}
        return AWSResponse(request.url, reply.status, headers, Raw(bytes(reply.body)))

    spec = "before-send.s3", answer
    botocore.handlers.BUILTIN_HANDLERS.append(spec)
    try:
        yield
    finally:
        botocore.handlers.BUILTIN_HANDLERS.remove(spec)


@contextmanager
def _whole_test(contender: str, session: str) -> Iterator[Call]:
    """A test that enters the fake, makes a client, creates a bucket, and sends 5 PUT, 5 GET and a listing."""
    import boto3

    with ExitStack() as stack:
        if contender == "alone":
            stack.enter_context(_answered_by(contender))

        def test() -> None:
            with nullcontext() if contender == "alone" else _answered_by(contender):
                s3 = (boto3.Session() if session == "Session()" else boto3).client("s3")
                s3.create_bucket(Bucket=BUCKET)
                for number in range(5):
                    s3.put_object(Bucket=BUCKET, Key=str(number), Body=BODY)
                for number in range(5):
                    s3.get_object(Bucket=BUCKET, Key=str(number))["Body"].read()
                s3.list_objects_v2(Bucket=BUCKET)
                s3.close()

        yield test


@contextmanager
def _enter_and_leave(**options: Any) -> Iterator[Call]:
    def enter_and_leave() -> None:
        with fake_store(**options):
            pass

    yield enter_and_leave


# -- asyncio, and servers


@contextmanager
def _asyncio(contender: str, client: str, request: str) -> Iterator[Call]:
    with ExitStack() as stack:
        if contender == "fakestore":
            stack.enter_context(fake_store(dialect="s3", buckets=[BUCKET], any_access_key=True))
            url = None
        else:
            url = f"http://127.0.0.1:{stack.enter_context(_server(contender))}"
            stack.enter_context(mock.patch.dict(os.environ, _KEYS))
        runner = stack.enter_context(asyncio.Runner())
        call, close = runner.run((_aiobotocore if client == "aiobotocore" else _httpx)(url, request))
        stack.callback(lambda: runner.run(close()))
        yield lambda: runner.run(call())


_AsyncCall = Callable[[], Coroutine[Any, Any, object]]


async def _aiobotocore(url: str | None, request: str) -> tuple[_AsyncCall, _AsyncCall]:
    from aiobotocore.session import get_session

    context = get_session().create_client("s3", endpoint_url=url)
    s3 = await context.__aenter__()

    async def put() -> None:
        await s3.put_object(Bucket=BUCKET, Key="cat", Body=BODY)

    async def get() -> None:
        async with (await s3.get_object(Bucket=BUCKET, Key="cat"))["Body"] as body:
            await body.read()

    await put()
    return {"PUT": put, "GET": get}[request], lambda: context.__aexit__(None, None, None)


async def _httpx(url: str | None, request: str) -> tuple[_AsyncCall, _AsyncCall]:
    import httpx

    client = httpx.AsyncClient(headers=_SIGNED, base_url=url or "https://s3.amazonaws.com")
    calls: dict[str, _AsyncCall] = {
        "PUT": lambda: client.put(f"/{BUCKET}/cat", content=BODY),
        "GET": lambda: client.get(f"/{BUCKET}/cat"),
    }
    await calls["PUT"]()
    return calls[request], client.aclose


@contextmanager
def _server(contender: str) -> Iterator[int]:
    """Start a server in a process of its own, create a bucket, and yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    own = ["fakestore", "serve", "--dialect", "s3", "--any-access-key", "--port", str(port)]
    command = own if contender == "fakestore server" else ["moto.server", "-p", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen([sys.executable, "-m", *command], stdout=quiet, stderr=quiet) as process:
        try:
            for _ in range(200):
                with suppress(OSError):
                    _send(HTTPConnection("127.0.0.1", port), "PUT", "")
                    break
                time.sleep(0.1)
            yield port
        finally:
            process.kill()


def _send(connection: HTTPConnection, method: str, key: str, body: Any = b"", size: int | None = None) -> int:
    """Send a request to a server, and return how many bytes it answered."""
    length = {"Content-Length": str(len(body) if size is None else size)}
    connection.request(method, f"/{BUCKET}/{key}", body, _SIGNED | length)
    response = connection.getresponse()
    received = sum(map(len, iter(lambda: response.read(MIB), b"")))
    assert response.status == 200, response.status
    return received


@contextmanager
def _one_client(contender: str, request: str) -> Iterator[Call]:
    with _server(contender) as port:
        connection = HTTPConnection("127.0.0.1", port)
        _send(connection, "PUT", "cat", BODY)
        yield {
            "PUT": lambda: _send(connection, "PUT", "key", BODY),
            "GET": lambda: _send(connection, "GET", "cat"),
            "PUT of 1 GiB": lambda: _send(connection, "PUT", "large", itertools.repeat(bytes(MIB), 1024), 1024 * MIB),
        }[request]
        connection.close()


@contextmanager
def _many_clients(contender: str) -> Iterator[Call]:
    """64 clients put and get 5 objects each, at the same time."""
    with _server(contender) as port, ThreadPoolExecutor(64) as pool:
        connections = [HTTPConnection("127.0.0.1", port) for _ in range(64)]

        def work(number: int) -> None:
            for index in range(5):
                _send(connections[number], "PUT", f"{number}-{index}", BODY)
                assert _send(connections[number], "GET", f"{number}-{index}") == len(BODY)

        yield lambda: list(pool.map(work, range(64)))


SERVERS = ("fakestore server", "moto_server")
CASES: dict[str, Case] = {
    **{f"{r}, requests, {c}": partial(_requests, c, r)
       for r in ("PUT", "GET", "copy", "DELETE") for c in ("fakestore", "bare", "moto")},
    **{f"{r}, boto3, {c}": partial(_boto3, c, r)
       for r in ("PUT", "GET", "copy", "list") for c in ("fakestore", "alone", "moto")},
    **{f"whole test, {s}, {c}": partial(_whole_test, c, s)
       for s in ("client", "Session()") for c in ("fakestore", "alone", "moto")},
    "enter and leave": _enter_and_leave,
    "enter and leave, serve": partial(_enter_and_leave, serve=True),
    **{f"{r}, {k}, {c}": partial(_asyncio, c, k, r)
       for k in ("aiobotocore", "httpx") for r in ("PUT", "GET") for c in ("fakestore", "moto_server")},
    **{f"{r}, one client, {c}": partial(_one_client, c, r) for r in ("PUT", "GET", "PUT of 1 GiB") for c in SERVERS},
    **{f"64 clients, {c}": partial(_many_clients, c) for c in SERVERS},
}  # fmt: skip

_PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "benchmarks/empty_suite.py"]
_IMPORT = "import requests, responses"
#: Commands whose whole time is measured.
COMMANDS = {
    "import of the libraries": [sys.executable, "-c", _IMPORT],
    "import of fakestore": [sys.executable, "-c", f"{_IMPORT}; from fakestore import fake_store; fake_store()"],
    "pytest without the plugin": [*_PYTEST, "-p", "no:fakestore"],
    "pytest with the plugin": _PYTEST,
}
