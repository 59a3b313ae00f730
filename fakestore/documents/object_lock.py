"""The documents of Object Lock: the configuration of a bucket, and the retention and legal hold of a version."""

from __future__ import annotations

from datetime import datetime

from fakestore.model import object_lock as model
from fakestore.model.errors import INVALID_ARGUMENT, MALFORMED_XML, ErrorResponse
from fakestore.model.object_lock import MOST_DAYS, MOST_YEARS, LegalHold, RetentionMode
from fakestore.model.shape import child, document, element
from fakestore.model.text_types import TextType, integer, parse_until, render_until


def _not_positive(tag: str, text: str, explanation: str) -> ErrorResponse:
    return INVALID_ARGUMENT.error(
        "Default retention period must be a positive integer value.", explanation=explanation, ArgumentName=tag
    )


@element()
class DefaultRetention:
    """The retention of versions that are written without one, in days or in years."""

    mode: RetentionMode = child("Mode")
    days: int | None = child("Days", default=None, kind=integer(1, MOST_DAYS), invalid=_not_positive)
    years: int | None = child("Years", default=None, kind=integer(1, MOST_YEARS), invalid=_not_positive)

    def validate(self) -> None:
        """Refuse a retention without days and years, or with both.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if (self.days is None) == (self.years is None):
            raise MALFORMED_XML.error(explanation="<DefaultRetention> needs either <Days> or <Years>")


@element()
class ObjectLockRule:
    """The rule of a bucket. It has only a retention."""

    default: DefaultRetention = child("DefaultRetention")


@document("ObjectLockConfiguration")
class ObjectLockConfiguration:
    """The configuration of a bucket with Object Lock."""

    enabled: bool = child("ObjectLockEnabled", choices={"Enabled": True})
    rule: ObjectLockRule | None = child("Rule", default=None)

    @classmethod
    def from_object_lock(cls, object_lock: model.ObjectLock) -> ObjectLockConfiguration:
        """Return the document of a configuration."""
        default = object_lock.default
        if default is None:
            return cls(enabled=True)
        return cls(
            enabled=True,
            rule=ObjectLockRule(
                default=DefaultRetention(mode=default.mode, days=default.days, years=default.years),
            ),
        )

    def to_object_lock(self) -> model.ObjectLock:
        """Return the configuration."""
        if self.rule is None:
            return model.ObjectLock()
        default = self.rule.default
        return model.ObjectLock(model.DefaultRetention(default.mode, default.days, default.years))


@document("Retention")
class Retention:
    """The retention of a version. An empty document removes it."""

    mode: RetentionMode | None = child("Mode", default=None)
    until: datetime | None = child("RetainUntilDate", default=None, kind=TextType(parse_until, render_until))

    def validate(self) -> None:
        """Refuse a mode without a date, or a date without a mode.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if (self.mode is None) != (self.until is None):
            raise MALFORMED_XML.error(explanation="<Retention> needs both <Mode> and <RetainUntilDate>, or neither")

    def to_retention(self) -> model.Retention | None:
        """Return the retention, or None to remove it."""
        return None if self.mode is None or self.until is None else model.Retention(self.mode, self.until)


@document("LegalHold")
class LegalHoldDocument:
    """Whether a version is kept until further notice."""

    status: LegalHold = child("Status")
