"""How much Python code runs, to compare how costs grow."""

from __future__ import annotations

import sys
from collections.abc import Callable


def count_calls(action: Callable[[], object]) -> int:
    """Run `action` and return how many Python functions it calls."""
    calls = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls
