"""The metadata of an object in headers."""

from __future__ import annotations

from collections.abc import Mapping

from fakestore.errors import METADATA_TOO_LARGE, invalid_argument
from fakestore.http.headers import decode_words, encode_words
from fakestore.http.values import parse_integer, without_aws_chunked
from fakestore.messages import counted
from fakestore.model.object_version import DEFAULT_CONTENT_TYPE, NO_METADATA, NO_USER_METADATA, Metadata
from fakestore.model.semantics import Semantics
from fakestore.operations.framework.call import Call

#: The headers that are metadata, beside those of the dialect.
_STANDARD_HEADERS = frozenset(
    {"content-type", "cache-control", "content-disposition", "content-encoding", "content-language", "expires"}
)


def parse_metadata(call: Call) -> Metadata:
    """Return the metadata that the headers state."""
    headers = call.headers
    if not call.service_headers and _STANDARD_HEADERS.isdisjoint(headers):
        return NO_METADATA
    return Metadata(
        content_type=headers.get("content-type") or DEFAULT_CONTENT_TYPE,
        cache_control=headers.get("cache-control"),
        content_disposition=headers.get("content-disposition"),
        content_encoding=_parse_content_encoding(call),
        content_language=headers.get("content-language"),
        expires=_parse_expires(call),
        user=_parse_user_metadata(call),
    )


def _parse_content_encoding(call: Call) -> str | None:
    text = call.headers.get("content-encoding")
    # The encoding of the transfer is undone before the object is stored.
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
    if call.fields is not None:  # they are text, which nothing encodes [metadata-of-a-form]
        return metadata
    if call.semantics.metadata_is_decoded:
        return {name: decode_words(value) for name, value in metadata.items()}
    return metadata


def _parse_expires(call: Call) -> str | None:
    text = call.headers.get("expires")
    if text is not None and call.semantics.expires_is_number and parse_integer(text) is None:
        raise invalid_argument(
            "Expires",
            text,
            explanation=f"Expires is {text!r}; send the milliseconds before expiration, with at most 18 digits",
        )
    return text


def metadata_size(metadata: Mapping[str, str]) -> int:
    """Return the size that the limit of user metadata bounds: the UTF-8 bytes of names and values together."""
    return sum(_utf8_size(name) + _utf8_size(value) for name, value in metadata.items())


def _utf8_size(text: str) -> int:
    """Return the UTF-8 size of header text, whose characters stand for bytes that may be UTF-8 already."""
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
    standard = {
        "Content-Type": metadata.content_type,
        "Cache-Control": metadata.cache_control,
        "Content-Disposition": metadata.content_disposition,
        "Content-Encoding": metadata.content_encoding,
        "Content-Language": metadata.content_language,
        "Expires": metadata.expires,
    }
    user: dict[str, str] = {}
    if metadata.user is not NO_USER_METADATA:
        encode = encode_words if semantics.metadata_is_decoded else str
        user = {f"meta-{name}": encode(value) for name, value in metadata.user.items()}
    return {name: value for name, value in standard.items() if value is not None}, user
