"""The time of one request of boto3. fakestore, moto and boto3 alone are measured in turns, in one process."""

from __future__ import annotations

import gc
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.awsrequest import AWSHTTPSConnectionPool
from moto import mock_aws
from urllib3 import HTTPHeaderDict, HTTPResponse
from urllib3.connection import HTTPConnection

from benchmarks.contenders import BODY, BUCKET
from benchmarks.counting import MIB, traced
from benchmarks.figure import Figure
from benchmarks.timing import typical
from fakestore import FakeStore, fake_store
from fakestore.http import Reply, Request

#: The requests that are sent for each key, in this order.
REQUESTS = ("PUT", "GET", "HEAD", "copy", "page", "DELETE")
FAKESTORE, MOTO, ALONE = "fakestore", "moto", "boto3 alone"
#: How many keys a round has, and how many of them are not measured because caches are still cold.
KEYS, WARM_UP = 20, 5
#: How many keys a page of the listing has.
PAGE = 100
#: The size of the uploaded file and of its parts, and how many threads upload.
_FILE, _PART, _THREADS = 64 * MIB, 8 * MIB, 4

_ACCESS_KEY_ID, _SECRET_KEY = "bench", "the secret key"

Calls = dict[str, Callable[[], Any]]


@dataclass(slots=True)
class Boto3Times:
    """The minimum of each round in microseconds, by contender and request; see :mod:`benchmarks.timing`."""

    least: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def of(self, contender: str, request: str) -> float:
        """Return the median of the minima of the rounds."""
        return typical(self.least[contender, request])

    def gain(self, request: str) -> float:
        """Return how many times as long a request to moto takes."""
        return self.of(MOTO, request) / self.of(FAKESTORE, request)

    def share(self, request: str) -> float:
        """Return which part of the time of fakestore is the client's own: that of boto3, botocore and urllib3."""
        return self.of(ALONE, request) / self.of(FAKESTORE, request)


def measure(rounds: int, progress: Callable[[str], None]) -> Boto3Times:
    """Let each contender answer every request in each round. Another contender begins each time."""
    times = Boto3Times()
    contenders: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        FAKESTORE: _fakestore,
        MOTO: _moto,
        ALONE: _alone,
    }
    names = list(contenders)
    for number in range(rounds):
        progress(f"boto3: round {number + 1} of {rounds}")
        first = number % len(names)
        for name in names[first:] + names[:first]:
            gc.collect()  # so that no contender pays for the garbage of another
            with contenders[name]() as client:
                for request, microseconds in _round(client).items():
                    times.least.setdefault((name, request), []).append(min(microseconds))
    return times


def figures(times: Boto3Times) -> list[Figure]:
    """Return the comparison with moto, and how much of the time is the client's own."""
    gains = [
        Figure(
            topic="boto3",
            name=f"{request}: moto to fakestore",
            value=times.gain(request),
            unit="times",
        )
        for request in REQUESTS
    ]
    shares = [
        Figure(
            topic="boto3",
            name=f"{request}: share of boto3 and urllib3 in the time of fakestore",
            value=times.share(request) * 100,
            unit="%",
            least=60,
        )
        for request in REQUESTS
    ]
    return [*gains, *shares]


def upload(progress: Callable[[str], None]) -> list[Figure]:
    """Measure the memory of an upload by the threads of boto3's transfer manager."""
    progress(f"memory: upload_file of {_FILE // MIB} MiB")
    config = TransferConfig(multipart_threshold=_PART, multipart_chunksize=_PART, max_concurrency=_THREADS)
    with _fakestore() as client, tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "file"
        with file.open("wb") as opened:
            opened.truncate(_FILE)
        small = Path(directory) / "small"
        small.write_bytes(BODY)
        client.upload_file(str(small), BUCKET, "warm", Config=config)
        with traced() as memory:
            client.upload_file(str(file), BUCKET, "file", Config=config)
    name, most = f"upload_file of {_FILE // MIB} MiB", _FILE // MIB
    return [
        Figure(topic="Memory", name=f"{name}: left", value=memory.left / MIB, unit="MiB", most=most + 2),
        Figure(
            topic="Memory",
            name=f"{name}, {_THREADS} threads, parts of {_PART // MIB} MiB: peak",
            value=memory.peak / MIB,
            unit="MiB",
            most=most + _THREADS * _PART // MIB,
        ),
    ]


def _round(client: Any) -> dict[str, list[float]]:
    microseconds: dict[str, list[float]] = {}
    for number in range(KEYS):
        for request, call in _calls(client, f"key-{number}").items():
            start = time.perf_counter_ns()
            call()
            nanoseconds = time.perf_counter_ns() - start
            if number >= WARM_UP:
                microseconds.setdefault(request, []).append(nanoseconds / 1000)
    return microseconds


def _calls(client: Any, key: str) -> Calls:
    """Return a function for each of :data:`REQUESTS`. Call them in this order."""
    named = {"Bucket": BUCKET, "Key": key}
    copied = {"Bucket": BUCKET, "Key": "a copy", "CopySource": named}
    return {
        "PUT": lambda: client.put_object(**named, Body=BODY),
        "GET": lambda: client.get_object(**named)["Body"].read(),
        "HEAD": lambda: client.head_object(**named),
        "copy": lambda: client.copy_object(**copied),
        "page": lambda: client.list_objects_v2(Bucket=BUCKET, Prefix="page/", MaxKeys=PAGE),
        "DELETE": lambda: client.delete_object(**named),
    }


@contextmanager
def _fakestore() -> Iterator[Any]:
    with fake_store(dialect="s3", buckets=[BUCKET], access_key_id=_ACCESS_KEY_ID, secret_key=_SECRET_KEY) as store:
        _fill(store)
        with closing(_client()) as client:
            yield client


@contextmanager
def _moto() -> Iterator[Any]:
    with mock_aws(), closing(_client()) as client:
        client.create_bucket(Bucket=BUCKET)
        for number in range(PAGE):
            client.put_object(Bucket=BUCKET, Key=f"page/{number:03}", Body=b"")
        yield client


@contextmanager
def _alone() -> Iterator[Any]:
    """A client whose connection answers at once, with a copy of the first reply of its kind."""
    store = FakeStore(dialect="s3", buckets=[BUCKET], access_key_id=_ACCESS_KEY_ID, secret_key=_SECRET_KEY)
    _fill(store)
    connection = canned_connection(store)
    with mock.patch.object(AWSHTTPSConnectionPool, "ConnectionCls", connection), closing(_client()) as client:
        yield client


def canned_connection(store: FakeStore) -> type[HTTPConnection]:
    """Return a class of connections that answer at once, with the first reply of a store to such a request."""

    class Connection(_CannedConnection):
        answer = staticmethod(store.handle)
        replies: ClassVar[dict[_Kind, Reply]] = {}

    return Connection


#: The method, whether the path names a key, whether the URL has a query, and whether the request is a copy.
_Kind = tuple[str, bool, bool, bool]


class _CannedConnection(HTTPConnection):
    """A connection of urllib3 without another end."""

    answer: Callable[[Request], Reply]
    replies: ClassVar[dict[_Kind, Reply]]
    is_closed = False
    is_verified = True

    def __init__(self, host: str, port: int, **_: Any) -> None:
        super().__init__(host, port)

    def request(self, method: str, url: str, body: Any = None, headers: Any = None, **_: Any) -> None:
        self._sent = method, url
        kind = method, url.partition("?")[0] != "/", "?" in url, "x-amz-copy-source" in headers
        # Each request is read, because the client computes headers and body while it sends them.
        fields = {name: value if isinstance(value, str) else value.decode() for name, value in headers.items()}
        content = body.read() if hasattr(body, "read") else body or b""
        if kind not in self.replies:
            self.replies[kind] = self.answer(Request.to_url(method, f"https://{self.host}{url}", fields, content))
        self._reply = self.replies[kind]

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3 has its own class
        method, url = self._sent
        return HTTPResponse(
            io.BytesIO(bytes(self._reply.body)),
            HTTPHeaderDict(self._reply.headers.fields),
            self._reply.status,
            preload_content=False,
            decode_content=False,
            request_method=method,
            request_url=url,
        )


def _client() -> Any:
    return boto3.client(
        "s3", region_name="us-east-1", aws_access_key_id=_ACCESS_KEY_ID, aws_secret_access_key=_SECRET_KEY
    )


def _fill(store: FakeStore) -> None:
    for number in range(PAGE):
        store[BUCKET].put(f"page/{number:03}")
