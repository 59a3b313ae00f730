"""The dates of signature version 4, for example ``20130524T000000Z``."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from fakestore.messages import iso_date

_TIMESTAMP = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z")


def parse_timestamp(text: str) -> datetime | None:
    """Return the moment of a text such as ``20130524T000000Z``, or None if it is not valid."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime(*map(int, match.groups()), tzinfo=UTC)  # type: ignore[arg-type,misc]  # six integers
    except ValueError:
        return None


@lru_cache(maxsize=64)  # 2 us less for each request, because clients sign with the current second
def render_timestamp(moment: datetime) -> str:
    """Return a moment in UTC as ``20130524T000000Z``."""
    return iso_date(moment).replace("-", "").replace(":", "")
