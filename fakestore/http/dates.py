"""HTTP dates."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

#: No form of a date is longer than this many characters.
_MAX_DATE_LENGTH = 100


@lru_cache(maxsize=64)
def http_date(moment: datetime) -> str:
    """Return `moment`, which is in UTC, as an HTTP date: ``Sun, 06 Nov 1994 08:49:37 GMT``."""
    return format_datetime(moment, usegmt=True)


def parse_http_date(text: str) -> datetime | None:
    """Return the moment of a date in UTC, to the second, or None if `text` is not a date.

    All three forms of RFC 9110, section 5.6.7, are understood, and dates of e-mail with another zone than GMT.
    """
    # A long text and a header that was sent twice cannot be dates, and would only fill the cache.
    return _parse(text) if len(text) <= _MAX_DATE_LENGTH and text.count(",") <= 1 else None


@lru_cache(maxsize=64)
def _parse(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
