"""The query parameter `partNumber`."""

from __future__ import annotations

from fakestore.http.integers import parse_integer
from fakestore.model.errors import invalid_argument
from fakestore.model.limits import MOST_PARTS


def parse_part_number(text: str) -> int:
    """Return the number of a part.

    Raises:
        ErrorResponse: InvalidArgument, if it is not an integer from 1 to 10,000.
    """
    number = parse_integer(text)
    if number is None or not 1 <= number <= MOST_PARTS:
        raise invalid_argument(
            "partNumber",
            text,
            f"Part number must be an integer between 1 and {MOST_PARTS}, inclusive",
            explanation=f"partNumber is {text!r}; send an integer from 1 to {MOST_PARTS:,}",
        )
    return number
