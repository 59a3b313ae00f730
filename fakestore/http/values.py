"""The values of header fields: codings, integers, dates, entity tags and ranges."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache


def is_aws_chunked(content_encoding: str) -> bool:
    """Return whether a Content-Encoding header names ``aws-chunked``."""
    return "aws-chunked" in _codings(content_encoding)


def without_aws_chunked(content_encoding: str) -> str | None:
    """Return a Content-Encoding without ``aws-chunked``, or None if nothing is left. Only the result is stored.

    Example:
        >>> from fakestore.http.values import without_aws_chunked
        >>> without_aws_chunked("aws-chunked,gzip")
        'gzip'
    """
    if not is_aws_chunked(content_encoding):
        return content_encoding
    return ",".join(coding for coding in _codings(content_encoding) if coding != "aws-chunked") or None


def _codings(content_encoding: str) -> list[str]:
    return [coding.strip() for coding in content_encoding.split(",") if coding.strip()]


_INTEGER = re.compile(r"[0-9]{1,18}")


def parse_integer(text: str) -> int | None:
    """Return a number of at most 18 decimal digits. Return None for any other text."""
    return int(text) if _INTEGER.fullmatch(text) else None


#: No form of a date is longer than this many characters.
_MAX_DATE_LENGTH = 100


@lru_cache(maxsize=64)
def http_date(moment: datetime) -> str:
    """Return `moment`, which is in UTC, as an HTTP date: ``Sun, 06 Nov 1994 08:49:37 GMT``."""
    return format_datetime(moment, usegmt=True)


def parse_http_date(text: str) -> datetime | None:
    """Return the moment of a date in UTC, to the second, or None if `text` is not a date.

    The accepted forms are the three of RFC 9110, section 5.6.7, and dates of e-mail with another zone than GMT.
    """
    # A long text, or a header that was sent twice, is never a date. It would only fill the cache.
    return _parse(text) if len(text) <= _MAX_DATE_LENGTH and text.count(",") <= 1 else None


@lru_cache(maxsize=64)
def _parse(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def parse_entity_tags(header: str) -> list[str]:
    """Return the members of a list of entity tags as they were sent, without the blanks around them."""
    return [tag.strip(" \t") for tag in header.split(",")]


def matches_entity_tag(header: str, entity_tag: str, *, weakly: bool = False) -> bool:
    """Return whether a condition's header names `entity_tag`.

    The service accepts tags without quotation marks.

    Args:
        header: A list of entity tags, or ``*``, which matches every tag.
        entity_tag: The tag of the object; it is strong.
        weakly: Whether ``W/"tag"`` matches ``"tag"`` (RFC 9110, section 8.8.3.2).
    """
    expected = entity_tag.strip('"')
    tags = parse_entity_tags(header)
    if weakly:
        tags = [tag.removeprefix("W/") for tag in tags]
    return any(tag == "*" or tag.strip('"') == expected for tag in tags)


_RANGE = r"bytes=([0-9]*)-([0-9]*)"

#: Larger than the size of any content.
_BEYOND = 10**18


class UnsatisfiableRange(Exception):
    """A Range header selects no byte of the content."""


def parse_range(header: str | None, size: int) -> range | None:
    """Return the bytes that a Range header selects, or None if the whole content is to be sent.

    A malformed header is ignored, and a header with several ranges, too. The service does the same.

    Args:
        header: The value of the header, or None if it was not sent.
        size: The size of the content in bytes.
    """
    match = re.fullmatch(_RANGE, header) if header is not None else None
    if match is None or match[0] == "bytes=-":
        return None
    first, last = map(_position, match.groups())
    if match[1] and match[2] and last < first:
        return None
    if not match[1]:
        first, last = size - min(last, size), size - 1
    elif not match[2]:
        last = size - 1
    if first >= size:
        raise UnsatisfiableRange
    return range(first, min(last, size - 1) + 1)


def _position(digits: str) -> int:
    return int(digits or "0") if len(digits) <= 18 else _BEYOND
