"""The stores that are active, and the functions to call when one starts.

It imports nothing, because pytest's plugin imports it in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakestore.api.store import FakeStore

#: The active stores of the process, in the order in which they were entered.
stores: list[FakeStore] = []
#: Called with each store that is entered.
on_start: list[Callable[[FakeStore], object]] = []
