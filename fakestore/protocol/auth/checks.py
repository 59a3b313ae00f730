"""The check of the date of a request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from fakestore.http.dates import http_date
from fakestore.model.errors import REQUEST_TIME_TOO_SKEWED
from fakestore.protocol.auth.rules import AuthRules


def check_clock_skew(
    moment: datetime, sent: str, now: datetime, show: Callable[[datetime], str], rules: AuthRules
) -> None:
    """Check that the date of a request is near enough to the store's clock.

    Args:
        moment: The date of the request.
        sent: The same date as it was sent.
        now: The store's clock.
        show: Returns the text of a date as the error document shows it.
        rules: The rules of the store.

    Raises:
        ErrorResponse: RequestTimeTooSkewed.
    """
    if rules.max_clock_skew is not None and abs(now - moment) > rules.max_clock_skew:
        raise REQUEST_TIME_TOO_SKEWED.error(
            explanation=f"the request is dated {http_date(moment)} and the store's clock says {http_date(now)};"
            f" the difference is more than {rules.max_clock_skew}. fake_store(max_clock_skew=None) accepts any date",
            RequestTime=sent,
            ServerTime=show(now),
            MaxAllowedSkewMilliseconds=str(int(rules.max_clock_skew.total_seconds() * 1000)),
        )
