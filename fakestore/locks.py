"""Locks that a child process can use after a fork, even if other threads held them.

A fork copies only the thread that forks. A lock that another thread holds at that moment would stay locked in the child
for ever, and the data that it protects could be half changed. So a fork waits until this process holds all locks
itself.
"""

from __future__ import annotations

import os
from threading import RLock
from weakref import WeakKeyDictionary

#: Every lock in order of creation. It is weak so that locks are freed with their stores.
_locks: WeakKeyDictionary[RLock, None] = WeakKeyDictionary()
_creating = RLock()
_held: list[RLock] = []


def new_lock() -> RLock:
    """Return a reentrant lock.

    A thread that takes several locks must take them in the order in which they were created, like a fork does.
    """
    with _creating:
        lock = RLock()
        _locks[lock] = None
        return lock


class Turns:
    """The turns in which threads use a store. A thread that has a turn can begin another one inside of it.

    Example:
        >>> turns = Turns()
        >>> with turns:
        ...     number = turns.number
        >>> with turns:
        ...     turns.had_others_since(number)
        False
    """

    __slots__ = ("_lock", "number")

    def __init__(self) -> None:
        self._lock = new_lock()
        #: The number of turns so far. Only the thread that has a turn reads it.
        self.number = 0

    def __enter__(self) -> None:
        self._lock.acquire()
        self.number += 1

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def had_others_since(self, number: int) -> bool:
        """Return whether there were turns between the turn `number` and the current turn, which the caller has."""
        return self.number > number + 1


def _acquire_all() -> None:
    _creating.acquire()  # before the locks are listed, because another thread may create one
    _held.append(_creating)
    for lock in _locks:
        lock.acquire()
        _held.append(lock)


def _release_all() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_acquire_all, after_in_parent=_release_all, after_in_child=_release_all)
