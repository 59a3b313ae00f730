"""The size of the header section."""

from __future__ import annotations

from fakestore.http.request import Request
from fakestore.model.errors import HEADER_SECTION_TOO_LARGE
from fakestore.model.limits import Limits


def check_header_section(request: Request, limits: Limits) -> None:
    """Check the size of the header section, with the Host header. [header-section]

    Raises:
        ErrorResponse: RequestHeaderSectionTooLarge.
    """
    size, limit = request.headers.size, limits.header_section
    if "host" not in request.headers.by_name:
        size += len(f"host: {request.host}\r\n")
    if size > limit:
        raise HEADER_SECTION_TOO_LARGE.error(
            explanation=f"the headers have {size:,} bytes together, more than the {limit:,} that are accepted",
            MaxSizeAllowed=str(limit),
        )
