"""Conditional requests: which condition fails, in the recorded order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, Self

from fakestore.errors import NO_SUCH_KEY, NOT_IMPLEMENTED, PRECONDITION_FAILED, ErrorResponse
from fakestore.http.values import http_date, parse_http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.entity_tag import EntityTag, split_tags
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Preconditions, RawValue, headers, standard_header


class FailedCondition(NamedTuple):
    """A condition that did not hold.

    Args:
        header: The full name of the header.
        not_modified: Whether the reader has the current version already. Then the answer is 304.
    """

    header: str
    not_modified: bool
    explanation: str

    def error(self, service_headers: Mapping[str, str] | None = None) -> ErrorResponse:
        """Return the error that answers the request, with these headers of the dialect."""
        return PRECONDITION_FAILED.error(
            explanation=self.explanation, service_headers=service_headers, Condition=self.header
        )


class VersionConditions(NamedTuple):
    """The four conditions on a version that is read.

    Args:
        prefix: The prefix of the names of the headers.
        compare_weakly: Whether If-None-Match matches weak entity tags.
        future_is_ignored: Whether a modified_since that lies in the future is ignored.
    """

    prefix: str = ""
    match: str | None = None
    none_match: str | None = None
    modified_since: datetime | None = None
    unmodified_since: datetime | None = None
    compare_weakly: bool = False
    future_is_ignored: bool = True

    def first_failure(self, version: ObjectVersion, now: datetime) -> FailedCondition | None:
        """Return the first condition that fails, in the recorded order, or None if all hold.

        If If-Match holds, If-Unmodified-Since is ignored (RFC 9110, 13.2.2).
        """
        modified = version.last_modified
        if self.match is not None:
            if not version.etag.matches(self.match):
                return self._failure("If-Match", f"the entity tag is {version.etag}, not {self.match}")
        elif self.unmodified_since is not None and modified > self.unmodified_since:
            return self._failure("If-Unmodified-Since", f"the object was modified at {http_date(modified)}")
        if self.none_match is not None and version.etag.matches(self.none_match, weakly=self.compare_weakly):
            return self._failure("If-None-Match", f"the entity tag is {version.etag}", not_modified=True)
        if self.modified_since is not None and modified <= self.modified_since:
            if self.modified_since > now and self.future_is_ignored:
                return None
            return self._failure(
                "If-Modified-Since", f"the object was modified at {http_date(modified)}", not_modified=True
            )
        return None

    def _failure(self, name: str, reason: str, *, not_modified: bool = False) -> FailedCondition:
        header = self.prefix + name
        return FailedCondition(header, not_modified, f"{header} does not hold: {reason}")


def parse_read_conditions(call: Call) -> VersionConditions:
    """Return the conditions of a GET or HEAD, as RFC 9110 reads them.

    A date that cannot be parsed is ignored (13.1.3 and 13.1.4), and so is If-Modified-Since beside If-None-Match.
    """
    headers = call.headers
    none_match = headers.get("if-none-match")
    modified_since, unmodified_since = headers.get("if-modified-since"), headers.get("if-unmodified-since")
    return VersionConditions(
        match=headers.get("if-match"),
        none_match=none_match,
        modified_since=None if modified_since is None or none_match is not None else parse_http_date(modified_since),
        unmodified_since=None if unmodified_since is None else parse_http_date(unmodified_since),
        compare_weakly=True,
    )


class RangeCondition(NamedTuple):
    """If-Range: a Range header is ignored unless the object is still the one with this entity tag or date."""

    etag: EntityTag | None
    date: datetime | None

    @classmethod
    def parse(cls, sent: RawValue) -> Self:
        date = parse_http_date(sent.text)
        return cls(EntityTag.parse(sent.text) if date is None else None, date)

    def holds_for(self, version: ObjectVersion) -> bool:
        """Return whether the object is still the same. Entity tags are compared strongly (RFC 9110, 13.1.5)."""
        return version.last_modified == self.date or version.etag == self.etag


class WriteConditions(Preconditions):
    """The conditions of a request that writes an object: If-Match, or ``If-None-Match: *``."""

    match: str | None = standard_header("if-match")
    none_match: str | None = standard_header("if-none-match")

    def check_parsed(self, call: Call) -> None:
        """Check that the public service accepts such conditions."""
        if self.match is not None and self.none_match is not None:
            raise NOT_IMPLEMENTED.error(
                explanation="If-Match and If-None-Match were both sent; send one of them",
                Header="If-Match,If-None-Match",
                additionalMessage="Multiple conditional request headers present in the request",
            )
        if self.none_match not in (None, "*"):
            raise _not_implemented("If-None-Match", f"If-None-Match is {self.none_match!r}; expected *")
        if self.match is not None and "*" in split_tags(self.match):
            raise _not_implemented("If-Match", f"If-Match is {self.match!r}; expected an entity tag")

    @property
    def has_condition(self) -> bool:
        return self.match is not None or self.none_match is not None

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        key = call.key
        if self.none_match is not None and isinstance(bucket.latest_entry(key), ObjectVersion):
            raise PRECONDITION_FAILED.error(
                explanation=f"If-None-Match: * does not hold: the object {key!r} exists", Condition="If-None-Match"
            )
        if self.match is not None:
            _check_entity_tag(bucket, key, self.match)


def _check_entity_tag(bucket: BucketRecord, key: str, expected: str) -> None:
    """Check that the current object has the entity tag, or one of the list, which a header or a document states."""
    current = bucket.latest_entry(key)
    if not isinstance(current, ObjectVersion):
        raise NO_SUCH_KEY.error(
            explanation=f"the expected entity tag of {key!r} is {expected}, but the object does not exist", Key=key
        )
    if not current.etag.matches(expected):
        raise PRECONDITION_FAILED.error(
            explanation=f"the expected entity tag of {key!r} is {expected}, but the object has {current.etag}",
            Condition="If-Match",
        )


def _refuse_directory_conditions(call: Call) -> None:
    header = call.dialect.header(next(each for each in _DIRECTORY_CONDITIONS if each in call.service_headers))
    raise NOT_IMPLEMENTED.error(
        explanation=f"{header}: only directory buckets accept this condition; send If-Match", Header=header
    )


#: Conditions that only directory buckets accept, in the order in which they are refused.
_DIRECTORY_CONDITIONS = ("if-match-last-modified-time", "if-match-size")


class DeleteConditions(Preconditions):
    """The condition of a DELETE: If-Match."""

    of_directory_bucket: None = headers(_refuse_directory_conditions, *_DIRECTORY_CONDITIONS, default=None)
    match: str | None = standard_header("if-match")

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        self.check_object(bucket, call.key, call.version_id)

    def check_object(self, bucket: BucketRecord, key: str, version_id: str | None) -> None:
        """Check the condition on the current object. A deletion that names a version cannot have one."""
        if self.match is None:
            return
        if version_id is not None:
            raise _not_implemented("If-Match", "If-Match and versionId were both sent; send one of them")
        _check_entity_tag(bucket, key, self.match)


def _not_implemented(header: str, explanation: str) -> ErrorResponse:
    reason = f"We don't accept the provided value of {header} header for this API"
    return NOT_IMPLEMENTED.error(explanation=explanation, Header=header, additionalMessage=reason)
