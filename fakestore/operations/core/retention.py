"""Retention: what a request says about locked objects. No bucket has Object Lock, so it can say nothing."""

from __future__ import annotations

from fakestore.model.errors import INVALID_ARGUMENT
from fakestore.operations.core.context import RequestContext

#: The header that asks to delete in spite of a retention, without the prefix of the dialect.
BYPASS_HEADER = "bypass-governance-retention"


def check_no_bypass(context: RequestContext) -> None:
    """Check that the request does not ask to bypass a retention, whatever the value.

    Raises:
        ErrorResponse: InvalidArgument.
    """
    if BYPASS_HEADER in context.service_headers:
        header = context.dialect.header(BYPASS_HEADER)
        raise INVALID_ARGUMENT.error(
            f"{header} is only applicable to Object Lock enabled buckets.",
            explanation=f"{header} was sent, and bucket {context.bucket_name!r} has no Object Lock; omit it",
            ArgumentName=header,
        )
