"""Moving the process's clock, and putting it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any


class Travel:
    """A journey of the clock by freezegun: one that was frozen already is moved, and moved back."""

    def __init__(self) -> None:
        self._freezer: Any = None
        self._clock: Any = None
        self._moved = timedelta()

    def by(self, delta: timedelta) -> None:
        """Move the clock.

        Raises:
            RuntimeError: another freeze was begun since this journey began, and is still running.
        """
        # Here, because a test that does not travel need not pay for freezegun; and the module, which it replaces.
        import datetime

        from freezegun import api, freeze_time

        if not self._running():
            self._forget()
            if not api.freeze_factories:
                self._freezer = freeze_time(datetime.datetime.now(datetime.UTC), tick=True, real_asyncio=True)
                self._freezer.start()
            self._clock = api.freeze_factories[-1]
        self._check_on_top("travel further")
        self._clock.tick(delta)
        self._moved += delta

    def end(self) -> None:
        """Put the clock back.

        Raises:
            RuntimeError: another freeze was begun since this journey began, and is still running.
        """
        if self._running():
            self._check_on_top("put the clock back")
            if self._freezer is not None:
                self._freezer.stop()
            else:
                self._clock.tick(-self._moved)
        self._forget()

    def _running(self) -> bool:
        """Whether the clock that was moved still is one; a freeze that has ended took its own time with it."""
        if self._clock is None:
            return False
        from freezegun import api

        return any(clock is self._clock for clock in api.freeze_factories)

    def _forget(self) -> None:
        self._freezer = self._clock = None
        self._moved = timedelta()

    def _check_on_top(self, to_do: str) -> None:
        from freezegun import api

        if api.freeze_factories[-1] is not self._clock:
            raise RuntimeError(
                f"cannot {to_do}: the clock was frozen by somebody else after store.travel();"
                " end a freeze_time() that was begun after it before the store is left"
            )
