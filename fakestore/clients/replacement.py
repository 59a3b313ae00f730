"""A function of another library that is replaced while stores are active."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Replacement:
    """Replaces one function for all stores together.

    Another library may replace the same function on top, and still be active when the last store is left. Then our
    replacement stays below, and passes on every call. It is removed when the next store is entered or left.

    Args:
        owner: The module or class that has the function.
        make: Makes the replacement. Its argument is the function that it replaces.
    """

    def __init__(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        self._owner = owner
        self._name = name
        self._make = make
        #: The function that the owner inherits, or None if it has its own.
        self._inherited = None if name in vars(owner) else getattr(owner, name)
        #: The functions that were put in place, each with the function that it replaced.
        self._previous: dict[Any, Any] = {}

    @property
    def is_on_top(self) -> bool:
        """Whether no other library has replaced our replacement."""
        return getattr(self._owner, self._name) in self._previous

    def put_in_place(self) -> None:
        """Replace the function, unless our replacement is on top already."""
        if not self.is_on_top:
            current = getattr(self._owner, self._name)
            replacement = self._make(current)
            self._previous[replacement] = current
            setattr(self._owner, self._name, replacement)

    def remove(self) -> bool:
        """Put back the function that was there before, and return whether no replacement is left."""
        if (current := getattr(self._owner, self._name)) in self._previous:
            previous = self._previous.pop(current)
            if previous is self._inherited:
                delattr(self._owner, self._name)
            else:
                setattr(self._owner, self._name, previous)
        return not self._previous
