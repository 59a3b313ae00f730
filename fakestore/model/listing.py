"""Pages of a listing: what one page shows and where the next begins. A page costs the page, not the bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

from fakestore.model.bucket import BucketRecord
from fakestore.model.history import Entry, ObjectVersion, VersionId

_LAST_CODE_POINT = "\U0010ffff"


class CommonPrefix(NamedTuple):
    """Stands in a listing for every key that starts with it."""

    text: str


class ListedEntry(NamedTuple):
    """A version or delete marker in a listing of versions; ``latest`` whether it is the newest of its key."""

    entry: Entry
    latest: bool


Item = TypeVar("Item", ObjectVersion, ListedEntry)


class Page(NamedTuple, Generic[Item]):
    """One page: items and common prefixes, each in order, together at most as many as were asked for.

    ``last`` is what the page ends on: ``None`` on an empty page. ``truncated`` says that there is more behind it.
    """

    items: tuple[Item, ...]
    common_prefixes: tuple[str, ...]
    truncated: bool
    last: Item | CommonPrefix | None


def page_of_objects(
    bucket: BucketRecord, *, prefix: str = "", delimiter: str = "", after: str = "", size: int = 1000
) -> Page[ObjectVersion]:
    """Current objects whose keys start with ``prefix``, behind ``after``, at most ``size`` with common prefixes.

    Keys that have ``delimiter`` behind the prefix are shown by their common prefix alone. An ``after`` inside a
    common prefix, or equal to one, skips it whole. [marker-inside-a-common-prefix]
    """

    def shown() -> Iterator[ObjectVersion | CommonPrefix]:
        for found in _walk(bucket.current_keys_from, prefix, delimiter, after):
            yield found if isinstance(found, CommonPrefix) else bucket.current(found)

    return _page(shown(), size)


def page_of_versions(
    bucket: BucketRecord,
    *,
    prefix: str = "",
    delimiter: str = "",
    after: str = "",
    after_version: VersionId | None = None,
    size: int = 1000,
) -> Page[ListedEntry]:
    """Versions and delete markers: keys in order, within a key the newest first, by order of writing.

    Behind ``after`` alone all its versions are skipped; with ``after_version`` those written before that one are
    still shown, also where that one is gone. A page may end between any two of them.

    It costs the page; with ``after_version`` also the newer versions of that key, which are walked over.
    """

    def entries(key: str, listed: Iterable[Entry]) -> Iterator[ListedEntry]:
        newest = bucket.newest(key)
        return (ListedEntry(entry, latest=entry is newest) for entry in listed)

    def shown() -> Iterator[ListedEntry | CommonPrefix]:
        if after_version is not None and after.startswith(prefix) and _common(after, prefix, delimiter) is None:
            yield from entries(after, bucket.entries_older_than(after, after_version))
        for found in _walk(bucket.keys_from, prefix, delimiter, after):
            if isinstance(found, CommonPrefix):
                yield found
            else:
                yield from entries(found, bucket.entries(found))

    return _page(shown(), size)


def _page(shown: Iterator[Item | CommonPrefix], size: int) -> Page[Item]:
    items: list[Item] = []
    prefixes: list[str] = []
    last: Item | CommonPrefix | None = None
    truncated = False
    for found in shown:
        if len(items) + len(prefixes) == size:
            # A page of size 0 is empty and not truncated: there is nothing to go on behind.
            truncated = size > 0
            break
        last = found
        if isinstance(found, CommonPrefix):
            prefixes.append(found.text)
        else:
            items.append(found)
    return Page(tuple(items), tuple(prefixes), truncated, last)


class _KeysFrom(Protocol):
    """The keys of a listing from ``start`` on, in order; itself only where ``inclusive``."""

    def __call__(self, start: str, *, inclusive: bool) -> Iterator[str]: ...


def _walk(keys_from: _KeysFrom, prefix: str, delimiter: str, after: str) -> Iterator[str | CommonPrefix]:
    """The keys under ``prefix`` behind ``after``, each common prefix once, in order."""
    start: str | None = prefix
    inclusive = True
    if after >= prefix and after:
        skipped = _common(after, prefix, delimiter)
        start, inclusive = (after, False) if skipped is None else (_behind(skipped), True)
    while start is not None:
        for key in keys_from(start, inclusive=inclusive):
            if not key.startswith(prefix):
                return
            common = _common(key, prefix, delimiter)
            if common is None:
                yield key
            else:
                yield CommonPrefix(common)
                start, inclusive = _behind(common), True
                break
        else:
            return


def _common(key: str, prefix: str, delimiter: str) -> str | None:
    """The common prefix that stands for ``key``, if one does."""
    if not delimiter or not key.startswith(prefix):
        return None
    end = key.find(delimiter, len(prefix))
    return None if end < 0 else key[: end + len(delimiter)]


def _behind(prefix: str) -> str | None:
    """The least text behind every text that starts with ``prefix``; ``None`` where there is none."""
    kept = prefix.rstrip(_LAST_CODE_POINT)
    if not kept:
        return None
    # Behind U+D7FF that is a surrogate, which no key has: as good a bound as the next character.
    return kept[:-1] + chr(ord(kept[-1]) + 1)
