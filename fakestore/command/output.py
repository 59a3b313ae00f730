"""The standard output of the command."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from queue import Full, Queue
from threading import Thread

#: How many lines wait to be written; further lines are dropped.
_MAX_WAITING_LINES = 1000
#: How long the last lines may take to be written when the server stops, in seconds.
_LAST_LINES = 1.0


class Output:
    """The standard output, written by a thread of its own: a full pipe must not stop the server.

    Lines are dropped while nobody reads them. When the reader closes the pipe, nothing more is written.
    """

    def __init__(self) -> None:
        self._texts: Queue[str | None] = Queue(_MAX_WAITING_LINES)
        self._dropped = 0
        self._thread = Thread(target=self._write_texts, name="fakestore-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Let the thread write `text`, which is one or more lines."""
        if self._dropped:
            text = f"{self._dropped} lines are missing here, because the output was not read\n{text}"
        try:
            self._texts.put_nowait(text)
            self._dropped = 0
        except Full:
            self._dropped += 1

    def flush(self) -> None:
        """Do nothing: the thread writes each text at once. `logging` calls this."""

    def close(self) -> None:
        """Wait until everything is written, but not longer than :data:`_LAST_LINES`."""
        with suppress(Full):
            self._texts.put_nowait(None)
            self._thread.join(_LAST_LINES)

    def _write_texts(self) -> None:
        stdout = sys.__stdout__
        if stdout is None:  # the program was started without a standard output
            return
        with suppress(OSError):
            while (text := self._texts.get()) is not None:
                data = text.encode(stdout.encoding, "backslashreplace")
                while data:  # not by `stdout`, because Python waits for its lock when the program ends
                    data = data[os.write(stdout.fileno(), data) :]
