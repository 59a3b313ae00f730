"""What all listings have in common: the query, and the size of a page."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self
from urllib.parse import quote

from fakestore.documents.listing import CommonPrefix
from fakestore.model import listing
from fakestore.model.errors import ErrorResponse, invalid_argument
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters, parameters

#: The header with further things that the listing says about each object, without the prefix of the dialect.
_OPTIONAL_ATTRIBUTES = "optional-object-attributes"
#: A page never has more entries than this.
MAX_PAGE_SIZE = 1000
#: The sizes of a page that are accepted, for a message.
_COUNTS = "a whole number from 0 to 2,147,483,647"


@parameters
class ListingQuery(Parameters):
    """The query of every listing.

    Args:
        prefix: What all listed keys start with.
        delimiter: Keys that have it after the prefix are listed by their common prefix alone.
        page_size: The maximum number of entries of the page.
        encoding: ``"url"`` if keys are percent-encoded in the document.
        shows_names: Whether owners have a DisplayName.
        restore_time: The time of the request if the listing says which objects are restored; otherwise None.
    """

    query: ClassVar[tuple[str, ...]] = ("prefix", "delimiter", "max-keys", "encoding-type")
    service_headers: ClassVar[tuple[str, ...]] = (_OPTIONAL_ATTRIBUTES,)
    #: The query parameter that limits the page.
    size_parameter: ClassVar[str] = "max-keys"

    prefix: str
    delimiter: str
    page_size: int
    encoding: str | None
    shows_names: bool
    restore_time: datetime | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the query.

        Raises:
            ErrorResponse: InvalidArgument, if the size of the page or encoding-type is invalid.
            UnsupportedRequest: If the request names an optional attribute other than the restoration of objects.
        """
        query = context.query
        encoding = query.get("encoding-type")
        if encoding not in (None, "url"):
            raise invalid_query("Invalid Encoding Method specified in Request", "encoding-type", encoding or "", "url")
        return cls(
            prefix=query.get("prefix", ""),
            delimiter=query.get("delimiter", ""),
            page_size=parse_page_size(context, cls.size_parameter),
            encoding=encoding,
            shows_names=context.semantics.shows_display_names,
            restore_time=context.now if _wants_restore_status(context) else None,
        )

    def encode(self, text: str) -> str:
        """Return a key, prefix or delimiter as the document shows it."""
        return quote(text, safe="/-_.*") if self.encoding else text

    @property
    def shown_delimiter(self) -> str | None:
        """The delimiter as the document shows it, or None if the request has no delimiter."""
        return self.encode(self.delimiter) or None

    def select(self, after: str) -> listing.Selection:
        """Return what the page shows that continues after a marker."""
        return listing.Selection(self.prefix, self.delimiter, after, self.page_size)

    def common_prefixes(self, page: listing.Page[listing.Item]) -> tuple[CommonPrefix, ...]:
        """Return the common prefixes of the page as the document shows them."""
        return tuple(CommonPrefix(prefix=self.encode(each)) for each in page.common_prefixes)


def parse_page_size(context: RequestContext, parameter: str) -> int:
    """Return the size of the page, which is never over 1,000.

    Args:
        parameter: The query parameter, for example ``max-keys``.

    Raises:
        ErrorResponse: InvalidArgument, if the text is not an integer from 0 to 2147483647.
    """
    return min(parse_count(context, parameter, MAX_PAGE_SIZE), MAX_PAGE_SIZE)


def parse_count(context: RequestContext, parameter: str, default: int) -> int:
    """Return a number of the query, or `default` if it is absent or empty.

    Raises:
        ErrorResponse: InvalidArgument, if the text is not an integer from 0 to 2147483647.
    """
    text = context.query.get(parameter)
    if not text:
        return default
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) > 2**31 - 1:
        message = f"Provided {parameter} not an integer or within integer range"
        raise invalid_query(message, parameter, text, _COUNTS)
    if text != digits:
        first, *others = parameter.split("-")
        name = first + "".join(map(str.capitalize, others))  # the public service calls it `maxKeys` here
        raise invalid_query(f"Argument {name} must be an integer between 0 and 2147483647", name, text, _COUNTS)
    return int(digits)


def _wants_restore_status(context: RequestContext) -> bool:
    """Return whether the listing says which objects are restored. [restore-status]"""
    text = context.service_headers.get(_OPTIONAL_ATTRIBUTES)
    if text is None:
        return False
    if text.strip() != "RestoreStatus":
        raise UnsupportedRequest(
            f"{context.dialect.header(_OPTIONAL_ATTRIBUTES)} is {text!r}, which is not supported; supported:"
            " RestoreStatus"
        )
    return True


def invalid_query(message: str, name: str, value: str, expected: str) -> ErrorResponse:
    """Return the error for an invalid value of a query parameter."""
    return invalid_argument(name, value, message, explanation=f"{name} is {value!r}; expected {expected}")
