"""Object Lock: it protects a version from removal until a date, or until a legal hold ends."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from fakestore.errors import INVALID_ARGUMENT, MALFORMED_XML, ErrorResponse
from fakestore.messages import iso_date
from fakestore.xml.declarations import TextType, child, document, element, integer, parse_timestamp

#: The longest default retention.
MOST_DAYS = 36_500
MOST_YEARS = 100


class RetentionMode(StrEnum):
    """Whether a requester can bypass a retention before its end."""

    #: A requester with the permission to bypass the retention can remove the version, or shorten the retention.
    GOVERNANCE = "GOVERNANCE"
    #: No requester can remove the version or shorten the retention.
    COMPLIANCE = "COMPLIANCE"


class LegalHold(StrEnum):
    """Whether a version is kept until a requester ends the legal hold, even if its retention has ended."""

    #: The version is kept.
    ON = "ON"
    #: Only its retention can keep the version.
    OFF = "OFF"


class Retention(NamedTuple):
    """How long a version is kept.

    A request can always make a retention longer. Only a request that bypasses the retention can shorten it, or change
    its mode, before its end. [changing-a-retention]

    Example:
        >>> from datetime import UTC, datetime
        >>> retention = Retention(RetentionMode.GOVERNANCE, datetime(2030, 1, 1, tzinfo=UTC))
        >>> retention.is_active(datetime(2029, 12, 31, tzinfo=UTC)), retention.is_active(retention.until)
        (True, False)

    Args:
        mode: Whether the retention can be bypassed.
        until: The time from which the version can be removed, in UTC.
    """

    mode: RetentionMode
    until: datetime

    def is_active(self, now: datetime) -> bool:
        """Return whether the retention still keeps its version."""
        return now < self.until

    def can_become(self, new: Retention | None, now: datetime, *, bypasses: bool) -> bool:
        """Return whether another retention can take the place of this one. [changing-a-retention]

        An active retention can become longer. Everything else needs a bypass, which only the governance mode allows.

        Args:
            new: The other retention; None to remove it.
            bypasses: Whether the request may bypass the governance mode.
        """
        if not self.is_active(now) or (bypasses and self.mode is RetentionMode.GOVERNANCE):
            return True
        return new is not None and new.mode is self.mode and new.until >= self.until


def parse_until(text: str) -> datetime:
    """Parse the end of a retention. It is cut to milliseconds, as replies show it."""
    moment = parse_timestamp(text)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def render_until(moment: datetime) -> str:
    """Return the end of a retention as documents and headers state it, to the millisecond."""
    return iso_date(moment, "milliseconds")


@document("Retention", unsupported=("EventHold", "EventHoldDuration"))
class RetentionDocument:
    """The retention that a request sets or a reply shows. An empty document removes the retention of the version."""

    mode: RetentionMode | None = child("Mode", default=None)
    until: datetime | None = child("RetainUntilDate", default=None, kind=TextType(parse_until, render_until))

    def validate(self) -> None:
        if (self.mode is None) != (self.until is None):
            raise MALFORMED_XML.error(explanation="<Retention> needs both <Mode> and <RetainUntilDate>, or neither")


@document("LegalHold")
class LegalHoldDocument:
    status: LegalHold = child("Status")


class Lock(NamedTuple):
    """What keeps one version: a retention, a legal hold, both or nothing."""

    retention: Retention | None = None
    legal_hold: LegalHold | None = None

    def is_closed(self, now: datetime, *, bypasses: bool = False) -> bool:
        """Return whether the version cannot be removed. A request that ``bypasses`` ignores the governance mode."""
        if self.legal_hold is LegalHold.ON:
            return True
        retention = self.retention
        if retention is None or not retention.is_active(now):
            return False
        return not (bypasses and retention.mode is RetentionMode.GOVERNANCE)

    def __str__(self) -> str:
        parts = [] if self.retention is None else [f"{self.retention.mode} until {self.retention.until}"]
        if self.legal_hold is LegalHold.ON:
            parts.append("legal hold")
        return " and ".join(parts) or "not locked"


UNLOCKED = Lock()


def _invalid_period(tag: str, text: str, explanation: str) -> ErrorResponse:
    """Return the error for a period that is not a number of days or years, or is too long. [default-retention]"""
    is_too_long = re.fullmatch(r"\s*0*[1-9][0-9]*\s*", text, re.ASCII)
    message = "is too large." if is_too_long else "must be a positive integer value."
    return INVALID_ARGUMENT.error(f"Default retention period {message}", explanation=explanation, ArgumentName=tag)


@element(unsupported=("DefaultEventHold",))
class DefaultRetention:
    """The retention of versions that come without a retention: a number of days, or of years of 365 days each."""

    mode: RetentionMode = child("Mode")
    days: int | None = child("Days", default=None, kind=integer(1, MOST_DAYS), invalid=_invalid_period)
    years: int | None = child("Years", default=None, kind=integer(1, MOST_YEARS), invalid=_invalid_period)

    def validate(self) -> None:
        if (self.days is None) == (self.years is None):
            raise MALFORMED_XML.error(explanation="<DefaultRetention> needs either <Days> or <Years>")

    def start(self, now: datetime) -> Retention:
        days = self.days if self.days is not None else 365 * (self.years or 0)
        try:
            return Retention(self.mode, now + timedelta(days=days))
        except OverflowError:
            return Retention(self.mode, datetime.max.replace(microsecond=0, tzinfo=UTC))


@document("ObjectLockConfiguration")
class ObjectLock:
    """The configuration of a bucket that has Object Lock. A bucket without Object Lock has no configuration."""

    enabled: bool = child("ObjectLockEnabled", choices={"Enabled": True})
    default: DefaultRetention | None = child("DefaultRetention", inside="Rule", default=None)
