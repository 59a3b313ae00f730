"""Another thread acts at each step of a request."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

_Reply = TypeVar("_Reply")

#: The moments at which a function is called or returns.
CALLS = ("call", "return")
#: The same for functions that are written in C.
C_CALLS = ("c_call", "c_return")


def interrupt_at_each_step(
    send_request: Callable[[], _Reply],
    prepare: Callable[[], object],
    meanwhile: Callable[[], object],
    *,
    module: str = "",
    events: tuple[str, ...] = CALLS,
) -> Iterator[_Reply]:
    """Yield the reply of `send_request` once for each step of the store. The last request is not interrupted.

    At that step another thread runs `meanwhile`; it waits there if the store is locked.

    Args:
        prepare: What is done before each request.
        module: The end of the name of the file whose steps count.
    """
    interrupted = True
    step = 0
    while interrupted:
        step += 1
        prepare()
        thread = threading.Thread(target=meanwhile)
        steps = 0

        def interrupt(frame, event, argument, step=step, thread=thread):
            nonlocal steps
            steps += event in events and frame.f_code.co_filename.endswith(module)
            if steps == step:
                sys.setprofile(None)
                thread.start()
                thread.join(0.002 if not module else 0.02)

        sys.setprofile(interrupt)
        try:
            reply = send_request()
        finally:
            sys.setprofile(None)
        interrupted = thread.ident is not None
        if interrupted:
            thread.join()
        yield reply
