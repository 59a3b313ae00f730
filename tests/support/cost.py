"""Which Python functions run, and how many, to compare how costs grow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def profile(action: Callable[[], object], note: Callable[[FrameType, str, object], None]) -> None:
    """Run `action`, and call `note` for each call and return of a function meanwhile."""
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)


def count_calls(action: Callable[[], object]) -> int:
    """Run `action` and return how many Python functions it calls."""
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    profile(action, note)
    return calls
