"""The text of requests as signatures need it: bytes, percent-encoding, headers and parameters."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Set
from dataclasses import replace
from urllib.parse import quote, unquote_to_bytes

from fakestore.http import Headers, Request
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.settings import AuthSettings

_OTHER_VERSION_4 = re.compile("(?!AWS4-)[A-Z0-9]+4-(HMAC|RSA)-SHA256")


def is_same_signature(expected: str, received: str) -> bool:
    """Compare two signatures in constant time."""
    return hmac.compare_digest(wire_bytes(expected), wire_bytes(received))


def wire_bytes(text: str) -> bytes:
    """Return the bytes of header text. Each of its characters is one byte.

    Text with other characters cannot arrive over HTTP; it is encoded as UTF-8.
    """
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def encode_text(text: str) -> str:
    """Percent-encode everything except letters, digits and ``-_.~``, as signatures require."""
    return quote(text, safe="-_.~", errors="surrogatepass")


def encode_path(target: str) -> str:
    """Return the path of a request target, decoded and encoded again as signatures require."""
    path = target.partition("?")[0] or "/"
    return quote(unquote_to_bytes(path.encode("utf-8", "surrogatepass")), safe="/-_.~")


def url_with_query(request: Request, parameters: Mapping[str, str]) -> str:
    """Return the URL of a request with more query parameters at its end."""
    added = "&".join(f"{encode_text(name)}={encode_text(value)}" for name, value in parameters.items())
    return f"{request.url}{'&' if '?' in request.target else '?'}{added}"


def with_headers(request: Request, headers: Mapping[str, str]) -> Request:
    """Return the request with `headers`. They replace headers of the same names."""
    names = {name.lower() for name in headers}
    kept = [(name, value) for name, value in request.headers.fields if name.lower() not in names]
    return replace(request, headers=Headers([*kept, *headers.items()]))


def headers_in_query(address: Address, settings: AuthSettings, without: Set[str]) -> Headers:
    """Return the headers of the dialect that are in the query, except parameters in `without`."""
    return Headers(
        (name, value)
        for name, value in address.query.items()
        if name not in without and name.lower().startswith(settings.header_prefix)
    )


def is_other_version_4(word: str) -> bool:
    """Return whether a word names signature version 4 of another service, for example ``TOS4-HMAC-SHA256``."""
    return _OTHER_VERSION_4.fullmatch(word) is not None


def parse_credentials(text: str) -> tuple[str, str] | None:
    """Return access key and signature of ``<access key>:<signature>``, or None if the text has another form."""
    access_key_id, _, signature = text.partition(":")
    if not access_key_id or not signature or text.split() != [text]:
        return None
    return access_key_id, signature
