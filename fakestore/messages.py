"""Turns of phrase that several sentences for people share."""

from __future__ import annotations

from collections.abc import Iterable

#: Why something failed, where a test wanted it so.
ASKED_FOR = "a fault that was asked for"


def counted(count: int, noun: str) -> str:
    """``1 key``, ``2 keys``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question for the end of a sentence, with a blank in front; empty where no known name is near."""
    from difflib import get_close_matches  # here, because most names are right

    close = get_close_matches(name, list(known), 1)
    return f" Did you mean {close[0]!r}?" if close else ""
