"""Moving the process's clock, and putting it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

#: Journeys' own freezes that could not be ended, because another had been begun on top, with their clocks; those
#: show the real time. They end as soon as a store that is made, travels or closes finds them on top.
_outlived: list[tuple[Any, Any]] = []


class Travel:
    """A journey of the clock by freezegun: one that was frozen already is moved, and moved back.

    Where a freeze was begun after the journey and outlives it, freezegun can only end that one first. Until then its
    time is shown, and from then on the right one, by a freeze of the journey's own that ticks with the real time;
    freezegun's patches stay in until another store is made, travels or closes.

    ``moved`` is how far it has gone, or had when it ended; nothing, where a freeze took it with it or covers it.
    """

    def __init__(self) -> None:
        self._freezer: Any = None
        self._clock: Any = None
        self._moved = timedelta()
        _end_outlived()

    @property
    def moved(self) -> timedelta:
        shown = self._clock is None or (self._running() and self._on_top())
        return self._moved if shown else timedelta()

    def by(self, delta: timedelta) -> None:
        """Move the clock.

        Raises:
            RuntimeError: another freeze was begun since this journey began, and is still running.
        """
        # Here, because a test that does not travel need not pay for freezegun; and the module, which it replaces.
        import datetime

        from freezegun import api, freeze_time

        _end_outlived()
        if not self._running():
            self._forget()
            if not api.freeze_factories:
                self._freezer = freeze_time(datetime.datetime.now(datetime.UTC), tick=True, real_asyncio=True)
                self._freezer.start()
            self._clock = api.freeze_factories[-1]
        if not self._on_top():
            raise RuntimeError(
                "cannot travel further: the clock was frozen by somebody else after store.travel(); end that"
                " freeze_time() first"
            )
        _move(self._clock, delta)
        self._moved += delta

    def end(self) -> None:
        """Put the clock back, as far as that is possible.

        Raises:
            RuntimeError: another freeze was begun since this journey began, and is still running; its time is shown
                until it ends, and the right one then.
        """
        moved = self.moved
        covered = self._running() and not self._on_top()
        if self._running():
            if any(clock is self._clock for _, clock in _outlived):
                pass  # another store's, whose journey is over: it shows the real time already
            elif self._freezer is None:
                _move(self._clock, -self._moved)
            elif covered:
                _show_real_time(self._clock)
                _outlived.append((self._freezer, self._clock))
            else:
                self._freezer.stop()
        self._forget()
        self._moved = moved
        _end_outlived()
        if covered:
            raise RuntimeError(
                "the clock was frozen by somebody else after store.travel(), and still is: end a freeze_time() that was"
                " begun after it before the store is left. The journey is over for the time after that freeze"
            )

    def _running(self) -> bool:
        """Whether the clock that was moved still is one; a freeze that has ended took its own time with it."""
        if self._clock is None:
            return False
        from freezegun import api

        return any(clock is self._clock for clock in api.freeze_factories)

    def _on_top(self) -> bool:
        from freezegun import api

        return api.freeze_factories[-1] is self._clock

    def _forget(self) -> None:
        self._freezer = self._clock = None
        self._moved = timedelta()


def _move(clock: Any, delta: timedelta) -> None:
    from freezegun import api

    if isinstance(clock, api.TickingDateTimeFactory):
        # Not by its tick(), which forgets the time that went by since it was moved last.
        clock.move_to(clock() + delta)
    else:
        clock.tick(delta)


def _show_real_time(clock: Any) -> None:
    import datetime

    from freezegun import api

    clock.move_to(api.real_datetime.now(datetime.UTC))


def _end_outlived() -> None:
    """End those whose clocks are on top now, and forget those that somebody else has ended."""
    if not _outlived:
        return
    from freezegun import api

    running = [(freezer, mine) for freezer, mine in _outlived if any(mine is clock for clock in api.freeze_factories)]
    while running and api.freeze_factories[-1] is running[-1][1]:
        running.pop()[0].stop()
    _outlived[:] = running
