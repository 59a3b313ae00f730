"""Integers in header fields and query parameters."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"[0-9]{1,18}")


def parse_integer(text: str) -> int | None:
    """Return a number of at most 18 decimal digits, or None if `text` is anything else."""
    return int(text) if _INTEGER.fullmatch(text) else None
