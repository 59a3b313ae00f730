"""Tables of cases: each case runs, also if an earlier one failed, and a failure names its case."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from reprlib import Repr

import pytest

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxtuple = _SHORT.maxdict = 200


def each(*cases: object) -> Iterator[AbstractContextManager]:
    """Yield a context for each case. After the last one, raise what failed in them.

    The loop must not end early, because the failures would be lost.

    Example:
        for case in each(("GET", 200), ("PATCH", 405)):
            with case as (method, status):
                assert send(method).status == status
    """
    failures = []

    @contextmanager
    def context(number, case):
        try:
            yield case
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"case {number} of {len(cases)}: {_SHORT.repr(case)}")
            failures.append(error)

    for number, case in enumerate(cases, 1):
        yield context(number, case)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases failed", failures)
