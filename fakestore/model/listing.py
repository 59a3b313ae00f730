"""Pages of a listing. The cost of a page depends on the page, not on the size of the bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, takewhile
from typing import Generic, NamedTuple, TypeVar

from fakestore.model.bucket import BucketRecord
from fakestore.model.keys import SortedKeys
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry, ObjectVersion

_LAST_CODE_POINT = "\U0010ffff"


class ListedEntry(NamedTuple):
    """A version or delete marker in a listing of versions, and whether it is the latest entry of its key."""

    entry: Entry
    latest: bool

    @property
    def key(self) -> str:
        return self.entry.key


Item = TypeVar("Item", ObjectVersion, ListedEntry, MultipartUpload)


class Selection(NamedTuple):
    """What a page of a listing shows.

    Args:
        prefix: Only keys that start with it are listed.
        delimiter: Keys that have it after the prefix are listed as a common prefix, which ends with the delimiter.
        after: Only keys greater than it are listed. If it is in a common prefix, or equal to one, that whole common
            prefix is skipped. [marker-inside-a-common-prefix]
        size: The maximum number of items and common prefixes.
    """

    prefix: str
    delimiter: str
    after: str
    size: int

    def common_prefix(self, key: str) -> str | None:
        """Return the common prefix that replaces ``key``, or None if the key is listed itself."""
        if not self.delimiter or not key.startswith(self.prefix):
            return None
        end = key.find(self.delimiter, len(self.prefix))
        return None if end < 0 else key[: end + len(self.delimiter)]


class Page(NamedTuple, Generic[Item]):
    """One page of a listing.

    Args:
        truncated: Whether the listing continues after this page.
        last: The item or common prefix at the end of the page, or None if the page is empty.
    """

    items: tuple[Item, ...]
    common_prefixes: tuple[str, ...]
    truncated: bool
    last: Item | str | None

    @property
    def truncated_after(self) -> int | None:
        """The number of items and common prefixes, if the listing continues after this page."""
        return len(self.items) + len(self.common_prefixes) if self.truncated else None

    @property
    def last_key(self) -> str:
        """The key or common prefix at the end of the page; empty if the page is empty."""
        if self.last is None:
            return ""
        return self.last if isinstance(self.last, str) else self.last.key


def page_of_objects(bucket: BucketRecord, selection: Selection) -> Page[ObjectVersion]:
    return _page(bucket.object_keys, selection, lambda key: (bucket.get_object(key),))


def page_of_versions(bucket: BucketRecord, selection: Selection, after_version: str | None = None) -> Page[ListedEntry]:
    """Return a page of versions and delete markers: keys in order, and the entries of a key newest first.

    Args:
        after_version: If it is None, all versions of the key ``selection.after`` are skipped. Otherwise the versions
            written before ``after_version`` are listed, even if ``after_version`` was removed. Newer versions then cost
            time, too.
    """

    def listed_entries(key: str, entries: Iterable[Entry]) -> Iterator[ListedEntry]:
        latest = bucket.latest_entry(key)
        return (ListedEntry(entry, latest=entry is latest) for entry in entries)

    after = selection.after
    older = () if after_version is None else listed_entries(after, bucket.entries_before(after, after_version))
    return _page(bucket.keys, selection, lambda key: listed_entries(key, bucket.entries(key)), older)


def page_of_uploads(
    bucket: BucketRecord, selection: Selection, after_upload: str | None = None
) -> Page[MultipartUpload]:
    """Return a page of unfinished multipart uploads: keys in order, and the uploads of a key as they began.

    Args:
        after_upload: If it is None, all uploads of the key ``selection.after`` are skipped. Otherwise the uploads that
            began after ``after_upload`` are listed.
    """
    later = () if after_upload is None else bucket.uploads.after(selection.after, after_upload)
    return _page(bucket.uploads.keys, selection, bucket.uploads.of_key, later)


def _page(
    keys: SortedKeys, selection: Selection, items_of: Callable[[str], Iterable[Item]], rest: Iterable[Item] = ()
) -> Page[Item]:
    """Return a page of a listing; ``rest`` are the items of the key ``selection.after`` that are still to be listed."""
    size = selection.size
    listed = list(islice(_listed(keys, selection, items_of, rest), size + 1))
    shown = listed[:size]
    return Page(
        items=tuple([each for each in shown if not isinstance(each, str)]),
        common_prefixes=tuple([each for each in shown if isinstance(each, str)]),
        # A page of size 0 is never truncated, because it has no last item from which a client could continue.
        truncated=0 < size < len(listed),
        last=shown[-1] if shown else None,
    )


def _listed(
    keys: SortedKeys, selection: Selection, items_of: Callable[[str], Iterable[Item]], rest: Iterable[Item]
) -> Iterator[Item | str]:
    prefix, after = selection.prefix, selection.after
    start: str | None = prefix
    inclusive = True
    if after and after >= prefix:
        skipped = selection.common_prefix(after)
        if skipped is not None:
            start = _prefix_upper_bound(skipped)
        elif after.startswith(prefix):
            yield from rest
            start, inclusive = after, False
        else:
            return
    while start is not None:
        with_prefix = takewhile(lambda key: key.startswith(prefix), keys.starting_at(start, inclusive=inclusive))
        start, inclusive = None, True
        for key in with_prefix:
            common = selection.common_prefix(key)
            if common is not None:
                yield common
                start = _prefix_upper_bound(common)
                break
            yield from items_of(key)


def _prefix_upper_bound(prefix: str) -> str | None:
    """Return the smallest string greater than every string with this prefix, or None."""
    kept = prefix.rstrip(_LAST_CODE_POINT)
    if not kept:
        return None
    # The character after U+D7FF is a surrogate. It is a valid bound, because no key contains a surrogate.
    return kept[:-1] + chr(ord(kept[-1]) + 1)
