"""A function of another library that is replaced while stores are active."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Replacement:
    """Replaces one function for all stores together.

    Another library may replace the same function on top. Then ours stays below, where it must pass on what no store
    answers, and is removed as soon as it is on top again.

    Args:
        owner: The module or class that has the function.
        name: The name of the function.
        make: Makes the replacement. Its argument is the function that it replaces.
    """

    def __init__(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        self._owner = owner
        self._name = name
        self._make = make
        #: The functions that were put in place, with those that were there before.
        self._previous: dict[Any, Any] = {}

    def put_in_place(self) -> None:
        """Replace the function, unless our own is on top already."""
        current = getattr(self._owner, self._name)
        if current not in self._previous:
            replacement = self._make(current)
            self._previous[replacement] = current
            setattr(self._owner, self._name, replacement)

    def remove(self) -> None:
        """Put back the function that was there before, unless another library has replaced ours."""
        while (current := getattr(self._owner, self._name)) in self._previous:
            setattr(self._owner, self._name, self._previous.pop(current))
