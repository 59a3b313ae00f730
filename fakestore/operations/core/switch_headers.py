"""Headers of the dialect whose value is true or false."""

from __future__ import annotations

from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.context import RequestContext


def parse_switch(context: RequestContext, name: str) -> bool | None:
    """Return the value of a header that is true or false, or None if the request does not have it.

    Args:
        context: The request.
        name: The name of the header, without the prefix of the dialect.

    Raises:
        UnsupportedRequest: If the header has another value, because the answer of the service is not known.
    """
    text = context.service_headers.get(name)
    if text is None:
        return None
    if text.lower() not in ("true", "false"):
        raise UnsupportedRequest(f"{context.dialect.header(name)} is {text!r}; expected true or false")
    return text.lower() == "true"
