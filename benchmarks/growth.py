"""Times that must not grow with the size of a bucket or a history, and the time of a snapshot."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import requests

from benchmarks.counting import fill
from benchmarks.figure import Figure
from benchmarks.timing import by_turns, typical
from fakestore import fake_store

FEW, MANY = 1_000, 1_000_000
PREFIXES = 10
SHORT, PAGE, LONG = 10, 1_000, 100_000
SNAPSHOT = 100_000


def listings(progress: Callable[[str], None], many: int) -> list[Figure]:
    """Compare pages of a bucket with ``many`` keys with those of a bucket with 1,000."""
    with fake_store(buckets=["few", "many"]) as store, store.session() as session:
        for bucket, count in (("few", FEW), ("many", many)):
            progress(f"growth: filling a bucket with {count:,} keys")
            fill(store, bucket, (f"{n * PREFIXES // count}/{n:07}" for n in range(count)))
        gc.freeze()  # so that the garbage collector does not examine a million keys during the measurement

        def page(bucket: str, query: str) -> Callable[[], requests.Response]:
            return lambda: session.get(store.url(bucket) + query)

        def ratio(query: str) -> float:
            seconds = by_turns({bucket: page(bucket, query) for bucket in ("few", "many")}, rounds=12, batch=5)
            return seconds["many"] / seconds["few"]

        progress("growth: listing pages")
        ratios = {
            f"page of 1,000 keys: bucket of {many:,} keys to one of 1,000": ratio(""),
            f"page with delimiter: prefixes of {many // PREFIXES:,} keys to 100": ratio("?delimiter=/"),
            f"page of 1,000 versions: bucket of {many:,} keys to one of 1,000": ratio("?versions"),
        }
        gc.unfreeze()
    return [Figure(topic="Growth", name=name, value=value, unit="times", most=1.3) for name, value in ratios.items()]


def histories(progress: Callable[[str], None], long: int) -> list[Figure]:
    """Compare a key that has many versions with one that has few: PUT, GET and DELETE of a version, and a page."""
    with fake_store(buckets={"bench": "enabled"}) as store, store.session() as session:
        old: dict[str, list[str]] = {}
        for key, count in (("short", SHORT), ("page", PAGE), ("long", long)):
            progress(f"growth: writing {count:,} versions of one key")
            old[key] = fill(store, "bench", [key] * count)
        gc.freeze()

        def put(key: str) -> requests.Response:
            response = session.put(store.url("bench", key), data=b"body")
            old[key].append(response.headers["x-svc-version-id"])
            return response

        def get(key: str) -> requests.Response:
            return session.get(store.url("bench", key, versionId=old[key][len(old[key]) // 2]))

        def delete(key: str) -> requests.Response:
            return session.delete(store.url("bench", key, versionId=old[key].pop(len(old[key]) // 2)))

        def page(key: str) -> requests.Response:
            return session.get(store.url("bench", versions=None, prefix=key))

        progress("growth: PUT, GET and DELETE by version")
        requests_of_key = {"PUT": put, "GET": get, "DELETE": delete}
        # Each PUT is followed by a DELETE, so the histories keep their length.
        calls = {
            f"{name} {key}": partial(call, key) for name, call in requests_of_key.items() for key in ("short", "long")
        }
        seconds = by_turns(calls, rounds=60, batch=5)
        progress("growth: pages of versions of one key")
        pages = by_turns({key: partial(page, key) for key in ("page", "long")}, rounds=12, batch=5)
        gc.unfreeze()
    figures = [
        Figure(
            topic="Growth",
            name=f"{name} of a version: key of {long:,} versions to one of {SHORT}",
            value=seconds[f"{name} long"] / seconds[f"{name} short"],
            unit="times",
            most=1.2,
        )
        for name in requests_of_key
    ]
    page_of_many = Figure(
        topic="Growth",
        name=f"page of {PAGE:,} versions: key of {long:,} versions to one of {PAGE:,}",
        value=pages["long"] / pages["page"],
        unit="times",
        most=1.3,
    )
    return [*figures, page_of_many]


def snapshots(progress: Callable[[str], None]) -> list[Figure]:
    """Measure a snapshot, a restore, and the first write after it, which copies what the snapshot shares."""
    progress(f"growth: snapshot and restore of {SNAPSHOT:,} objects")
    least: dict[str, list[float]] = {"snapshot": [], "restore": [], "first write after a snapshot": []}
    with fake_store(buckets=["bench"]) as store, store.session() as session:
        fill(store, "bench", (f"key-{number:06}" for number in range(SNAPSHOT)))
        for number in range(7):
            batch: dict[str, list[float]] = {name: [] for name in least}
            for again in range(3):
                moments = [time.perf_counter()]
                snapshot = store.snapshot()
                moments.append(time.perf_counter())
                store.restore(snapshot)
                moments.append(time.perf_counter())
                session.put(store.url("bench", f"new-{number}-{again}"), data=b"body").raise_for_status()
                moments.append(time.perf_counter())
                for name, (start, end) in zip(least, pairwise(moments), strict=True):
                    batch[name].append((end - start) * 1000)
            for name, milliseconds in batch.items():
                least[name].append(min(milliseconds))
    return [
        Figure(
            topic="Growth",
            name=f"{name} of {SNAPSHOT:,} objects",
            value=typical(batches),
            unit="ms",
            most=None if name.startswith("first") else 20,
        )
        for name, batches in least.items()
    ]
