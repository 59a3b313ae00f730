"""Moving the clock of the process, and putting it back."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

#: The clocks of the module `time` that measure durations. freezegun replaces them; travel does not move them.
_MONOTONIC = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")


class Travel:
    """The movement of the clock by one store, by freezegun.

    If the clock was frozen already, the existing freeze is moved, and moved back at the end. Otherwise the travel
    freezes the wall clock itself, and it goes on ticking from the new time.
    """

    def __init__(self) -> None:
        self._freezer: Any = None
        self._clock: Any = None
        #: The clocks of all active freezes, the innermost last. It is a list of freezegun.
        self._active_clocks: list[Any] = []
        self._moved = timedelta()

    @property
    def moved(self) -> timedelta:
        """How far the clock was moved; zero if the moved freeze has ended."""
        return self._moved if self._clock is None or self._is_running() else timedelta()

    def by(self, delta: timedelta) -> None:
        from freezegun import api, freeze_time  # imported here because most tests do not travel

        if not self._is_running():
            self._moved = timedelta()
            self._freezer = None
            self._active_clocks = api.freeze_factories
            if not self._active_clocks:
                real = {name: getattr(time, name) for name in _MONOTONIC}
                self._freezer = freeze_time(datetime.fromtimestamp(time.time(), UTC), tick=True)
                self._freezer.start()
                _restore_monotonic_clocks(real)
            self._clock = self._active_clocks[-1]
        if self._active_clocks[-1] is not self._clock:
            raise RuntimeError(
                "cannot travel further: a freeze_time() that was started after store.travel() is still active; end it"
                " first"
            )
        _move(self._clock, delta)
        self._moved += delta

    def end(self) -> None:
        moved = self.moved
        if self._is_running():
            _move(self._clock, -self._moved)
            self._moved = timedelta()
            if self._freezer is not None:
                if self._active_clocks[-1] is not self._clock:
                    raise RuntimeError(
                        "a freeze_time() that was started after store.travel() is still active. End it before the store"
                        " is left, or call store.close() after it has ended"
                    )
                self._freezer.stop()
        self._freezer = self._clock = None
        self._moved = moved

    def _is_running(self) -> bool:
        """Return whether the moved freeze is still active."""
        return any(clock is self._clock for clock in self._active_clocks)


def _move(clock: Any, delta: timedelta) -> None:
    from freezegun import api

    if isinstance(clock, api.TickingDateTimeFactory):
        # Its tick() is not used, because tick() forgets the time since the last move.
        clock.move_to(clock() + delta)
    else:
        clock.tick(delta)


def _restore_monotonic_clocks(real: dict[str, Any]) -> None:
    """Put back the clocks that measure durations, wherever freezegun has replaced them.

    freezegun has no option for this. If these clocks moved, deadlines and the durations of a test run would be wrong.
    """
    fakes = {id(getattr(time, name)): function for name, function in real.items()}
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] == "freezegun":
            continue
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in fakes:
                setattr(module, name, fakes[id(value)])
