"""The metadata of an object in headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fakestore.errors import METADATA_TOO_LARGE, invalid_argument
from fakestore.http.values import decode_words, encode_words, parse_integer, without_aws_chunked
from fakestore.messages import counted
from fakestore.model.metadata import DEFAULT_CONTENT_TYPE, NO_METADATA, NO_USER_METADATA, SYSTEM_METADATA, Metadata
from fakestore.model.semantics import Semantics
from fakestore.operations.framework.call import Call


def parse_metadata(call: Call) -> Metadata:
    """Return the metadata in the headers."""
    headers = call.headers
    if not call.service_headers and SYSTEM_METADATA.keys().isdisjoint(headers):
        return NO_METADATA
    system: dict[str, Any] = {attribute: headers.get(name) for name, attribute in SYSTEM_METADATA.items()}
    system["content_type"] = system["content_type"] or DEFAULT_CONTENT_TYPE
    system["content_encoding"] = _without_coding_of_transfer(call, system["content_encoding"])
    _check_expires(call, system["expires"])
    return Metadata(**system, user=_parse_user_metadata(call))


def _without_coding_of_transfer(call: Call, text: str | None) -> str | None:
    """Return a Content-Encoding without the coding that is undone before the object is stored."""
    return without_aws_chunked(text) if text is not None and call.dialect.aws_chunked else text


def _parse_user_metadata(call: Call) -> dict[str, str]:
    prefix, limit = "meta-", call.limits.metadata
    metadata = {name[len(prefix) :]: value for name, value in call.service_headers.items() if name.startswith(prefix)}
    size = metadata_size(metadata)
    if size > limit:
        raise METADATA_TOO_LARGE.error(
            explanation=f"the user metadata has {counted(size, 'byte')} of UTF-8, more than the {limit:,} that are"
            " accepted",
            Size=str(size),
            MaxSizeAllowed=str(limit),
        )
    if call.fields is not None:  # they are text and are never encoded [metadata-of-a-form]
        return metadata
    if call.semantics.metadata_is_decoded:
        return {name: decode_words(value) for name, value in metadata.items()}
    return metadata


def _check_expires(call: Call, text: str | None) -> None:
    if text is not None and call.semantics.expires_is_number and parse_integer(text) is None:
        raise invalid_argument(
            "Expires",
            text,
            explanation=f"Expires is {text!r}; send the milliseconds before expiration, with at most 18 digits",
        )


def metadata_size(metadata: Mapping[str, str]) -> int:
    """Return the size of user metadata: the UTF-8 bytes of names and values together."""
    return sum(_utf8_size(name) + _utf8_size(value) for name, value in metadata.items())


def _utf8_size(text: str) -> int:
    """Return the UTF-8 size of header text. Its characters stand for bytes, which may be UTF-8 already."""
    if text.isascii():
        return len(text)
    try:
        wire = text.encode("latin-1")
        wire.decode()
    except UnicodeError:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(wire)


def metadata_headers(metadata: Metadata, semantics: Semantics) -> tuple[dict[str, str], dict[str, str]]:
    """Return the standard headers of the metadata, and the dialect's headers of the user metadata."""
    if metadata is NO_METADATA:  # as of most objects
        return {"Content-Type": metadata.content_type}, {}
    user: dict[str, str] = {}
    if metadata.user is not NO_USER_METADATA:
        encode = encode_words if semantics.metadata_is_decoded else str
        user = {f"meta-{name}": encode(value) for name, value in metadata.user.items()}
    return metadata.system, user
