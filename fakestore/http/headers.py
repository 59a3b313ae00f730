"""Header fields, whose names are compared without regard to case, and the encoded words in them (RFC 2047)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import TypeVar, overload

from fakestore.http.secrets import hide_header

_Default = TypeVar("_Default")


class Headers(Mapping[str, str]):
    """The header fields of a request or reply, by name.

    Names are compared without regard to case, and iteration yields them in lower case. If a name was sent twice, its
    values are joined by commas without spaces. Spaces and tabs around a value are removed (RFC 9110, section 5.5).
    Other white space, such as the character U+00A0, is kept, because it can stand for a byte of text in UTF-8.

    Example:
        >>> headers = Headers({"Content-Type": "text/plain"})
        >>> headers["content-type"]
        'text/plain'

    Args:
        fields: Pairs of name and value in the order in which they are sent, or a mapping of names to values.
    """

    def __init__(self, fields: Iterable[tuple[str, str]] | Mapping[str, str] = ()) -> None:
        #: The pairs of name and value as they were sent.
        self.fields: tuple[tuple[str, str], ...] = tuple(fields.items() if hasattr(fields, "items") else fields)

    @cached_property
    def by_name(self) -> dict[str, str]:
        """The values by name in lower case. It is a plain dictionary for speed, and is never changed."""
        values: dict[str, str] = {}
        for name, value in self.fields:
            key, stripped = name.lower(), value.strip(" \t")
            values[key] = f"{values[key]},{stripped}" if key in values else stripped
        return values

    @property
    def size(self) -> int:
        """The size of the header section in bytes.

        It counts the names and the values, and 4 bytes for the colon, the space and the line end of each field.
        """
        return sum(map(len, chain.from_iterable(self.fields))) + 4 * len(self.fields)

    def __getitem__(self, name: str) -> str:
        return self.by_name[name.lower()]

    @overload
    def get(self, name: str, /) -> str | None: ...
    @overload
    def get(self, name: str, /, default: _Default) -> str | _Default: ...
    def get(self, name: str, /, default: object = None) -> object:
        """Return the value of `name`, or `default`."""
        # Overridden for speed: `Mapping.get` raises and catches KeyError.
        return self.by_name.get(name.lower(), default)

    def keys(self) -> KeysView[str]:
        """Return the names in lower case."""
        return self.by_name.keys()

    def items(self) -> ItemsView[str, str]:
        """Return pairs of a name in lower case and its value."""
        return self.by_name.items()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self.by_name == {str(name).lower(): value for name, value in other.items()}

    __hash__ = None  # type: ignore[assignment]  # equal to mappings, which have no hash

    @property
    def fields_to_show(self) -> list[tuple[str, str]]:
        """The fields as they were sent, but without the values of headers that carry credentials."""
        return [(name, hide_header(name, value)) for name, value in self.fields]

    def __repr__(self) -> str:
        """Return the fields without credentials, because the report of a failed test contains it."""
        return f"Headers({self.fields_to_show!r})"


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
    return re.sub(_ENCODED_WORD, _decode, re.sub(_BETWEEN_WORDS, "", value))


def _decode(word: re.Match[str]) -> str:
    text, charset = word["text"], word["charset"].lower()
    if charset not in _CHARSETS:
        return word[0]
    raw = _decode_base64(text) if word["encoding"] in "Bb" else binascii.a2b_qp(text.encode(), header=True)
    return raw.decode(charset, errors="replace")


def _decode_base64(text: str) -> bytes:
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
