"""Encoded words (RFC 2047): text of any script in a header of ASCII characters."""

from __future__ import annotations

import base64
import binascii
import re
from contextlib import suppress

_BASE64 = r"[^A-Za-z0-9+/]"
_ENCODED_WORD = r"=\?(?P<charset>[^?\s]+)\?(?P<encoding>[BbQq])\?(?P<text>[^?]*)\?="
#: The charsets that are decoded. Python knows more, but some of those are not charsets, or fail on some input.
_CHARSETS = ("utf-8", "us-ascii", "iso-8859-1")
_BETWEEN_WORDS = r"(?<=\?=)\s+(?==\?)"
#: The characters that the encoding Q cannot write as they are: special ones, control characters and all beyond ASCII.
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
    return re.sub(_ENCODED_WORD, _decode, re.sub(_BETWEEN_WORDS, "", value))


def _decode(word: re.Match[str]) -> str:
    text, charset = word["text"], word["charset"].lower()
    if charset not in _CHARSETS:
        return word[0]
    raw = _decode_base64(text) if word["encoding"] in "Bb" else binascii.a2b_qp(text.encode(), header=True)
    return raw.decode(charset, errors="replace")


def _decode_base64(text: str) -> bytes:
    """Return the bytes of base64 text. An invalid character counts as the last one of the alphabet, as recorded."""
    digits = re.sub(_BASE64, "/", text.rstrip("="))
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
