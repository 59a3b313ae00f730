"""The values of header fields: bytes, encoded words (RFC 2047), codings, integers, dates and ranges."""

from __future__ import annotations

import base64
import binascii
import re
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from typing import NamedTuple


def wire_bytes(text: str) -> bytes:
    """Return the bytes of header text. Each of its characters is one byte.

    Text with other characters cannot arrive over HTTP; it is encoded as UTF-8.
    """
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


_NOT_BASE64 = r"[^A-Za-z0-9+/]"
_ENCODED_WORD = r"=\?(?P<charset>[^?\s]+)\?(?P<encoding>[BbQq])\?(?P<text>[^?]*)\?="
_BETWEEN_WORDS = r"(?<=\?=)\s+(?==\?)"
#: The charsets that are decoded. Python has more codecs, but some of them are not charsets, or fail on some input.
_CHARSETS = ("utf-8", "us-ascii", "iso-8859-1")
#: The characters that the encoding Q must escape: special characters, control characters and all beyond ASCII.
_Q_SPECIAL = rb"[^\x20-\x7e]|[=_?]"
#: The characters that need no encoding: printable ones and the tab (fact post_object-033).
_PLAIN = r"[ -~\t]"


def decode_words(value: str) -> str:
    """Return the text of a header value, with its encoded words decoded.

    Characters from U+0080 to U+00FF stand for bytes of UTF-8 if they form valid UTF-8. A word of an unknown charset is
    kept; bytes that are invalid in its charset become U+FFFD.

    Example:
        >>> decode_words("=?UTF-8?Q?caf=C3=A9?= =?UTF-8?B?YWJj?=")
        'caféabc'
    """
    with suppress(UnicodeError):
        value = value.encode("latin-1").decode()
    if "=?" not in value:
        return value
    return re.sub(_ENCODED_WORD, _decode_word, re.sub(_BETWEEN_WORDS, "", value))


def _decode_word(word: re.Match[str]) -> str:
    text, charset = word["text"], word["charset"].lower()
    if charset not in _CHARSETS:
        return word[0]
    raw = _decode_lenient_base64(text) if word["encoding"] in "Bb" else binascii.a2b_qp(text.encode(), header=True)
    return raw.decode(charset, errors="replace")


def _decode_lenient_base64(text: str) -> bytes:
    """Return the bytes of base64 text. An invalid character counts as the last one of the alphabet, as recorded."""
    digits = re.sub(_NOT_BASE64, "/", text.rstrip("="))
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return base64.b64decode(digits + "=" * (-len(digits) % 4))


def encode_words(text: str) -> str:
    r"""Return a text as a header value: as it is if it is printable ASCII and tabs, otherwise as one encoded word.

    The charset is UTF-8. The encoding is Q if most characters are printable ASCII or tabs, otherwise B.

    Example:
        >>> encode_words("plain"), encode_words("café 1"), encode_words("\x00")
        ('plain', '=?UTF-8?Q?caf=C3=A9_1?=', '=?UTF-8?B?AA==?=')
    """
    plain = len(re.findall(_PLAIN, text))
    if plain == len(text):
        return text
    raw = text.encode(errors="replace")
    if plain <= len(text) - plain:
        return f"=?UTF-8?B?{base64.b64encode(raw).decode()}?="
    quoted = re.sub(_Q_SPECIAL, lambda match: b"=%02X" % match[0][0], raw).replace(b" ", b"_")
    return f"=?UTF-8?Q?{quoted.decode()}?="


def is_aws_chunked(content_encoding: str) -> bool:
    return "aws-chunked" in list_members(content_encoding)


def without_aws_chunked(content_encoding: str) -> str | None:
    """Return a Content-Encoding without ``aws-chunked``, or None if nothing is left. Only the result is stored."""
    if not is_aws_chunked(content_encoding):
        return content_encoding
    return ",".join(coding for coding in list_members(content_encoding) if coding != "aws-chunked") or None


def list_members(value: str) -> list[str]:
    """Return the members of a header value that is a list of words. Empty members are ignored (RFC 9110, 5.6.1.2)."""
    return [member.strip() for member in value.split(",") if member.strip()]


def parse_expect(value: str) -> set[str]:
    """Return the expectations in an Expect header, in lower case (RFC 9110, 10.1.1)."""
    return {*list_members(value.lower())}


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


#: Larger than the size of any content.
_BEYOND = 10**18


class ByteRange(NamedTuple):
    """The range of a Range header. If `first` is None, the range is the `last` bytes of the content.

    Args:
        text: The header as it was sent.
    """

    text: str
    first: int | None
    last: int | None

    @classmethod
    def parse(cls, text: str) -> ByteRange | None:
        """Read the header. Return None if it is malformed or has several ranges: the service ignores it."""
        match = re.fullmatch("bytes=([0-9]*)-([0-9]*)", text)
        if match is None:
            return None
        first, last = map(_position, match.groups())
        if (last is None and first is None) or (first is not None and last is not None and last < first):
            return None
        return cls(text, first, last)

    def select(self, size: int) -> range:
        """Return the positions of the bytes in content of this size. It is empty if the content has none of them."""
        if self.first is None:
            return range(size - min(self.last or 0, size), size)
        return range(self.first, size if self.last is None else min(self.last + 1, size))


def _position(digits: str) -> int | None:
    if not digits:
        return None
    return int(digits) if len(digits) <= 18 else _BEYOND
