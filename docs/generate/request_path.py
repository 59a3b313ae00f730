"""Draws the way of a request through the layers: one row for each step, one column for each layer.

The order of the layers comes from the contract in pyproject.toml, and every module that the picture names must exist.
"""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from lxml.etree import _Element

from docs.generate.svg import E, new_picture, render, text

_PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

_LEFT, _TOP = 12, 64
_COLUMN, _ROW = 118, 58
_WIDTH, _HEIGHT = 172, 42

_STYLE = """\
.soft { font-size: 11px; }
.title { text-anchor: middle; }
.locked { fill: light-dark(#eef2ff, #1d2438); }
.way { fill: none; stroke: light-dark(#98a2b3, #667085); stroke-width: 1.5; }
.step { fill: light-dark(#f2f4f7, #232a35); stroke: light-dark(#c4cad4, #4a5567); }
"""


class _Step(NamedTuple):
    """A step of a request: what happens, the module that does it, and whether the lock is held."""

    text: str
    module: str
    locked: bool = False


_STEPS = (
    _Step("convert the request", "clients.urllib3"),
    _Step("find bucket and key", "protocol.addressing"),
    _Step("find the operation", "operations.framework.table"),
    _Step("find a planned fault", "service.fault_plan"),
    _Step("authenticate", "protocol.auth.authenticator"),
    _Step("apply lifecycle rules", "model.bucket", locked=True),
    _Step("authorize", "operations.framework.access", locked=True),
    _Step("parse query, headers", "operations.framework.inputs", locked=True),
    _Step("check preconditions", "operations.framework.preconditions", locked=True),
    _Step("read the body", "operations.framework.body"),
    _Step("parse a document", "xml.document"),
    _Step("repeat 6, 7 and 9", "operations.framework.pipeline", locked=True),
    _Step("run the function", "operations.object", locked=True),
    _Step("change the state", "model.object_version", locked=True),
    _Step("render the result", "service.rendering"),
    _Step("apply the fault", "service.fault_plan"),
    _Step("record the exchange", "service.journal"),
    _Step("deliver the reply", "clients.urllib3"),
)


def draw_request_path() -> str:
    """Return the picture as SVG.

    Raises:
        LookupError: If a module or layer does not exist.
    """
    layers = _layers()
    width = _LEFT + (len(layers) - 1) * _COLUMN + _WIDTH + 8
    height = _TOP + len(_STEPS) * _ROW
    picture = new_picture(width, height, "How a request travels through the layers", _STYLE)
    for row, step in enumerate(_STEPS):
        if step.locked:
            band = {"x": "0", "y": str(_TOP + row * _ROW - 8), "width": str(width), "height": str(_ROW)}
            picture.append(E.rect({"class": "locked"}, **band))
            if not _STEPS[row - 1].locked:
                picture.append(text(10, _TOP + row * _ROW + 8, "the lock is held", "soft"))
    for column, layer in enumerate(layers):
        middle = _LEFT + column * _COLUMN + _WIDTH // 2
        picture.append(text(middle, 30, layer, "title"))
        picture.append(E.line({"class": "line", "x1": str(middle), "x2": str(middle), "y1": "40", "y2": str(height)}))
    places = [_place(row, step, layers) for row, step in enumerate(_STEPS)]
    picture.extend(_way(*pair) for pair in pairwise(places))
    for row, (step, (x, y)) in enumerate(zip(_STEPS, places, strict=True)):
        box = {"x": str(x), "y": str(y), "width": str(_WIDTH), "height": str(_HEIGHT), "rx": "5"}
        picture.append(E.rect({"class": "step"}, **box))
        picture.append(text(x + 8, y + 18, f"{row + 1} {step.text}"))
        picture.append(text(x + 8, y + 34, step.module.partition(".")[2], "soft"))
    return render(picture)


def _layers() -> list[str]:
    """Return the layers that have a step, from the top down."""
    contracts = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    used = {_layer(step) for step in _STEPS}
    # The first contract covers the whole package.
    return [name for layer in contracts[0]["layers"] if (name := layer.removeprefix("fakestore.")) in used]


def _layer(step: _Step) -> str:
    return step.module.partition(".")[0]


def _place(row: int, step: _Step, layers: list[str]) -> tuple[int, int]:
    """Return the upper left corner of the box of a step."""
    if find_spec(f"fakestore.{step.module}") is None:
        raise LookupError(f"the picture names fakestore.{step.module}, which does not exist")
    if _layer(step) not in layers:
        raise LookupError(f"{_layer(step)!r} is not a layer of pyproject.toml")
    return _LEFT + layers.index(_layer(step)) * _COLUMN, _TOP + row * _ROW


def _way(start: tuple[int, int], end: tuple[int, int]) -> _Element:
    """Return the line from the bottom of one box to the top of the next."""
    (x1, y1), (x2, y2) = start, end
    half = _WIDTH // 2
    turn = y1 + _HEIGHT + (y2 - y1 - _HEIGHT) // 2
    return E.path({"class": "way", "d": f"M {x1 + half} {y1 + _HEIGHT} V {turn} H {x2 + half} V {y2}"})
