"""Patterns of policies, in which ``*`` and ``?`` are wildcards, and ``${*}``, ``${?}`` and ``${$}`` are characters."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache

_ESCAPED = re.compile(r"\$\{([*?$])\}")


def matches_pattern(name: str, pattern: str) -> bool:
    """Return whether a pattern matches a whole name.

    ``*`` matches any number of characters, slashes included, and ``?`` exactly one.

    Example:
        >>> matches_pattern("photos/2026/cat.jpg", "photos/*.jp?g"), matches_pattern("a/b", "?/*")
        (False, True)
    """
    return _expression(pattern).match(name) is not None


def escape(text: str) -> str:
    """Return the pattern that matches only `text`.

    Example:
        >>> escape("a*b")
        'a${*}b'
    """
    return re.sub(r"[*?$]", r"${\g<0>}", text)


def unescape(pattern: str) -> str:
    """Return a pattern as a text, in which ``*`` and ``?`` are not wildcards."""
    return _ESCAPED.sub(r"\1", pattern)


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    # fnmatch joins adjacent stars and makes each an atomic group, so a hostile pattern cannot cause backtracking.
    # It also knows [sets], which policies do not have; a set of one character matches that character.
    return re.compile(fnmatch.translate(_ESCAPED.sub(r"[\1]", pattern.replace("[", "[[]"))))
