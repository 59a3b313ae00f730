"""One measured figure and its target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value in a unit. The target is at most ``most``, or at least ``least``.

    Without both, the figure has no target.
    """

    topic: str
    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def has_target(self) -> bool:
        return self.most is not None or self.least is not None

    @property
    def is_met(self) -> bool:
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    @property
    def target(self) -> str:
        if not self.has_target:
            return "none"
        return f"at most {_number(self.most)}" if self.most is not None else f"at least {_number(self.least or 0)}"

    @property
    def shown(self) -> str:
        return f"{_number(self.value)} {self.unit}".rstrip()

    def __str__(self) -> str:
        verdict = ("met" if self.is_met else "NOT MET") if self.has_target else "no target"
        return f"{self.name:58} {self.shown:>14}   {self.target:15} {verdict}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
