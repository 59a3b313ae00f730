"""Counts of function calls and of bytes, which are the same on every machine."""

from __future__ import annotations

import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import fakestore
from fakestore import FakeStore

MIB = 1024 * 1024

_PACKAGE = str(Path(fakestore.__file__).parent)


class Traced:
    """The bytes that a block allocates: the highest number, and the number that is left at its end."""

    peak = 0
    left = 0


@contextmanager
def traced() -> Iterator[Traced]:
    """Trace the memory that the block allocates."""
    traced_memory = Traced()
    tracemalloc.start()
    try:
        yield traced_memory
        traced_memory.left, traced_memory.peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def steps(call: Callable[[], object]) -> Counter[str]:
    """Count the functions that ``call`` calls.

    "own" counts those of the package, "python" all that are written in Python, "all" also those in C, and "md5" how
    often an MD5 is started.
    """
    counted: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            counted["all"] += 1
            counted["python"] += 1
            counted["own"] += frame.f_code.co_filename.startswith(_PACKAGE)
        elif event == "c_call":
            counted["all"] += 1
            counted["md5"] += getattr(argument, "__name__", "") == "openssl_md5"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return counted


def fill(store: FakeStore, bucket: str, keys: Iterable[str]) -> list[str]:
    """Put an empty object under each key, without requests, and return the version ids in order."""
    put = store[bucket].put
    return [put(key).version_id for key in keys]


class Zeros:
    """A file of zeros, with the methods that `requests` uses. ``most`` is the largest number of bytes read at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._at = 0
        self.most = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(MIB), b"")

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        left = self._size - self._at
        self.most = max(self.most, left if size < 0 else size)
        count = left if size < 0 else min(size, left)
        self._at += count
        return bytes(count)
