"""Forms in multipart/form-data (RFC 7578): fields, and a file that is read while it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from fakestore.errors import (
    INCORRECT_NUMBER_OF_FILES,
    MALFORMED_POST_REQUEST,
    MAX_POST_PRE_DATA_LENGTH_EXCEEDED,
    PRECONDITION_FAILED,
    ErrorResponse,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.model.content import pieces_of

if TYPE_CHECKING:
    from multipart import MultipartSegment

MEDIA_TYPE = "multipart/form-data"
#: The name of the field with the file.
FILE = "file"
#: The text in fields that is replaced by the name of the file.
FILENAME_VARIABLE = "${filename}"

#: The longest boundary in bytes (RFC 2046, section 5.1.1).
_LONGEST_BOUNDARY = 70
#: The library copies its input, so it receives a body in memory in pieces of this size.
_PIECE = 64 * 1024
#: Values of Content-Transfer-Encoding that mean no encoding.
_NOT_ENCODED = ("7bit", "8bit", "binary")


def read_form(content_type: str, body: Iterable[bytes], max_fields: int) -> tuple[Mapping[str, str], Iterator[bytes]]:
    """Read the fields of a form up to its file. Together they have at most `max_fields` bytes.

    Fields after the file are ignored. [fields-before-the-file]

    Returns:
        The fields by lower-case name, with ``${filename}`` replaced in their values; and the content of the file, which
        is not read yet. Reading it raises ErrorResponse if the rest of the form is malformed.
    """
    if content_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise PRECONDITION_FAILED.error(
            explanation=f"Content-Type is {content_type!r}; a POST to a bucket is a form in {MEDIA_TYPE}",
            Condition=f"Bucket POST must be of the enclosure-type {MEDIA_TYPE}",
        )
    events = _parse(content_type, body)
    fields: dict[str, str] = {}
    size = 0
    for segment in events:
        name = _name_of(segment)
        size += sum(len(header) + len(value) for header, value in segment.headerlist)
        if name == FILE:
            return _with_filename(fields, segment.filename), _read_file(events)
        content = bytearray()
        for piece in _content(events):
            content += piece
            size += len(piece)
            _check_size(size, max_fields)
        _check_size(size, max_fields)  # a field may have no content
        if name in fields:
            raise UnsupportedRequest(f"the form has the field {name!r} twice, which is not supported; send it once")
        try:
            fields[name] = content.decode()
        except UnicodeDecodeError:
            raise _malformed(f"the field {name!r} is not UTF-8") from None
    raise _not_one_file(f"the form has no field {FILE!r}; it has {', '.join(fields) or 'no fields'}")


def require_field(fields: Mapping[str, str], name: str) -> str:
    """Return the value of a field that a form must have. Errors show `name` unchanged."""
    value = fields.get(name.lower())
    if value is None:
        raise invalid_argument(
            name,
            "",
            f"Bucket POST must contain a field named '{name}'.  If it is specified, please check the order of the"
            " fields.",
            explanation=f"the form has no field {name!r} in front of its file; it has {', '.join(fields) or 'none'}",
        )
    return value


def _parse(content_type: str, body: Iterable[bytes]) -> Iterator[MultipartSegment]:
    """Yield the events of the library: for each part its head, the pieces of its content, and None."""
    try:  # imported here because most stores do not need it
        from multipart import MultipartError, PushMultipartParser, parse_options_header
    except (ImportError, PendingDeprecationWarning):  # python-multipart has a module of this name that warns
        raise UnsupportedRequest(
            "browser forms need the library multipart, which is not installed; pip install fakestore[forms], or use"
            " PUT Object"
        ) from None
    # Header text is ISO-8859-1, but a request that was made in Python may have other characters.
    boundary = parse_options_header(content_type)[1].get("boundary", "").encode("latin-1", "replace")
    if not 1 <= len(boundary) <= _LONGEST_BOUNDARY:
        raise _malformed(f"the boundary has {len(boundary):,} bytes; expected 1 to {_LONGEST_BOUNDARY}")
    try:
        parser = PushMultipartParser(boundary)
        for piece in pieces_of(body):
            for start in range(0, len(piece), _PIECE):
                yield from parser.parse(piece[start : start + _PIECE])
        parser.close()
    except MultipartError as error:
        raise _malformed(str(error)) from None


def _content(events: Iterator[MultipartSegment]) -> Iterator[bytes]:
    """Yield the content of the part whose head was the last event."""
    return iter(lambda: next(events), None)


def _read_file(events: Iterator[MultipartSegment]) -> Iterator[bytes]:
    yield from _content(events)
    for segment in events:
        if _name_of(segment) == FILE:
            raise _not_one_file(f"the form has two fields {FILE!r}")
        for _ in _content(events):
            pass


def _name_of(segment: MultipartSegment) -> str:
    name: str = segment.name
    encoding = segment.header("Content-Transfer-Encoding", "binary").strip().lower()
    if encoding not in _NOT_ENCODED:
        raise UnsupportedRequest(
            f"the field {name!r} of the form has the Content-Transfer-Encoding {encoding!r}, which is not"
            " supported; send it without encoding"
        )
    return name.lower()


def _with_filename(fields: dict[str, str], filename: str | None) -> dict[str, str]:
    """Replace ``${filename}`` by the name of the file, if it has one. A path in front of the name is dropped."""
    if filename is None:
        return fields
    base_name = filename.replace("\\", "/").rpartition("/")[2]
    return {name: value.replace(FILENAME_VARIABLE, base_name) for name, value in fields.items()}


def _check_size(size: int, max_size: int) -> None:
    if size > max_size:
        raise MAX_POST_PRE_DATA_LENGTH_EXCEEDED.error(
            explanation=f"the fields in front of the file have more than the {max_size:,} bytes that are accepted;"
            " send the file last"
        )


def _malformed(problem: str) -> ErrorResponse:
    return MALFORMED_POST_REQUEST.error(explanation=f"the body is not well-formed {MEDIA_TYPE}: {problem}")


def _not_one_file(problem: str) -> ErrorResponse:
    return INCORRECT_NUMBER_OF_FILES.error(explanation=f"{problem}; send exactly one")
