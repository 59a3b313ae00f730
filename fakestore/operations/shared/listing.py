"""What all listings have in common: the query, and the size of a page."""

from __future__ import annotations

from urllib.parse import quote_plus

from fakestore.model import listing
from fakestore.model.errors import ErrorResponse, invalid_argument
from fakestore.model.shape import child, element
from fakestore.operations.core.fields import Kind, Sent, query, value
from fakestore.operations.core.parameters import Parameters, shared_fields


@element()
class CommonPrefix:
    """The common beginning of several keys, up to and with the delimiter."""

    prefix: str = child("Prefix")


#: A page never has more entries than this.
MAX_PAGE_SIZE = 1000
#: The sizes of a page that are accepted, for a message.
_COUNTS = "a whole number from 0 to 2,147,483,647"


def _parse_encoding(sent: Sent) -> str:
    if sent.text != "url":
        raise invalid_query("Invalid Encoding Method specified in Request", sent, "url")
    return sent.text


@shared_fields
class ListingQuery(Parameters):
    """The query of every listing.

    Args:
        encoding: ``"url"`` if keys are percent-encoded in the document.
        prefix: What all listed keys start with.
        delimiter: Keys that have it after the prefix are listed by their common prefix alone.
        page_size: The maximum number of entries of the page. Each listing has a parameter of its own.
        shows_names: Whether owners have a DisplayName.
    """

    encoding: str | None = query("encoding-type", _parse_encoding)
    prefix: str = query("prefix", default="")
    delimiter: str = query("delimiter", default="")
    page_size: int = MAX_PAGE_SIZE
    shows_names: bool = value(lambda context: context.semantics.shows_display_names)

    def encode(self, text: str) -> str:
        """Return a key, prefix or delimiter as the document shows it. [encoding-type]"""
        return quote_plus(text, safe="/-_.*") if self.encoding else text

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


def count(default: int) -> Kind[int]:
    """Return the kind of an integer from 0 to 2147483647 that may be empty, and then is the default."""

    def read(sent: Sent) -> int:
        if not sent.text:
            return default
        digits = sent.text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) > 2**31 - 1:
            raise invalid_query(f"Provided {sent.name} not an integer or within integer range", sent, _COUNTS)
        if sent.text != digits:
            first, *others = sent.name.split("-")
            name = first + "".join(map(str.capitalize, others))  # the public service calls it `maxKeys` here
            message = f"Argument {name} must be an integer between 0 and 2147483647"
            raise invalid_query(message, sent._replace(name=name), _COUNTS)
        return int(digits)

    return read


def parse_page_size(sent: Sent) -> int:
    """Return the size of the page, which is never over 1,000."""
    return min(count(MAX_PAGE_SIZE)(sent), MAX_PAGE_SIZE)


def invalid_query(message: str, sent: Sent, expected: str) -> ErrorResponse:
    """Return the error for an invalid value of a query parameter."""
    return invalid_argument(
        sent.name, sent.text, message, explanation=f"{sent.name} is {sent.text!r}; expected {expected}"
    )
