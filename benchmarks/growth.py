"""What must not grow with a bucket or a history, and the memory of bodies.

Calls of functions and bytes are the same on every machine, so they are exact on a busy one, too.
"""

from __future__ import annotations

import itertools
import re
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import requests

from benchmarks.cases import BUCKET, MIB, Call
from fakestore import FakeStore, SparseContent, fake_store

_FEW, _MANY = 200, 20_000
#: The sizes of the buckets whose pages are timed.
_SMALL, _LARGE = 1_000, 200_000
_SNAPSHOT = 100_000
_BODY, _PART = 256 * MIB, 8 * MIB
_REPEATED = 1_000


class Traced:
    """The bytes that a block allocates, in MiB: the highest number, and the number that is left at its end."""

    peak = 0.0
    left = 0.0


@contextmanager
def traced() -> Iterator[Traced]:
    """Trace the memory that the block allocates."""
    memory = Traced()
    tracemalloc.start()
    try:
        yield memory
        memory.left, memory.peak = (each / MIB for each in tracemalloc.get_traced_memory())
    finally:
        tracemalloc.stop()


def calls_of(call: Call) -> int:
    """Return how many functions are called, in Python and in C.

    It is the lowest of three counts, because a change of the clock's second adds calls.
    """

    def count() -> int:
        counted = itertools.count()
        before = sys.getprofile()
        sys.setprofile(lambda frame, event, argument: event.endswith("call") and next(counted))
        try:
            call()
        finally:
            sys.setprofile(before)
        return next(counted)

    call()
    return min(count() for _ in range(3))


def growth_of_calls() -> dict[str, float]:
    """Return the calls for many keys or versions divided by those for few."""
    few, many = _growing_calls(_FEW), _growing_calls(_MANY)
    return {name: many[name] / few[name] for name in few}


def _growing_calls(size: int) -> dict[str, int]:
    with fake_store(buckets={"keys": "never", "versions": "enabled"}) as store, store.session() as session:
        _fill(store, "keys", (f"{number * 10 // size}/{number:06}" for number in range(size)))
        ids = _fill(store, "versions", ["cat"] * size)
        keys, versions, snapshot = store.url("keys"), store.url("versions"), store.snapshot()
        calls: dict[str, Callable[[], object]] = {
            "page of keys": lambda: session.get(f"{keys}?max-keys=20"),
            "page with delimiter": lambda: session.get(f"{keys}?delimiter=/"),
            "page of versions of one key": lambda: session.get(f"{versions}?versions&max-keys=20"),
            "PUT of a version": lambda: session.put(f"{versions}/cat", data=b"meow"),
            "GET of a version": lambda: session.get(f"{versions}/cat?versionId={ids[4]}"),
            "DELETE of a version": lambda: session.delete(f"{versions}/cat?versionId={ids.pop(5)}"),
            "snapshot": store.snapshot,
            "restore": lambda: store.restore(snapshot),
        }
        counted = {name: calls_of(call) for name, call in calls.items()}
        uploads = [_begin(store, session, f"key-{number:06}") for number in range(size // 10)]
        upload = store.url("keys", "key-000000", uploadId=uploads[0])
        for number in range(1, size // 10 + 1):
            session.put(f"{upload}&partNumber={number}", data=b"")
        counted["page of uploads"] = calls_of(lambda: session.get(f"{keys}?uploads&max-uploads=20"))
        counted["page of parts"] = calls_of(lambda: session.get(f"{upload}&max-parts=20"))
        return counted


def _fill(store: FakeStore, bucket: str, keys: Iterable[str]) -> list[str]:
    """Put an empty object under each key, without requests, and return the version ids in order."""
    put = store[bucket].put
    return [put(key).version_id for key in keys]


def _begin(store: FakeStore, session: requests.Session, key: str) -> str:
    reply = session.post(store.url("keys", key, uploads=None))
    return re.findall("<UploadId>(.*)</UploadId>", reply.text)[0]


def growth_of_times() -> dict[str, float]:
    """Return the times of pages of a large bucket, divided by those of a small one. C code can grow without calls."""
    with fake_store(buckets=["small", "large"]) as store, store.session() as session:
        for bucket, size in (("small", _SMALL), ("large", _LARGE)):
            _fill(store, bucket, (f"{number * 10 // size}/{number:07}" for number in range(size)))
        queries = {"page of 1,000 keys": "", "page with delimiter": "?delimiter=/", "page of versions": "?versions"}
        ratios = {}
        for name, query in queries.items():
            large, small = _by_turns(
                lambda query=query: session.get(store.url("large") + query),  # type: ignore[misc]
                lambda query=query: session.get(store.url("small") + query),  # type: ignore[misc]
            )
            ratios[name] = large / small
    return ratios


def snapshots() -> dict[str, float]:
    """Return the milliseconds of a snapshot and of a restore of many objects."""
    with fake_store(buckets=[BUCKET]) as store:
        _fill(store, BUCKET, (f"key-{number:06}" for number in range(_SNAPSHOT)))
        snapshot = store.snapshot()
        taken, restored = _by_turns(store.snapshot, lambda: store.restore(snapshot))
    return {"snapshot": taken * 1000, "restore": restored * 1000}


def _by_turns(*calls: Call) -> list[float]:
    """Return the median seconds of each call."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(15):
        for call, seconds in zip(calls, times, strict=True):
            begun = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - begun)
    return [statistics.median(each) for each in times]


def memory() -> dict[str, float]:
    """Return, in MiB, what bodies need beyond their own content."""
    figures = {}
    with fake_store(buckets=[BUCKET]) as store, store.session() as session:
        url = store.url(BUCKET, "key")
        session.put(url, data=b"warm")
        with traced() as put:
            body = bytes(_BODY)
            session.put(url, data=body).raise_for_status()
        figures["PUT of 256 MiB: peak"] = put.peak - _BODY // MIB
        with traced() as copy:
            session.put(f"{url}-copy", headers={"x-svc-copy-source": f"/{BUCKET}/key"}).raise_for_status()
        figures["copy of 256 MiB: peak"] = copy.peak
        store.reset()
        size = 5 * MIB * MIB
        with traced() as sparse:
            length = {"Content-Length": str(size)}
            session.put(url, data=SparseContent(size), headers=length).raise_for_status()
            session.get(url, stream=True).raise_for_status()
        figures["PUT and GET of 5 TiB, sparse: peak"] = sparse.peak
        with traced() as repeated:
            for _ in range(_REPEATED):
                session.put(url, data=bytes(MIB)).raise_for_status()
        figures[f"{_REPEATED:,} PUTs of 1 MiB to one key: left"] = repeated.left
    return figures | _memory_of_transfer()


def _memory_of_transfer() -> dict[str, float]:
    import io

    import boto3
    from boto3.s3.transfer import TransferConfig

    config = TransferConfig(multipart_threshold=_PART, multipart_chunksize=_PART, max_concurrency=4)
    with fake_store(dialect="s3", buckets=[BUCKET]):
        s3 = boto3.client("s3")
        s3.upload_fileobj(io.BytesIO(bytes(2 * _PART)), BUCKET, "warm", Config=config)
        with traced() as upload:
            s3.upload_fileobj(io.BytesIO(bytes(_BODY)), BUCKET, "key", Config=config)
    # The file is in memory until the end, and the store has its content.
    return {"boto3's upload of 256 MiB by 4 threads: peak": upload.peak - 2 * _BODY // MIB}
