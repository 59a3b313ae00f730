"""Patterns of policies, in which ``*`` and ``?`` are wildcards."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache


def matches_pattern(name: str, pattern: str) -> bool:
    """Return whether a pattern matches a whole name.

    ``*`` matches any number of characters, slashes included, and ``?`` exactly one.

    Example:
        >>> matches_pattern("photos/2026/cat.jpg", "photos/*.jp?g"), matches_pattern("a/b", "?/*")
        (False, True)
    """
    return _expression(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    # fnmatch joins adjacent stars and makes each an atomic group, so a hostile pattern cannot cause backtracking.
    # It also knows [sets], which policies do not have; a set of one bracket matches that bracket.
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))
