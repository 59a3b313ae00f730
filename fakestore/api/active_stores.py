"""Which stores are patched in, and who is told of them. It imports nothing: pytest's plugin has it in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakestore.api.store import FakeStore

#: The stores that are patched in now, in order of their entering: the whole process's, as the patch is.
active: list[FakeStore] = []
#: Who is told of every store that is entered, in whatever way.
told: list[Callable[[FakeStore], object]] = []
