"""What a test's author uses: stores, buckets, options, faults, exchanges, reports.

This module imports nothing, because pytest's plugin imports it in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakestore.api.store import FakeStore

#: The active stores of the process, in the order in which they were entered.
active_stores: list[FakeStore] = []
#: Options of every store that does not name them. The pytest plugin sets the dialect of a run.
default_options: dict[str, Any] = {}
#: Called with each store that is entered.
on_enter: list[Callable[[FakeStore], object]] = []
