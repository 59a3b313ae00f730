"""The cost of bodies: memory as `tracemalloc` counts it, and time compared with MD5."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import requests

from benchmarks.counting import MIB, Zeros, traced
from benchmarks.figure import Figure
from benchmarks.timing import by_turns
from fakestore import FakeStore, SparseContent, fake_store

LARGE = 256 * MIB
PUTS = 10_000


def bodies(progress: Callable[[str], None], size: int, repeated_puts: int) -> list[Figure]:
    """Measure the memory of large objects, and what is left of it after many PUTs to one key."""
    with fake_store(buckets=["bench"]) as store, store.session() as session:
        url = store.url("bench", "key")
        session.put(url, data=b"warm")
        progress(f"memory: PUT of {size // MIB} MiB")
        with traced() as put:
            body = bytes(size)
            session.put(url, data=body).raise_for_status()
        del body
        progress("memory: copy")
        with traced() as copy:
            source = {"x-svc-copy-source": "/bench/key"}
            session.put(f"{url}-copy", headers=source).raise_for_status()
        store.reset()
        progress("memory: PUT of a file of the same size")
        file = Zeros(size)
        with traced() as read:
            session.put(url, data=file).raise_for_status()
        store.reset()
        progress("memory: PUT and GET of 5 TiB")
        with traced() as sparse:
            length = {"Content-Length": str(5 * 1024 * 1024 * MIB)}
            session.put(url, data=SparseContent(5 * 1024 * 1024 * MIB), headers=length).raise_for_status()
            session.get(url, stream=True).raise_for_status()
        repeated = _repeated_puts(store, session, repeated_puts, progress)
    whole = size // MIB
    return [
        Figure(
            topic="Memory",
            name=f"PUT of {whole} MiB: left, with the body of the client",
            value=put.left / MIB,
            unit="MiB",
            most=whole + 1,
        ),
        Figure(topic="Memory", name=f"PUT of {whole} MiB: peak", value=put.peak / MIB, unit="MiB", most=whole + 1),
        Figure(topic="Memory", name=f"copy of {whole} MiB: peak", value=copy.peak / MIB, unit="MiB", most=1),
        Figure(
            topic="Memory",
            name=f"PUT of a file of {whole} MiB: left",
            value=read.left / MIB,
            unit="MiB",
            most=whole + 1,
        ),
        Figure(topic="Memory", name="PUT of a file: read at once", value=file.most / 1024, unit="KiB", most=1024),
        Figure(topic="Memory", name="PUT and GET of 5 TiB, sparse: peak", value=sparse.peak / MIB, unit="MiB", most=1),
        Figure(
            topic="Memory",
            name=f"{repeated_puts:,} PUTs of 1 MiB to one key: left",
            value=repeated,
            unit="MiB",
            most=32,
        ),
    ]


def _repeated_puts(store: FakeStore, session: requests.Session, count: int, progress: Callable[[str], None]) -> float:
    url = store.url("bench", "key")
    with traced() as puts:
        for number in range(count):
            if number % 1000 == 0:
                progress(f"memory: PUT {number:,} of {count:,}, 1 MiB each")
            session.put(url, data=bytes(MIB)).raise_for_status()
    return puts.left / MIB


def throughput(progress: Callable[[str], None], size: int) -> list[Figure]:
    """Compare a large PUT with MD5 over the same bytes."""
    progress(f"throughput: PUT of {size // MIB} MiB and MD5 of it, 6 rounds of 2")
    body = bytes(size)
    with fake_store(buckets=["bench"]) as store, store.session() as session:
        url = store.url("bench", "key")
        seconds = by_turns(
            {
                "MD5": lambda: hashlib.md5(body, usedforsecurity=False).hexdigest(),
                "PUT": lambda: session.put(url, data=body).raise_for_status(),
            },
            rounds=6,
            batch=2,
        )
    name = f"PUT of {size // MIB} MiB to MD5 of the same bytes"
    return [Figure(topic="Throughput", name=name, value=seconds["PUT"] / seconds["MD5"], unit="times", most=1.15)]
