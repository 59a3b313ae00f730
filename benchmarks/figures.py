"""One measured figure, what it should be, and whether it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value in a unit, and the target that it keeps: at most ``most``, or at least ``least``; one of them is given.

    ``wish`` is where it would rather be.
    """

    topic: str
    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    wish: float | None = None

    @property
    def holds(self) -> bool:
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    @property
    def target(self) -> str:
        bound = f"at most {_number(self.most)}" if self.most is not None else f"at least {_number(self.least or 0)}"
        return bound if self.wish is None else f"{bound} (aim {_number(self.wish)})"

    @property
    def shown(self) -> str:
        return f"{_number(self.value)} {self.unit}"

    def __str__(self) -> str:
        return f"{self.name:58} {self.shown:>14}   {self.target:26} {'holds' if self.holds else 'DOES NOT HOLD'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
