"""What can be counted instead of timed, and so is the same on every machine; the tests of cost count by it too."""

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
from fakestore.model.object_version import NewObject

MIB = 1024 * 1024

_PACKAGE = str(Path(fakestore.__file__).parent)


class Traced:
    """Bytes taken since tracing began: at most, and left at the end."""

    peak = 0
    left = 0


@contextmanager
def traced() -> Iterator[Traced]:
    """Trace the memory that is taken inside the block."""
    found = Traced()
    tracemalloc.start()
    try:
        yield found
        found.left, found.peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def steps(call: Callable[[], object]) -> Counter[str]:
    """How many functions ``call`` calls: under "own" those of the package, under "python" all that are written in
    Python, under "all" those in C too, and under "md5" how often an MD5 was begun.
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
    """Put an empty object under every key, beneath HTTP, for that would take minutes; the version ids in order."""
    record = store._service.state.bucket(bucket)
    now = store._service.clock()
    return [
        record.put(
            key,
            NewObject(content=b"", digest="d41d8cd98f00b204e9800998ecf8427e"),
            owner=store.default_account,
            now=now,
        ).version_id
        for key in keys
    ]


class Zeros:
    """A file of zeros, as much of one as `requests` asks for; ``most`` is how many bytes were asked for at once."""

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
