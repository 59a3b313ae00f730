"""What a store holds, as values that tests compare before and after."""

from __future__ import annotations

from fakestore import DeleteMarker, FakeStore


def state_of(store: FakeStore) -> object:
    """Return everything in the buckets. The values before and after a request are equal if it changed nothing.

    Versions, uploads and the values of settings are immutable.
    """
    return {name: (store[name].versions(), store[name].uploads, _settings(store, name)) for name in store}


def stack(store: FakeStore, bucket: str, key: str) -> list[bytes | type[DeleteMarker]]:
    """Return the versions of a key, newest first: the content of each, or ``DeleteMarker``."""
    entries = [each for each in store[bucket].versions() if each.key == key]
    return [DeleteMarker if isinstance(each, DeleteMarker) else bytes(each.content) for each in entries]


def _settings(store: FakeStore, name: str) -> dict[str, object]:
    """Return every setting of a bucket, including those that are added later.

    The public way is a GET of each subresource. It takes 9 ms for a bucket instead of 0.05 ms, and some tests compare
    after every request.
    """
    record = store._service.state.buckets[name]  # noqa: SLF001
    settings = {each: value for each, value in vars(record).items() if not each.startswith("_") and each != "uploads"}
    return settings | {"lifecycle": record.lifecycle, "configurations": dict(record.configurations)}
