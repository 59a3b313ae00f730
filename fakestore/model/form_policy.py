"""The policy of a browser form: the conditions on its fields and on its file, and when it expires."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from fakestore.errors import ACCESS_DENIED, ENTITY_TOO_LARGE, ENTITY_TOO_SMALL, ErrorResponse
from fakestore.messages import counted, iso_date

#: The beginning of the names of fields that need no condition.
IGNORED_PREFIX = "x-ignore-"
#: The field whose value may be a list. [policy-of-a-form]
_LISTED = "content-type"


class Operator(StrEnum):
    EQUALS = "eq"
    STARTS_WITH = "starts-with"


class FieldCondition(NamedTuple):
    """A condition on one field.

    Args:
        field: The name of the field in lower case; None if the policy names it without a dollar sign, so
            that the condition has no field.
        shown: The condition as errors show it.
    """

    operator: Operator
    field: str | None
    expected: str
    shown: str

    def check(self, fields: Mapping[str, str]) -> None:
        """Check the condition. It fails if the field was not sent."""
        value = None if self.field is None else fields.get(self.field)
        if value is None or not self._holds_for(value):
            received = "names no field; write $ in front of the name"
            if self.field is not None:
                received = f"does not hold: the form has {'no such field' if value is None else repr(value)}"
            raise _failed(self.shown, received)

    def _holds_for(self, value: str) -> bool:
        if self.operator is Operator.EQUALS:
            return value == self.expected
        values = [each.strip() for each in value.split(",")] if self.field == _LISTED else [value]
        return all(each.startswith(self.expected) for each in values)


class SizeCondition(NamedTuple):
    """A condition on the size of the file.

    Args:
        least: The smallest size in bytes; None if the policy does not have a number there.
        most: The largest size in bytes, likewise.
    """

    least: int | None
    most: int | None
    shown: str

    def check(self, fields: Mapping[str, str]) -> None:
        """Check that both bounds are numbers."""
        if self.least is None or self.most is None:
            raise _failed(self.shown, "does not hold: its bounds are not both whole numbers")

    def check_size(self, size: int) -> None:
        """Check the size of the file. The bounds are inclusive."""
        explanation = f"the file has {counted(size, 'byte')}, and the policy of the form has {self.shown}"
        if self.least is not None and size < self.least:
            raise ENTITY_TOO_SMALL.error(
                explanation=explanation, ProposedSize=str(size), MinSizeAllowed=str(self.least)
            )
        if self.most is not None and size > self.most:
            raise ENTITY_TOO_LARGE.error(explanation=explanation, ProposedSize=str(size), MaxSizeAllowed=str(self.most))


class FormPolicy(NamedTuple):
    """The policy of a form. It is valid until the moment of its expiration, inclusive."""

    expiration: datetime
    conditions: tuple[FieldCondition | SizeCondition, ...]

    def check(self, fields: Mapping[str, str], free: frozenset[str], now: datetime) -> None:
        """Check the fields of a form. Every field needs a condition.

        Args:
            fields: The fields by lower-case name, and the name of the bucket as ``bucket``.
            free: The names of fields that need no condition.
        """
        if self.expiration < now:
            raise _invalid(
                "Policy expired.",
                f"it expired at {iso_date(self.expiration)}, and the store's clock says {iso_date(now)}",
            )
        for condition in self.conditions:
            condition.check(fields)
        covered = free.union(each.field for each in self.conditions if isinstance(each, FieldCondition) and each.field)
        extra = [name for name in fields if name not in covered and not name.startswith(IGNORED_PREFIX)]
        if extra:
            names = ", ".join(extra)
            raise _invalid(f"Extra input fields: {names}", f"the policy has no condition on {names}")

    def check_size(self, size: int) -> None:
        for condition in self.conditions:
            if isinstance(condition, SizeCondition):
                condition.check_size(size)


def _failed(shown: str, problem: str) -> ErrorResponse:
    return _invalid(f"Policy Condition failed: {shown}", f"the condition {shown} {problem}")


def _invalid(message: str, problem: str) -> ErrorResponse:
    return ACCESS_DENIED.error(
        f"Invalid according to Policy: {message}", explanation=f"the policy of the form refuses it: {problem}"
    )
