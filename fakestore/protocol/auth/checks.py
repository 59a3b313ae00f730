"""The checks that several schemes make: the account of an access key, and the date of a request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from fakestore.http.dates import http_date
from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import (
    INVALID_ACCESS_KEY,
    REQUEST_TIME_TOO_SKEWED,
)
from fakestore.protocol.auth.rules import AuthRules


def find_account(accounts: Accounts, access_key_id: str) -> Account:
    """Return the account with this access key.

    Raises:
        ErrorResponse: InvalidAccessKeyId, if no account has it.
    """
    account = accounts.by_access_key(access_key_id)
    if account is None:
        known = ", ".join(f"{each.access_key_id} ({each})" for each in accounts)
        raise INVALID_ACCESS_KEY.error(
            explanation=f"no account has the access key {access_key_id!r}; access keys: {known}. Either let the code"
            " take its keys from the environment, or give the default account this key, with"
            " fake_store(access_key_id=..., secret_key=...), or accept every key, with fake_store(any_access_key=True)."
            " On the command line, use --access-key-id and --secret-key, or --any-access-key",
            AWSAccessKeyId=access_key_id,
        )
    return account


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
