"""Draws what PUT and DELETE do to the versions of a key, in each state of versioning.

The pictures come from a store: each request is applied to a bucket, and its versions before and after are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from lxml.etree import _Element

from docs.generate.svg import E, new_picture, render, text
from fakestore import Bucket, Dialect, Entry, FakeStore, ObjectVersion

_KEY = "cat.jpg"
_LEFT, _TOP = 150, 56
_WIDTH, _HEIGHT, _STEP = 178, 30, 36
_COLUMN, _ROW = _WIDTH + 18, 3 * _STEP + 40

_STYLE = """\
.kept rect { fill: light-dark(#f2f4f7, #232a35); stroke: light-dark(#c4cad4, #4a5567); }
.created rect { fill: light-dark(#dcf5e6, #16402b); stroke: light-dark(#1a7f4b, #5fd39a); stroke-width: 2; }
.removed rect { fill: none; stroke: light-dark(#b42318, #ff8f85); stroke-dasharray: 4 3; }
.removed text { fill: light-dark(#b42318, #ff8f85); text-decoration: line-through; }
"""


class _Box(NamedTuple):
    """A version or delete marker, and what the request did to it."""

    label: str
    fate: Literal["kept", "created", "removed"]


def _never(bucket: Bucket) -> None:
    bucket.put(_KEY)


def _enabled(bucket: Bucket) -> None:
    bucket.put(_KEY)
    bucket.versioning = "enabled"
    bucket.put(_KEY)


def _suspended(bucket: Bucket) -> None:
    bucket.versioning = "enabled"
    bucket.put(_KEY)
    bucket.versioning = "suspended"
    bucket.put(_KEY)


def _delete_latest(bucket: Bucket) -> None:
    bucket.delete_version(_KEY, bucket.versions()[0].version_id)


_STATES: dict[str, Callable[[Bucket], None]] = {
    "never versioned": _never,
    "enabled": _enabled,
    "suspended": _suspended,
}
_REQUESTS: dict[str, Callable[[Bucket], object]] = {
    "PUT": lambda bucket: bucket.put(_KEY, b"new"),
    "DELETE": lambda bucket: bucket.delete(_KEY),
    "DELETE by version id": _delete_latest,
}


def draw(dialect: Dialect) -> str:
    """Return a picture of the states and requests as SVG."""
    width = _LEFT + (len(_REQUESTS) + 1) * _COLUMN
    height = _TOP + len(_STATES) * _ROW
    picture = new_picture(
        width, height, f"What requests do to the versions of a key, in the dialect {dialect.name}", _STYLE
    )
    for column, title in enumerate(["before", *_REQUESTS]):
        picture.append(text(_LEFT + column * _COLUMN, _TOP - 22, title, "title"))
    for row, (state, prepare) in enumerate(_STATES.items()):
        top = _TOP + row * _ROW
        picture.append(E.line({"class": "line", "x1": "0", "x2": str(width), "y1": str(top - 8), "y2": str(top - 8)}))
        picture.append(text(16, top + 20, state, "title"))
        for column, request in enumerate([None, *_REQUESTS.values()]):
            picture.extend(_cell(_LEFT + column * _COLUMN, top, dialect, prepare, request))
    return render(picture)


def _cell(
    left: int,
    top: int,
    dialect: Dialect,
    prepare: Callable[[Bucket], None],
    request: Callable[[Bucket], object] | None,
) -> Iterator[_Element]:
    """Yield the elements that show the key before the request, or after it."""
    bucket = FakeStore(dialect=dialect, buckets=["photos"])["photos"]
    prepare(bucket)
    before = bucket.versions()
    if request is not None:
        request(bucket)
    after = bucket.versions()
    for place, box in enumerate(_boxes(before, after)):
        y = top + place * _STEP
        yield E.g(
            {"class": box.fate},
            E.rect({"x": str(left), "y": str(y), "width": str(_WIDTH), "height": str(_HEIGHT), "rx": "5"}),
            text(left + 10, y + 20, box.label),
        )
    answer = "GET answers 200" if _KEY in bucket else "GET answers 404"
    yield text(left, top + _ROW - 24, answer, "soft")


def _boxes(before: list[Entry], after: list[Entry]) -> Iterator[_Box]:
    """Yield what is there after the request, newest first, and then what it removed."""
    names = _names([*reversed(before), *reversed(after)])
    for entry in after:
        yield _Box(_label(entry, names), "kept" if entry in before else "created")
    for entry in before:
        if entry not in after:
            yield _Box(_label(entry, names), "removed")


def _names(oldest_first: list[Entry]) -> dict[str, str]:
    """Return a short name for each version id, in the order of writing."""
    ids = dict.fromkeys(entry.version_id for entry in oldest_first if entry.version_id != "null")
    return {"null": "null", **{version_id: f"v{number}" for number, version_id in enumerate(ids, 1)}}


def _label(entry: Entry, names: dict[str, str]) -> str:
    kind = "object" if isinstance(entry, ObjectVersion) else "delete marker"
    return f"{names[entry.version_id]}: {kind}"
