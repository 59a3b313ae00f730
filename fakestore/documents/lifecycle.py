"""The LifecycleConfiguration document."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from fakestore.documents.lifecycle_texts import MIDNIGHT, not_in_bounds
from fakestore.documents.transition import NoncurrentTransitionElement, TransitionElement
from fakestore.model.errors import INVALID_ARGUMENT, INVALID_REQUEST, MALFORMED_XML
from fakestore.model.lifecycle import (
    MOST_BYTES,
    MOST_DAYS,
    MOST_KEPT_VERSIONS,
    MOST_RULES,
    RULE_ID_LENGTH,
    Lifecycle,
    PrefixForm,
    Rule,
)
from fakestore.model.shape import child, children, document, element
from fakestore.model.tagging import OBJECT_TAGS, Tag, Tagging, tag_pairs
from fakestore.model.text_types import integer


@element()
class Expiration:
    """The action on the latest entry of a key: an object expires, or a delete marker without versions is removed."""

    days: int | None = child(
        "Days", default=None, kind=integer(1, MOST_DAYS), invalid=not_in_bounds("Expiration action")
    )
    date: datetime | None = child("Date", default=None, kind=MIDNIGHT)
    expired_marker: bool | None = child("ExpiredObjectDeleteMarker", default=None)

    def validate(self) -> None:
        """Check that it has exactly one action.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if (self.days, self.date, self.expired_marker).count(None) != 2:
            raise MALFORMED_XML.error(
                explanation="<Expiration> needs exactly one of <Days>, <Date> and <ExpiredObjectDeleteMarker>"
            )


@element()
class NoncurrentVersionExpiration:
    """The action that removes noncurrent versions."""

    noncurrent_days: int = child(
        "NoncurrentDays", kind=integer(1, MOST_DAYS), invalid=not_in_bounds("NoncurrentVersionExpiration action")
    )
    newer_noncurrent_versions: int | None = child(
        "NewerNoncurrentVersions",
        default=None,
        kind=integer(1, MOST_KEPT_VERSIONS),
        invalid=not_in_bounds("NoncurrentVersionExpiration action"),
    )


@element()
class AbortIncompleteMultipartUpload:
    """The action that aborts multipart uploads that are not completed in time."""

    days_after_initiation: int = child(
        "DaysAfterInitiation",
        kind=integer(1, MOST_DAYS),
        invalid=not_in_bounds("AbortIncompleteMultipartUpload action"),
    )


@element()
class Predicates:
    """The conditions under which a rule applies to an object."""

    prefix: str | None = child("Prefix", default=None)
    larger_than: int | None = child(
        "ObjectSizeGreaterThan",
        default=None,
        kind=integer(0, MOST_BYTES),
        invalid=not_in_bounds("Filter", "non-negative"),
    )
    smaller_than: int | None = child(
        "ObjectSizeLessThan", default=None, kind=integer(1, MOST_BYTES), invalid=not_in_bounds("Filter")
    )


@element()
class And(Predicates):
    """Two or more predicates. The rule applies to an object if all of them hold."""

    tags: tuple[Tag, ...] = children("Tag")

    def validate(self) -> None:
        """Refuse a single predicate, a repeated tag key, and sizes that no object can have.

        Raises:
            ErrorResponse: MalformedXML or InvalidRequest.
        """
        if len({tag.key for tag in self.tags}) < len(self.tags):
            raise INVALID_REQUEST.error(
                "Duplicate Tag Keys are not allowed.", explanation="<And> has two elements <Tag> with the same <Key>"
            )
        if 3 - (self.prefix, self.larger_than, self.smaller_than).count(None) + len(self.tags) < 2:
            raise MALFORMED_XML.error(explanation="<And> has fewer than two predicates; put a single one into <Filter>")
        if self.larger_than is not None and self.smaller_than is not None and self.larger_than >= self.smaller_than:
            raise INVALID_REQUEST.error("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'")


@element()
class Filter(Predicates):
    """The filter of a rule. If it is empty, the rule applies to every object."""

    tag: Tag | None = child("Tag", default=None)
    conjunction: And | None = child("And", default=None)

    @property
    def is_empty(self) -> bool:
        """Whether the filter has no predicates."""
        return self == Filter()

    @property
    def predicates(self) -> Predicates:
        """The element that contains the predicates: the ``<And>``, or the filter itself if it has no ``<And>``."""
        return self.conjunction or self

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The tags that an object must have."""
        if self.conjunction is not None:
            return self.conjunction.tags
        return () if self.tag is None else (self.tag,)

    def validate(self) -> None:
        """Refuse several predicates outside of an ``<And>``.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if (self.prefix, self.larger_than, self.smaller_than, self.tag, self.conjunction).count(None) < 4:
            raise MALFORMED_XML.error(explanation="<Filter> has several predicates; put them into its <And>")

    @classmethod
    def from_rule(cls, rule: Rule) -> Filter:
        """Return the filter of ``rule``. An empty prefix is only written if the rule has no other predicate."""
        if rule.form is PrefixForm.EMPTY_FILTER:
            return cls()
        larger_than, smaller_than, tags = rule.larger_than, rule.smaller_than, Tagging.of(rule.tags).tags
        others = 2 - (larger_than, smaller_than).count(None) + len(tags)
        prefix = rule.prefix if rule.prefix or not others else None
        if others + (prefix is not None) > 1:
            return cls(conjunction=And(prefix=prefix, larger_than=larger_than, smaller_than=smaller_than, tags=tags))
        return cls(prefix=prefix, larger_than=larger_than, smaller_than=smaller_than, tag=tags[0] if tags else None)


@element()
class RuleElement:
    """A rule. Its own ``prefix`` is the older form of a filter."""

    id: str | None = child("ID", default=None)
    prefix: str | None = child("Prefix", default=None)
    filter: Filter | None = child("Filter", default=None)
    is_enabled: bool = child("Status", choices={"Enabled": True, "Disabled": False})
    expiration: Expiration | None = child("Expiration", default=None)
    transitions: tuple[TransitionElement, ...] = children("Transition")
    noncurrent_transitions: tuple[NoncurrentTransitionElement, ...] = children("NoncurrentVersionTransition")
    noncurrent: NoncurrentVersionExpiration | None = child("NoncurrentVersionExpiration", default=None)
    abort: AbortIncompleteMultipartUpload | None = child("AbortIncompleteMultipartUpload", default=None)

    def validate(self) -> None:
        """Refuse a rule whose id is too long, that has no filter or two, or that has no action.

        A rule with tags has neither an action for uploads nor one for delete markers. [tags-and-lifecycle]

        Raises:
            ErrorResponse: InvalidArgument, MalformedXML or InvalidRequest.
        """
        if self.id and len(self.id) > RULE_ID_LENGTH:
            raise INVALID_ARGUMENT.error(
                f"ID length should not exceed allowed limit of {RULE_ID_LENGTH}",
                explanation=f"<ID> has {len(self.id):,} characters; expected {RULE_ID_LENGTH} at most",
                ArgumentName="ID",
                ArgumentValue=self.id,
            )
        if (self.prefix is None) == (self.filter is None):
            received = "neither <Filter> nor <Prefix>" if self.filter is None else "both <Filter> and <Prefix>"
            raise MALFORMED_XML.error(explanation=f"<Rule> has {received}; expected one of them")
        keeps_objects = self.expiration is None or self.expiration.expired_marker is False
        moves = (*self.transitions, *self.noncurrent_transitions)
        if self.noncurrent is None and self.abort is None and keeps_objects and not moves:
            raise INVALID_REQUEST.error(
                "At least one action needs to be specified in a rule",
                explanation="<Rule> does nothing; add an <Expiration>, a <NoncurrentVersionExpiration>, an"
                " <AbortIncompleteMultipartUpload>, a <Transition> or a <NoncurrentVersionTransition>",
            )
        if self.filter is not None and self.filter.tags:
            self._check_acts_on_objects()
        self._check_transitions()

    def _check_transitions(self) -> None:
        """Check that each storage class is named once, and that objects expire after they were moved. [transitions]"""
        for tag, moves in (
            ("Transition", self.transitions),
            ("NoncurrentVersionTransition", self.noncurrent_transitions),
        ):
            if len({each.storage_class for each in moves}) < len(moves):
                raise INVALID_REQUEST.error(
                    f"'StorageClass' must be different for '{tag}' actions in same 'Rule'",
                    explanation=f"several elements <{tag}> of a <Rule> have the same <StorageClass>",
                )
        by_date = {each.date is not None for each in self.transitions}
        expiration = self.expiration or Expiration()
        if expiration.expired_marker is None and self.expiration is not None:
            by_date.add(expiration.date is not None)
        if len(by_date) > 1:
            raise INVALID_REQUEST.error(
                "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule",
                explanation="the actions of a <Rule> have <Date> and <Days>; use one of them",
            )
        _check_order("Days", "", expiration.days, [each.days for each in self.transitions])
        _check_order("Date", "", expiration.date, [each.date for each in self.transitions])
        if self.noncurrent is not None:
            days = [each.days for each in self.noncurrent_transitions]
            _check_order("NoncurrentDays", "NoncurrentVersion", self.noncurrent.noncurrent_days, days)

    def _check_acts_on_objects(self) -> None:
        if self.abort is not None:
            refused = "AbortIncompleteMultipartUpload"
        elif self.expiration is not None and self.expiration.expired_marker is not None:
            refused = "ExpiredObjectDeleteMarker"
        else:
            return
        raise INVALID_REQUEST.error(
            f"{refused} cannot be specified with Tags.",
            explanation=f"<Rule> has both <{refused}> and <Tag>; only objects have tags, so use two rules",
        )

    def to_rule(self, rule_id: str) -> Rule:
        """Return the rule.

        Args:
            rule_id: The id of the rule, also if the element has none.

        Raises:
            ErrorResponse: InvalidTag or BadRequest, because of the tags.
        """
        filter = self.filter or Filter(prefix=self.prefix)
        expiration, noncurrent = self.expiration or Expiration(), self.noncurrent
        return Rule(
            id=rule_id,
            prefix=filter.predicates.prefix or "",
            enabled=self.is_enabled,
            days=expiration.days,
            date=expiration.date,
            noncurrent_days=None if noncurrent is None else noncurrent.noncurrent_days,
            newer_noncurrent_versions=None if noncurrent is None else noncurrent.newer_noncurrent_versions,
            expired_marker=expiration.expired_marker,
            larger_than=filter.predicates.larger_than,
            smaller_than=filter.predicates.smaller_than,
            abort_days=None if self.abort is None else self.abort.days_after_initiation,
            tags=OBJECT_TAGS.check(tag_pairs(filter.tags)),
            transitions=tuple(each.to_transition() for each in self.transitions),
            noncurrent_transitions=tuple(each.to_transition() for each in self.noncurrent_transitions),
            form=self._form,
        )

    @property
    def _form(self) -> PrefixForm:
        if self.filter is None:
            return PrefixForm.IN_RULE
        return PrefixForm.EMPTY_FILTER if self.filter.is_empty else PrefixForm.IN_FILTER

    @classmethod
    def from_rule(cls, rule: Rule) -> RuleElement:
        """Return the element for ``rule``."""
        in_rule = rule.form is PrefixForm.IN_RULE
        expiration = Expiration(days=rule.days, date=rule.date, expired_marker=rule.expired_marker)
        return cls(
            id=rule.id,
            prefix=rule.prefix if in_rule else None,
            filter=None if in_rule else Filter.from_rule(rule),
            is_enabled=rule.enabled,
            expiration=None if expiration == Expiration() else expiration,
            transitions=tuple(map(TransitionElement.from_transition, rule.transitions)),
            noncurrent_transitions=tuple(map(NoncurrentTransitionElement.from_transition, rule.noncurrent_transitions)),
            noncurrent=None
            if rule.noncurrent_days is None
            else NoncurrentVersionExpiration(
                noncurrent_days=rule.noncurrent_days, newer_noncurrent_versions=rule.newer_noncurrent_versions
            ),
            abort=None
            if rule.abort_days is None
            else AbortIncompleteMultipartUpload(days_after_initiation=rule.abort_days),
        )


def _check_order(tag: str, kind: str, end: Any, starts: Iterable[Any]) -> None:
    """Check that an expiration comes after every transition; a value of None is absent."""
    if end is not None and any(start is not None and start >= end for start in starts):
        raise INVALID_ARGUMENT.error(
            f"'{tag}' in the {kind}Expiration action must be greater than '{tag}' in the {kind}Transition action",
            explanation=f"a <Rule> moves objects at the time of its <{kind}Expiration> or later",
            ArgumentName=tag,
        )


@document("LifecycleConfiguration")
class LifecycleConfiguration:
    """The rules of a bucket, in their order.

    Parsing the document of a lifecycle returns the same lifecycle.
    """

    rules: tuple[RuleElement, ...] = children("Rule", least=1, most=MOST_RULES)

    def validate(self) -> None:
        """Refuse two rules with the same id.

        Raises:
            ErrorResponse: InvalidArgument.
        """
        counts = Counter(rule.id for rule in self.rules if rule.id)
        if (repeated := next((rule_id for rule_id, count in counts.items() if count > 1), None)) is not None:
            raise INVALID_ARGUMENT.error(
                "Rule ID must be unique. Found same ID for one or more rules",
                explanation=f"<ID> is {repeated!r} in several rules; give each rule its own id",
                ArgumentName="ID",
                ArgumentValue=repeated,
            )

    def to_lifecycle(self) -> Lifecycle:
        """Return the rules. A rule without an id gets one that is derived from its place and its content.

        Raises:
            ErrorResponse: As :meth:`RuleElement.to_rule`.
        """
        ids = {rule.id for rule in self.rules if rule.id}
        rules = []
        for place, written in enumerate(self.rules):
            rule = written.to_rule(written.id or "derived")
            if not written.id:
                rule = replace(rule, id=_derive_id(f"{place} {rule!r}", ids))
            rules.append(rule)
        return Lifecycle(tuple(rules))

    @classmethod
    def from_lifecycle(cls, lifecycle: Lifecycle) -> LifecycleConfiguration:
        """Return the document for ``lifecycle``."""
        return cls(rules=tuple(map(RuleElement.from_rule, lifecycle.rules)))


def _derive_id(source: str, existing: set[str]) -> str:
    """Return the id of a rule that was sent without one. It is not in ``existing``.

    A client may send a document with a derived id again, so another rule can already have that id.
    """
    while (derived := hashlib.sha256(source.encode()).hexdigest()) in existing:
        source = derived
    return derived
