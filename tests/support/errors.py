"""Errors as text, so that a table of invalid values names the value that was accepted."""

from __future__ import annotations

from collections.abc import Callable


def text_of_error(kind: type[Exception], call: Callable[[], object]) -> str:
    """Return the text of the error that the call raises, or an empty text if it raises none."""
    try:
        call()
    except kind as error:
        return str(error)
    return ""
