"""Costs in function calls, which are the same on every machine, with their targets."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.counting import fill, steps
from benchmarks.figure import Figure
from benchmarks.requests_side_by_side import Counted
from fakestore import fake_store

#: Only a PUT of content computes an MD5.
_MD5S = {"PUT": 1}

_SMALL, _LARGE = 200, 20_000


def requests(own: dict[str, Counted]) -> list[Figure]:
    """Check that a body is hashed once."""
    extra = sum(abs(counted.md5s - _MD5S.get(request, 0)) for request, counted in own.items())
    return [Figure(topic="Calls", name="missing or unnecessary MD5s, all requests", value=extra, unit="", most=0)]


def growth(progress: Callable[[str], None]) -> list[Figure]:
    """Compare the calls of a large bucket or history with those of a small one."""
    progress("counts: large and small buckets and histories")
    small, large = _growing_calls(_SMALL), _growing_calls(_LARGE)
    return [
        Figure(
            topic="Calls",
            name=f"{name}: {_LARGE:,} entries to {_SMALL}",
            value=large[name] / small[name],
            unit="times",
            most=1.02,
        )
        for name in small
    ]


def _growing_calls(size: int) -> dict[str, int]:
    with fake_store(buckets={"keys": "never", "versions": "enabled"}) as store, store.session() as session:
        fill(store, "keys", (f"{number * 10 // size}/{number:06}" for number in range(size)))
        ids = fill(store, "versions", ["cat"] * size)
        keys, versions = store.url("keys"), store.url("versions")
        snapshot = store.snapshot()
        calls: dict[str, Callable[[], object]] = {
            "page of keys": lambda: session.get(f"{keys}?max-keys=100"),
            "page with delimiter": lambda: session.get(f"{keys}?delimiter=/"),
            "page of versions of one key": lambda: session.get(f"{versions}?versions&max-keys=20"),
            "PUT of a version": lambda: session.put(f"{versions}/cat", data=b"meow"),
            "GET of a version": lambda: session.get(f"{versions}/cat?versionId={ids[4]}"),
            "DELETE of a version": lambda: session.delete(f"{versions}/cat?versionId={ids.pop(5)}"),
            "snapshot": store.snapshot,
            "restore": lambda: store.restore(snapshot),
        }
        return {name: _least(call) for name, call in calls.items()}


def _least(call: Callable[[], object]) -> int:
    """Return the lowest number of three counts, because a change of the clock's second adds calls."""
    call()
    return min(steps(call)["all"] for _ in range(3))
