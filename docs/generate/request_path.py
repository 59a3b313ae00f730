"""Draws the way of a request through the layers: one row for each step, one column for each layer.

The order of the layers comes from the contract in pyproject.toml, and the order of the steps from the lists at the end
of the pipeline. A box shows the function, and the module that does its work.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from lxml.etree import _Element

from docs.generate import svg
from docs.generate.svg import E, new_picture, text
from fakestore.clients.urllib3 import StoreConnection
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework import pipeline
from fakestore.operations.framework.access import authorize
from fakestore.operations.framework.body import read_body
from fakestore.operations.framework.inputs import Inputs, Source
from fakestore.operations.framework.preconditions import WriteConditions
from fakestore.operations.framework.table import OperationTable
from fakestore.operations.object import put_object
from fakestore.protocol.addressing import parse_address
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.service.fault_plan import Fault, FaultPlan
from fakestore.service.journal import exchange_of
from fakestore.service.rendering import render

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


class _Step(NamedTuple):
    """A step of a request: its name, the module that does it, and whether the lock is held."""

    name: str
    module: str
    locked: bool


#: What does the step of a function that does not do it itself.
_WORKERS: dict[Callable[..., object], Callable[..., object]] = {
    pipeline.read_address: parse_address,
    pipeline.find_operation: OperationTable.find,
    pipeline.authenticate: Authenticator.authenticate,
    pipeline.read_guards: Inputs.parse,
    pipeline.open_bucket: BucketRecord.apply_lifecycle,
    pipeline.authorize_requester: authorize,
    pipeline.parse: Inputs.parse,
    pipeline.authorize_parameters: authorize,
    pipeline.find_source: Source.find,
    pipeline.check_inputs: WriteConditions,
    pipeline.receive_body: read_body,
    pipeline.apply: put_object.run,
}

#: What is done in the first and in the second turn, which hold the lock.
_FIRST_TURN, _SECOND_TURN = pipeline.CHECKS, (pipeline.apply, BucketRecord.put)


def _steps() -> Iterator[_Step]:
    """Yield the steps in their order, which comes from the lists of the pipeline."""
    yield from (_step(each) for each in (StoreConnection.request, *pipeline.FIRST_STEPS, FaultPlan.meet))
    yield from (_step(each) for each in pipeline.OPERATION_STEPS)
    yield from (_step(each, locked=True) for each in _FIRST_TURN)
    yield _step(pipeline.receive_body)
    yield from (_step(each, locked=True) for each in _SECOND_TURN)
    yield from (_step(each) for each in (render, Fault.alter, exchange_of, StoreConnection.getresponse))


def _step(function: Callable[..., object], *, locked: bool = False) -> _Step:
    return _Step(function.__name__, _WORKERS.get(function, function).__module__, locked)


def draw_request_path() -> str:
    """Return the picture as SVG.

    Raises:
        LookupError: If a layer does not exist.
    """
    steps = list(_steps())
    layers = _layers(steps)
    width = _LEFT + (len(layers) - 1) * _COLUMN + _WIDTH + 8
    height = _TOP + len(steps) * _ROW
    picture = new_picture(width, height, "How a request travels through the layers", _STYLE)
    for row, step in enumerate(steps):
        if step.locked:
            band = {"x": "0", "y": str(_TOP + row * _ROW - 8), "width": str(width), "height": str(_ROW)}
            picture.append(E.rect({"class": "locked"}, **band))
            if not steps[row - 1].locked:
                picture.append(text(10, _TOP + row * _ROW + 8, "the lock is held", "soft"))
    for column, layer in enumerate(layers):
        middle = _LEFT + column * _COLUMN + _WIDTH // 2
        picture.append(text(middle, 30, layer, "title"))
        picture.append(E.line({"class": "line", "x1": str(middle), "x2": str(middle), "y1": "40", "y2": str(height)}))
    places = [_place(row, step, layers) for row, step in enumerate(steps)]
    picture.extend(_way(*pair) for pair in pairwise(places))
    for step, (x, y) in zip(steps, places, strict=True):
        box = {"x": str(x), "y": str(y), "width": str(_WIDTH), "height": str(_HEIGHT), "rx": "5"}
        picture.append(E.rect({"class": "step"}, **box))
        picture.append(text(x + 8, y + 18, step.name))
        picture.append(text(x + 8, y + 34, step.module.split(".", 2)[2], "soft"))
    return svg.render(picture)


def _layers(steps: list[_Step]) -> list[str]:
    """Return the layers that have a step, from the top down."""
    contracts = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    used = {_layer(step) for step in steps}
    # The first contract covers the whole package.
    return [name for layer in contracts[0]["layers"] if (name := layer.removeprefix("fakestore.")) in used]


def _layer(step: _Step) -> str:
    return step.module.split(".")[1]


def _place(row: int, step: _Step, layers: list[str]) -> tuple[int, int]:
    """Return the upper left corner of the box of a step."""
    if _layer(step) not in layers:
        raise LookupError(f"{_layer(step)!r} is not a layer of pyproject.toml")
    return _LEFT + layers.index(_layer(step)) * _COLUMN, _TOP + row * _ROW


def _way(start: tuple[int, int], end: tuple[int, int]) -> _Element:
    """Return the line from the bottom of one box to the top of the next."""
    (x1, y1), (x2, y2) = start, end
    half = _WIDTH // 2
    turn = y1 + _HEIGHT + (y2 - y1 - _HEIGHT) // 2
    return E.path({"class": "way", "d": f"M {x1 + half} {y1 + _HEIGHT} V {turn} H {x2 + half} V {y2}"})
