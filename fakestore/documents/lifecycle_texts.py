"""How numbers and dates are written in a LifecycleConfiguration, and which errors refuse them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from fakestore.model.errors import INVALID_ARGUMENT, ErrorResponse
from fakestore.model.lifecycle import is_midnight
from fakestore.model.text_types import TextType, parse_timestamp, render_timestamp


def not_in_bounds(place: str, kind: str = "positive") -> Callable[[str, str, str], ErrorResponse]:
    """Return a function that makes the error for a number that is not in its bounds.

    Args:
        place: The name of the surrounding element in the messages of the public service.
        kind: What the number must be.
    """
    return lambda tag, text, explanation: INVALID_ARGUMENT.error(
        f"'{tag}' for {place} must be a {kind} integer",
        explanation=explanation,
        ArgumentName=tag,
        ArgumentValue=text,
    )


def _parse_midnight(text: str) -> datetime:
    moment = parse_timestamp(text)
    if not is_midnight(moment):
        raise INVALID_ARGUMENT.error(
            "'Date' must be at midnight GMT",
            explanation=f"<Date> is {text.strip()!r}, which is not a midnight in UTC; expected for example"
            " 2030-01-31T00:00:00Z",
            ArgumentName="Date",
            ArgumentValue=text.strip(),
        )
    return moment


#: A date that is a midnight in UTC.
MIDNIGHT = TextType(_parse_midnight, render_timestamp)
