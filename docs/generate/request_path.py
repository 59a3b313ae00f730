"""Draws the way of a request through the layers: one row for each step, one column for each layer.

The contract in pyproject.toml gives the order of the layers. The picture shows a PUT Object. A box shows a function and
its module.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from lxml.etree import _Element

from docs.generate import svg
from docs.generate.steps import Step, steps_of
from docs.generate.svg import E, new_picture, text
from fakestore.clients.urllib3 import StoreConnection
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework import pipeline
from fakestore.operations.object import put_object

_PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

_LEFT, _TOP = 12, 64
_COLUMN, _ROW = 118, 54
_WIDTH, _HEIGHT = 172, 42

_STYLE = """\
.soft { font-size: 11px; }
.title { text-anchor: middle; }
.locked { fill: light-dark(#eef2ff, #1d2438); }
.way { fill: none; stroke: light-dark(#98a2b3, #667085); stroke-width: 1.5; }
.step { fill: light-dark(#f2f4f7, #232a35); stroke: light-dark(#c4cad4, #4a5567); }
"""


class _Box(NamedTuple):
    """A step of a request: its name, the module that does its work, and whether the lock is held."""

    name: str
    module: str
    locked: bool


#: The functions whose calls have boxes of their own.
_EXPANDED = (pipeline.take_turns, pipeline.apply)


def _boxes(steps: Iterable[Step], *, locked: bool = False) -> Iterator[_Box]:
    """Yield the boxes of steps. The lock is held during the turns, and not while the body is read between them."""
    for step in steps:
        if step.function is not None:
            is_expanded = step.function in _EXPANDED
            module = step.function.__module__ if is_expanded else _worker(step, step.function.__module__)
            yield _Box(step.function.__name__, module, locked and step.function is not pipeline.receive_body)
            if is_expanded:
                yield from _boxes(step.calls, locked=True)
            elif step.function is put_object.run:
                yield _Box(BucketRecord.put.__name__, BucketRecord.__module__, locked)


def _worker(step: Step, own: str) -> str:
    """Return the module that does the work of a step: the first of another layer that it calls, or the first at all."""
    nested = [inner for each in step.calls for inner in (each, *each.calls)]
    called = [each.function.__module__ for each in nested if each.function is not None]
    return next((each for each in called if _layer(each) != _layer(own)), (called or [own])[0])


def draw_request_path() -> str:
    """Return the picture as SVG.

    Raises:
        LookupError: If a layer does not exist.
    """
    client = Step(StoreConnection.request), Step(StoreConnection.getresponse)
    boxes = list(_boxes((client[0], *steps_of(put_object), client[1])))
    layers = _layers(boxes)
    width = _LEFT + (len(layers) - 1) * _COLUMN + _WIDTH + 8
    height = _TOP + len(boxes) * _ROW
    picture = new_picture(width, height, "How a request travels through the layers", _STYLE)
    for row, box in enumerate(boxes):
        if box.locked:
            band = {"x": "0", "y": str(_TOP + row * _ROW - 8), "width": str(width), "height": str(_ROW)}
            picture.append(E.rect({"class": "locked"}, **band))
            if not boxes[row - 1].locked:
                picture.append(text(10, _TOP + row * _ROW + 8, "the lock is held", "soft"))
    for column, layer in enumerate(layers):
        middle = _LEFT + column * _COLUMN + _WIDTH // 2
        picture.append(text(middle, 30, layer, "title"))
        picture.append(E.line({"class": "line", "x1": str(middle), "x2": str(middle), "y1": "40", "y2": str(height)}))
    places = [_place(row, box, layers) for row, box in enumerate(boxes)]
    picture.extend(_way(*pair) for pair in pairwise(places))
    for box, (x, y) in zip(boxes, places, strict=True):
        frame = {"x": str(x), "y": str(y), "width": str(_WIDTH), "height": str(_HEIGHT), "rx": "5"}
        picture.append(E.rect({"class": "step"}, **frame))
        picture.append(text(x + 8, y + 18, box.name))
        picture.append(text(x + 8, y + 34, box.module.split(".", 2)[2], "soft"))
    return svg.render(picture)


def _layers(boxes: list[_Box]) -> list[str]:
    """Return the layers that have a box, from the top down."""
    contracts = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    used = {_layer(box.module) for box in boxes}
    # The first contract covers the whole package.
    return [name for layer in contracts[0]["layers"] if (name := layer.removeprefix("fakestore.")) in used]


def _layer(module: str) -> str:
    return module.split(".")[1]


def _place(row: int, box: _Box, layers: list[str]) -> tuple[int, int]:
    """Return the upper left corner of the box of a step."""
    if _layer(box.module) not in layers:
        raise LookupError(f"{_layer(box.module)!r} is not a layer of pyproject.toml")
    return _LEFT + layers.index(_layer(box.module)) * _COLUMN, _TOP + row * _ROW


def _way(start: tuple[int, int], end: tuple[int, int]) -> _Element:
    """Return the line from the bottom of one box to the top of the next."""
    (x1, y1), (x2, y2) = start, end
    half = _WIDTH // 2
    turn = y1 + _HEIGHT + (y2 - y1 - _HEIGHT) // 2
    return E.path({"class": "way", "d": f"M {x1 + half} {y1 + _HEIGHT} V {turn} H {x2 + half} V {y2}"})
