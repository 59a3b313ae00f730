"""Conditional requests: which condition fails, in the recorded order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from fakestore.http.fields import date_header, http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_KEY, NOT_IMPLEMENTED, PRECONDITION_FAILED, ErrorResponse
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.context import Call

READ_CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
WRITE_CONDITIONS = ("if-match", "if-none-match")
COPY_CONDITIONS = tuple(f"copy-source-{name}" for name in READ_CONDITIONS)


class Failed(NamedTuple):
    """A condition that did not hold; ``unchanged`` where a reader may keep what it has (304)."""

    header: str
    unchanged: bool
    explanation: str

    def refusal(self) -> ErrorResponse:
        return PRECONDITION_FAILED.error(explanation=self.explanation, Condition=self.header)


class Conditions(NamedTuple):
    """The four conditions of a read or of a copy's source, read from headers that differ by ``prefix`` alone."""

    prefix: str
    match: str | None
    none_match: str | None
    modified_since: datetime | None
    unmodified_since: datetime | None

    @classmethod
    def of(cls, call: Call, prefix: str) -> Conditions:
        """Read them.

        Raises:
            ErrorResponse: InvalidArgument, for a date that is none.
        """
        headers = call.request.headers
        return cls(
            prefix,
            headers.get(f"{prefix}if-match"),
            headers.get(f"{prefix}if-none-match"),
            date_header(call.request, f"{prefix}if-modified-since"),
            date_header(call.request, f"{prefix}if-unmodified-since"),
        )

    def failed(self, version: ObjectVersion, now: datetime) -> Failed | None:
        """The first condition that fails: if-match, if-unmodified-since, if-none-match, if-modified-since.

        A true if-match beats a false if-unmodified-since; an if-modified-since in the future is ignored.
        """
        modified = version.last_modified
        if self.match is not None and not _matches(self.match, version.etag):
            return self._fails("if-match", f"the entity tag is {version.etag}, not {self.match}")
        if self.match is None and self.unmodified_since is not None and modified > self.unmodified_since:
            return self._fails("if-unmodified-since", f"it was modified at {http_date(modified)}, after that")
        if self.none_match is not None and _matches(self.none_match, version.etag):
            return self._fails("if-none-match", f"the entity tag is {version.etag}", unchanged=True)
        if self.modified_since is not None and modified <= self.modified_since <= now:
            return self._fails("if-modified-since", f"it was modified at {http_date(modified)}", unchanged=True)
        return None

    def _fails(self, name: str, because: str, *, unchanged: bool = False) -> Failed:
        header = self.prefix + "-".join(part.capitalize() for part in name.split("-"))
        return Failed(header, unchanged, f"{header} does not hold: {because}")


def write_conditions(call: Call) -> Callable[[BucketRecord], None] | None:
    """What a PUT demands of the object that is there, to be asked before the body is read and again at the write.

    Raises:
        ErrorResponse: NotImplemented, for a form that the recorded service does not take.
    """
    if not any(name in call.request.headers for name in WRITE_CONDITIONS):
        return None
    match, none_match = call.request.headers.get("if-match"), call.request.headers.get("if-none-match")
    if match is not None and none_match is not None:
        raise _not_implemented("If-Match,If-None-Match", "Multiple conditional request headers present in the request")
    if none_match is not None and none_match != "*":
        raise _not_implemented(
            "If-None-Match", "We don't accept the provided value of If-None-Match header for this API"
        )
    if match is not None and "*" in _tags(match):
        raise _not_implemented("If-Match", "We don't accept the provided value of If-Match header for this API")

    def check(bucket: BucketRecord) -> None:
        newest = bucket.latest_entry(call.key)
        if match is None:
            if isinstance(newest, ObjectVersion):
                raise PRECONDITION_FAILED.error(
                    explanation=f"If-None-Match: * does not hold: there is an object {call.key!r}",
                    Condition="If-None-Match",
                )
        elif not isinstance(newest, ObjectVersion):
            raise NO_SUCH_KEY.error(
                explanation=f"If-Match asks for {match}, and there is no object {call.key!r}", Key=call.key
            )
        elif not _matches(match, newest.etag):
            raise PRECONDITION_FAILED.error(
                explanation=f"If-Match does not hold: the entity tag is {newest.etag}, not {match}",
                Condition="If-Match",
            )

    return check


def _tags(asked: str) -> list[str]:
    """A list of entity tags, or ``*``, each as it stands there."""
    return [each.strip(" \t") for each in asked.split(",")]


def _matches(asked: str, etag: str) -> bool:
    """Whether a list of entity tags, quoted or not, or ``*`` has this one."""
    return any(each == "*" or each.strip('"') == etag.strip('"') for each in _tags(asked))


def _not_implemented(header: str, why: str) -> ErrorResponse:
    return NOT_IMPLEMENTED.error(explanation=f"{header}: {why}", Header=header, additionalMessage=why)
