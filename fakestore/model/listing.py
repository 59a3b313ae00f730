"""Pages of a listing. The cost of a page depends on the page, not on the size of the bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

from fakestore.model.bucket import BucketRecord
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.version_ids import VersionId

_LAST_CODE_POINT = "\U0010ffff"


class CommonPrefix(NamedTuple):
    """An item of a listing that replaces every key that starts with ``text``."""

    text: str


class ListedEntry(NamedTuple):
    """A version or delete marker in a listing of versions, and whether it is the latest entry of its key."""

    entry: Entry
    latest: bool


Item = TypeVar("Item", ObjectVersion, ListedEntry, MultipartUpload)


class Page(NamedTuple, Generic[Item]):
    """One page of a listing.

    Args:
        items: The objects or entries, in order.
        common_prefixes: The common prefixes, in order. Together with the items they are at most the size of the page.
        truncated: Whether the listing continues after this page.
        last: The item or common prefix at the end of the page, or None if the page is empty.
    """

    items: tuple[Item, ...]
    common_prefixes: tuple[str, ...]
    truncated: bool
    last: Item | CommonPrefix | None


def page_of_objects(
    bucket: BucketRecord, *, prefix: str = "", delimiter: str = "", after: str = "", size: int = 1000
) -> Page[ObjectVersion]:
    """Return a page of current objects.

    Args:
        prefix: Only keys that start with it are listed.
        delimiter: Keys that have it after the prefix are listed as a common prefix, which ends with the delimiter.
        after: Only keys greater than it are listed. If it is in a common prefix, or equal to one, that whole common
            prefix is skipped. [marker-inside-a-common-prefix]
        size: The maximum number of objects and common prefixes.
    """
    listed = _listed(bucket.current_keys_from, prefix, delimiter, after, items_of=lambda key: (bucket.get_object(key),))
    return _page(listed, size)


def page_of_versions(
    bucket: BucketRecord,
    *,
    prefix: str = "",
    delimiter: str = "",
    after: str = "",
    after_version: VersionId | None = None,
    size: int = 1000,
) -> Page[ListedEntry]:
    """Return a page of versions and delete markers: keys in order, and the entries of a key newest first.

    The arguments of :func:`page_of_objects` mean the same here. If ``after_version`` is not None, the newer versions of
    the key ``after`` cost time, too.

    Args:
        after_version: If it is None, all versions of the key ``after`` are skipped. Otherwise those that were written
            before ``after_version`` are listed, even if that version was removed.
    """

    def listed_entries(key: str, entries: Iterable[Entry]) -> Iterator[ListedEntry]:
        latest = bucket.latest_entry(key)
        return (ListedEntry(entry, latest=entry is latest) for entry in entries)

    older = () if after_version is None else listed_entries(after, bucket.entries_before(after, after_version))
    listed = _listed(
        bucket.keys_from,
        prefix,
        delimiter,
        after,
        items_of=lambda key: listed_entries(key, bucket.entries(key)),
        rest=older,
    )
    return _page(listed, size)


def page_of_uploads(
    bucket: BucketRecord,
    *,
    prefix: str = "",
    delimiter: str = "",
    after: str = "",
    after_upload: str | None = None,
    size: int = 1000,
) -> Page[MultipartUpload]:
    """Return a page of unfinished multipart uploads: keys in order, and the uploads of a key as they began.

    The arguments of :func:`page_of_objects` mean the same here.

    Args:
        after_upload: If it is None, all uploads of the key ``after`` are skipped. Otherwise those that began after
            ``after_upload`` are listed.

    Raises:
        ErrorResponse: InvalidArgument, if ``after_upload`` is not the id of an upload of the key ``after``.
    """
    later = () if after_upload is None else bucket.uploads_after(after, after_upload)
    listed = _listed(bucket.upload_keys_from, prefix, delimiter, after, items_of=bucket.list_uploads, rest=later)
    return _page(listed, size)


def _page(listed: Iterator[Item | CommonPrefix], size: int) -> Page[Item]:
    items: list[Item] = []
    prefixes: list[str] = []
    last: Item | CommonPrefix | None = None
    truncated = False
    for each in listed:
        if len(items) + len(prefixes) == size:
            # A page of size 0 is never truncated, because it has no last item from which a client could continue.
            truncated = size > 0
            break
        last = each
        if isinstance(each, CommonPrefix):
            prefixes.append(each.text)
        else:
            items.append(each)
    return Page(tuple(items), tuple(prefixes), truncated, last)


class _KeysFrom(Protocol):
    def __call__(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start`` in order, and ``start`` itself if ``inclusive``."""


def _listed(
    keys_from: _KeysFrom,
    prefix: str,
    delimiter: str,
    after: str,
    *,
    items_of: Callable[[str], Iterable[Item]],
    rest: Iterable[Item] = (),
) -> Iterator[Item | CommonPrefix]:
    """Yield the items and common prefixes of a listing, in order.

    Args:
        items_of: Returns the items of a key.
        rest: The items of the key ``after`` that are still to be listed.
    """
    if after.startswith(prefix) and _common_prefix(after, prefix, delimiter) is None:
        yield from rest
    for each in _keys_and_prefixes(keys_from, prefix, delimiter, after):
        if isinstance(each, CommonPrefix):
            yield each
        else:
            yield from items_of(each)


def _keys_and_prefixes(keys_from: _KeysFrom, prefix: str, delimiter: str, after: str) -> Iterator[str | CommonPrefix]:
    """Yield the keys that start with ``prefix`` and are greater than ``after``, in order; each common prefix once."""
    start: str | None = prefix
    inclusive = True
    if after >= prefix and after:
        skipped = _common_prefix(after, prefix, delimiter)
        start, inclusive = (after, False) if skipped is None else (_prefix_upper_bound(skipped), True)
    while start is not None:
        for key in keys_from(start, inclusive=inclusive):
            if not key.startswith(prefix):
                return
            common = _common_prefix(key, prefix, delimiter)
            if common is None:
                yield key
            else:
                yield CommonPrefix(common)
                start, inclusive = _prefix_upper_bound(common), True
                break
        else:
            return


def _common_prefix(key: str, prefix: str, delimiter: str) -> str | None:
    """Return the common prefix that replaces ``key``, or None if the key is listed itself."""
    if not delimiter or not key.startswith(prefix):
        return None
    end = key.find(delimiter, len(prefix))
    return None if end < 0 else key[: end + len(delimiter)]


def _prefix_upper_bound(prefix: str) -> str | None:
    """Return the smallest string greater than every string with this prefix, or None if no such string exists."""
    kept = prefix.rstrip(_LAST_CODE_POINT)
    if not kept:
        return None
    # The character after U+D7FF is a surrogate. It is a valid bound, because no key contains a surrogate.
    return kept[:-1] + chr(ord(kept[-1]) + 1)
