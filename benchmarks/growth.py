"""What does not grow: pages of large buckets, steps in long histories; and what a snapshot costs."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable

import requests

from benchmarks.figures import Figure
from fakestore import FakeStore, fake_store
from fakestore.model.acl import PRIVATE
from fakestore.model.versions import Metadata, StorageClass

FEW, MANY = 1_000, 1_000_000
PREFIXES = 10
SHORT, LONG = 10, 100_000
SNAPSHOT = 100_000


def fill(store: FakeStore, bucket: str, keys: Iterable[str]) -> list[str]:
    """Put an empty object under every key, beneath HTTP, for that would take minutes; the version ids in order."""
    record = store._service.state.bucket(bucket)
    now, metadata = store._service.clock(), Metadata()
    return [
        record.put(
            key,
            b"",
            '"d41d8cd98f00b204e9800998ecf8427e"',
            asked_acl=PRIVATE,
            owner=store.default_account,
            metadata=metadata,
            storage_class=StorageClass.STANDARD,
            encryption=None,
            now=now,
        ).version_id
        for key in keys
    ]


def _by_turns(small: Callable[[], object], large: Callable[[], object], rounds: int) -> float:
    """How much longer ``large`` takes than ``small``: the ratio of the medians."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, times in zip((small, large), taken, strict=True):
            begun = time.perf_counter()
            call()
            times.append(time.perf_counter() - begun)
    return statistics.median(taken[1]) / statistics.median(taken[0])


def listings(progress: Callable[[str], None]) -> list[Figure]:
    with fake_store(buckets=["few", "many"]) as store, store.session() as session:
        for bucket, count in (("few", FEW), ("many", MANY)):
            progress(f"growth: filling a bucket with {count:,} keys")
            fill(store, bucket, (f"{n * PREFIXES // count}/{n:07}" for n in range(count)))
        gc.freeze()  # a million keys are not for the collector to look through while others are measured

        def page(bucket: str, query: str = "") -> Callable[[], requests.Response]:
            return lambda: session.get(store.url(bucket) + query)

        progress("growth: listing pages")
        plain = _by_turns(page("few"), page("many"), 30)
        by_delimiter = _by_turns(page("few", "?delimiter=/"), page("many", "?delimiter=/"), 100)
        versions = _by_turns(page("few", "?versions"), page("many", "?versions"), 30)
        gc.unfreeze()
    return [
        Figure(
            topic="Growth", name="page of 1,000 keys, in 1,000,000 to in 1,000", value=plain, unit="times", most=1.3
        ),
        Figure(
            topic="Growth",
            name="page by a delimiter, prefixes of 100,000 keys to of 100",
            value=by_delimiter,
            unit="times",
            most=1.3,
        ),
        Figure(topic="Growth", name="page of 1,000 versions, likewise", value=versions, unit="times", most=1.3),
    ]


def histories(progress: Callable[[str], None]) -> list[Figure]:
    """One key of few versions and one of many: a version is put, an old one read and then deleted."""
    with fake_store(buckets={"bench": "enabled"}) as store, store.session() as session:
        old: dict[str, list[str]] = {}
        for key, count in (("short", SHORT), ("long", LONG)):
            progress(f"growth: writing {count:,} versions of one key")
            old[key] = fill(store, "bench", [key] * count)
        gc.freeze()

        def put(key: str) -> requests.Response:
            answer = session.put(store.url("bench", key), data=b"body")
            old[key].append(answer.headers["x-svc-version-id"])
            return answer

        def get(key: str) -> requests.Response:
            return session.get(store.url("bench", key, versionId=old[key][len(old[key]) // 2]))

        def delete(key: str) -> requests.Response:
            return session.delete(store.url("bench", key, versionId=old[key].pop(len(old[key]) // 2)))

        progress("growth: PUT, GET and DELETE by version")
        taken: dict[tuple[str, str], list[float]] = {}
        for _ in range(300):
            for name, call in (("PUT", put), ("GET", get), ("DELETE", delete)):
                for key in old:
                    begun = time.perf_counter()
                    call(key).raise_for_status()
                    taken.setdefault((name, key), []).append(time.perf_counter() - begun)
        gc.unfreeze()
    return [
        Figure(
            topic="Growth",
            name=f"{name} by version, 100,000 versions to 10",
            value=statistics.median(taken[name, "long"]) / statistics.median(taken[name, "short"]),
            unit="times",
            most=1.2,
        )
        for name in ("PUT", "GET", "DELETE")
    ]


def snapshots(progress: Callable[[str], None]) -> list[Figure]:
    progress("growth: snapshot and restore of 100,000 objects")
    taking, restoring = [], []
    with fake_store(buckets=["bench"]) as store:
        fill(store, "bench", (f"key-{number:06}" for number in range(SNAPSHOT)))
        for _ in range(15):
            begun = time.perf_counter()
            snapshot = store.snapshot()
            middle = time.perf_counter()
            store.restore(snapshot)
            restoring.append((time.perf_counter() - middle) * 1000)
            taking.append((middle - begun) * 1000)
    return [
        Figure(topic="Growth", name=f"{name} of 100,000 objects", value=statistics.median(taken), unit="ms", most=20)
        for name, taken in (("snapshot", taking), ("restore", restoring))
    ]
