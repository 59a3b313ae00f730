"""Header values: dates, integers, limits, and the standard headers that every reply carries."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from itertools import count

from fakestore.http.headers import Headers
from fakestore.http.request import Request
from fakestore.model.errors import HEADER_SECTION_TOO_LARGE, INVALID_ARGUMENT, METADATA_TOO_LARGE
from fakestore.model.limits import Limits

#: Longer than any form of a date, in characters.
_LONGEST_DATE = 100
_INTEGER = re.compile(r"[0-9]{1,18}", re.ASCII)


@lru_cache(maxsize=64)
def http_date(moment: datetime) -> str:
    """``Sun, 06 Nov 1994 08:49:37 GMT``; of a moment in UTC."""
    return format_datetime(moment, usegmt=True)


def read_http_date(text: str) -> datetime | None:
    """The moment that an HTTP date names, in UTC, to the second; ``None`` where it is none.

    All three forms of RFC 9110 are read.
    """
    # What is no date at all would be remembered with it, however long it is; a header that came twice has more commas.
    return _read_http_date(text) if len(text) <= _LONGEST_DATE and text.count(",") <= 1 else None


@lru_cache(maxsize=64)
def _read_http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def read_integer(text: str) -> int | None:
    """A number of at most 18 decimal digits and nothing else; ``None`` where it is none."""
    return int(text) if _INTEGER.fullmatch(text) else None


def date_header(request: Request, name: str) -> datetime | None:
    """The HTTP date in a header, ``None`` where the header is not there.

    Raises:
        ErrorResponse: InvalidArgument, where the value is no date.
    """
    value = request.headers.get(name)
    if value is None:
        return None
    moment = read_http_date(value)
    if moment is None:
        raise INVALID_ARGUMENT.error(
            explanation=f"{name} is {value!r}, which is no HTTP date such as 'Sun, 06 Nov 1994 08:49:37 GMT'",
            ArgumentName=name,
            ArgumentValue=value,
        )
    return moment


def check_header_section(request: Request, limits: Limits) -> None:
    """Refuse a header section over the limit, the Host header included.

    Raises:
        ErrorResponse: RequestHeaderSectionTooLarge.
    """
    size = request.headers.size
    if "host" not in request.headers:
        size += len("host") + len(request.host) + 4
    if size > limits.header_section:
        raise HEADER_SECTION_TOO_LARGE.error(
            explanation=f"the headers have {size:,} bytes together; {limits.header_section:,} is the most",
            MaxSizeAllowed=str(limits.header_section),
        )


def read_user_metadata(own_headers: Mapping[str, str], limits: Limits) -> dict[str, str]:
    """User metadata by name, of the dialect's headers by name without prefix.

    Raises:
        ErrorResponse: MetadataTooLarge, where names and values have more UTF-8 bytes together than the limit.
    """
    family = "meta-"
    metadata = {name[len(family) :]: value for name, value in own_headers.items() if name.startswith(family)}
    if not metadata:
        return metadata
    size = size_of_metadata(metadata)
    if size > limits.metadata:
        raise METADATA_TOO_LARGE.error(
            explanation=f"the user metadata has {size:,} bytes of UTF-8; {limits.metadata:,} is the most",
            Size=str(size),
            MaxSizeAllowed=str(limits.metadata),
        )
    return metadata


def size_of_metadata(metadata: Mapping[str, str]) -> int:
    """Bytes of UTF-8 of names without prefix, and values, together: what the limit of user metadata bounds."""
    return sum(_utf8_size(name) + _utf8_size(value) for name, value in metadata.items())


def _utf8_size(text: str) -> int:
    """UTF-8 bytes of header text: those on the wire where they are UTF-8, else those of its characters."""
    if text.isascii():
        return len(text)
    try:
        wire = text.encode("latin-1")
        wire.decode()
    except UnicodeError:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(wire)


def split_by_prefix(headers: Headers, own: str, foreign: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Return the fields under the prefix `own`, by the rest of their names, and the names under one of `foreign`."""
    under, names = {}, []
    for name, value in headers.items():
        if name.startswith(own):
            under[name[len(own) :]] = value
        elif name.startswith(foreign):
            names.append(name)
    return under, names


class RequestIds:
    """The ids that every reply carries, each once until a reset; the same seed gives the same ids in the same order."""

    def __init__(self, seed: int) -> None:
        self._secret = b"request ids of seed %d" % seed
        self._numbers = count(1)  # its next() is one step, whichever threads ask

    def next(self) -> tuple[str, str]:
        """A request id (16 hexadecimal digits) and an id-2 (64)."""
        digest = hashlib.blake2b(b"%d" % next(self._numbers), digest_size=40, key=self._secret).hexdigest().upper()
        return digest[:16], digest[16:]
