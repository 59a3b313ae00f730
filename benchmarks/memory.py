"""What bodies cost: memory by `tracemalloc`, and time against MD5 alone."""

from __future__ import annotations

import hashlib
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import requests

from benchmarks.figures import Figure
from fakestore import FakeStore, SparseContent, fake_store

MIB = 1024 * 1024
LARGE = 256 * MIB
REPEATED_PUTS = 10_000


class Traced:
    """Memory taken since tracing began, in MiB: at its highest, and what was left at the end."""

    def __init__(self) -> None:
        self.peak = 0.0
        self.left = 0.0


@contextmanager
def traced() -> Iterator[Traced]:
    found = Traced()
    tracemalloc.start()
    try:
        yield found
        left, peak = tracemalloc.get_traced_memory()
        found.left, found.peak = left / MIB, peak / MIB
    finally:
        tracemalloc.stop()


def bodies(progress: Callable[[str], None]) -> list[Figure]:
    with fake_store(buckets=["bench"]) as store, store.session() as session:
        url = store.url("bench", "key")
        session.put(url, data=b"warm")
        progress("memory: PUT of 256 MiB")
        with traced() as put:
            body = bytes(LARGE)
            session.put(url, data=body).raise_for_status()
        del body
        progress("memory: copy of 256 MiB")
        with traced() as copy:
            source = {"x-svc-copy-source": "/bench/key"}
            session.put(f"{url}-copy", headers=source).raise_for_status()
        store.reset()
        progress("memory: PUT of a file of 256 MiB")
        file = Zeros(LARGE)
        with traced() as read:
            session.put(url, data=file).raise_for_status()
        store.reset()
        progress("memory: PUT and GET of 5 TiB")
        with traced() as sparse:
            length = {"Content-Length": str(5 * 1024 * 1024 * MIB)}
            session.put(url, data=SparseContent(5 * 1024 * 1024 * MIB), headers=length).raise_for_status()
            session.get(url, stream=True).raise_for_status()
        repeated = _repeated_puts(store, session, progress)
    return [
        Figure(
            topic="Memory", name="PUT of 256 MiB: held, the client's included", value=put.left, unit="MiB", most=257
        ),
        Figure(topic="Memory", name="PUT of 256 MiB: highest", value=put.peak, unit="MiB", most=257),
        Figure(topic="Memory", name="copy of 256 MiB: highest", value=copy.peak, unit="MiB", most=1),
        Figure(topic="Memory", name="PUT of a file of 256 MiB: held", value=read.left, unit="MiB", most=257),
        Figure(
            topic="Memory", name="PUT of a file: bytes asked for at once", value=file.most / 1024, unit="KiB", most=1024
        ),
        Figure(topic="Memory", name="PUT and GET of 5 TiB, sparse: highest", value=sparse.peak, unit="MiB", most=1),
        Figure(topic="Memory", name="10,000 PUTs of 1 MiB to one key: left", value=repeated, unit="MiB", most=32),
    ]


class Zeros:
    """A file of zeros, as much of one as `requests` asks for; ``most`` is how many bytes were read at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._at = 0
        self.most = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(MIB), b"")

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        self.most = max(self.most, self._size if size < 0 else size)
        count = self._size - self._at if size < 0 else min(size, self._size - self._at)
        self._at += count
        return bytes(count)


def _repeated_puts(store: FakeStore, session: requests.Session, progress: Callable[[str], None]) -> float:
    url = store.url("bench", "key")
    with traced() as puts:
        for number in range(REPEATED_PUTS):
            if number % 1000 == 0:
                progress(f"memory: PUT {number:,} of {REPEATED_PUTS:,}, 1 MiB each")
            session.put(url, data=bytes(MIB)).raise_for_status()
    return puts.left


def throughput(progress: Callable[[str], None], rounds: int = 7) -> list[Figure]:
    """A large PUT against MD5 over the same bytes, by turns."""
    body = bytes(LARGE)
    ratios = []
    with fake_store(buckets=["bench"]) as store, store.session() as session:
        url = store.url("bench", "key")
        for number in range(rounds):
            progress(f"throughput: round {number + 1} of {rounds}")
            begun = time.perf_counter()
            hashlib.md5(body, usedforsecurity=False).hexdigest()
            middle = time.perf_counter()
            session.put(url, data=body).raise_for_status()
            ratios.append((time.perf_counter() - middle) / (middle - begun))
    value = statistics.median(ratios)
    return [Figure(topic="Throughput", name="PUT of 256 MiB, to MD5 of it alone", value=value, unit="times", most=1.15)]
