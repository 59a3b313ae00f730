"""The lifecycle configuration of a bucket as XML, both ways."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fakestore.documents.xml import children, content, document, element, parse, root, text
from fakestore.model.errors import INVALID_ARGUMENT, INVALID_REQUEST, MALFORMED_XML
from fakestore.model.lifecycle import (
    MOST_BYTES,
    MOST_DAYS,
    MOST_KEPT_VERSIONS,
    MOST_RULES,
    RULE_ID_LENGTH,
    Lifecycle,
    Rule,
    is_midnight,
)
from fakestore.protocol.dialect import Dialect

if TYPE_CHECKING:
    from lxml.etree import _Element

_RULE = ("ID", "Prefix", "Filter", "Status", "Expiration", "NoncurrentVersionExpiration")
_EXPIRATION = ("Days", "Date", "ExpiredObjectDeleteMarker")
_NONCURRENT = ("NoncurrentDays", "NewerNoncurrentVersions")
_SIZES = ("ObjectSizeGreaterThan", "ObjectSizeLessThan")
_PREDICATES = ("Prefix", *_SIZES)
_RULE_NOT_MODELLED = ("Transition", "NoncurrentVersionTransition", "AbortIncompleteMultipartUpload")
_PREDICATES_NOT_MODELLED = ("Tag",)

# More digits than any bound has; int() itself refuses thousands of them.
_NUMBER = re.compile("[0-9]{1,20}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def parse_lifecycle(body: bytes) -> Lifecycle:
    """The rules of a ``LifecycleConfiguration``, in their order.

    A rule without ID gets one derived from its place and content, so that a run repeats.

    Raises:
        ErrorResponse: MalformedXML, InvalidArgument or InvalidRequest.
        UnsupportedRequest: a rule has an element that is not modelled.
    """
    nodes = children(parse(body, "LifecycleConfiguration"), many=("Rule",))["Rule"]
    if not 1 <= len(nodes) <= MOST_RULES:
        raise MALFORMED_XML.error(explanation=f"a lifecycle has 1 to {MOST_RULES} rules, not {len(nodes)}")
    parsed = [_rule(node) for node in nodes]
    ids: set[str] = set()
    for given, _ in parsed:
        if given in ids:
            raise INVALID_ARGUMENT.error(
                "Rule ID must be unique. Found same ID for one or more rules",
                ArgumentName="ID",
                ArgumentValue=given,
            )
        if given:
            ids.add(given)
    rules = []
    for place, (given, rule) in enumerate(parsed):
        rule_id = given or _derived_id(place, rule, ids)
        ids.add(rule_id)
        rules.append(replace(rule, id=rule_id))
    return Lifecycle(tuple(rules))


def render_lifecycle(lifecycle: Lifecycle, dialect: Dialect) -> bytes:
    """The configuration as a document that :func:`parse_lifecycle` reads back to the same rules.

    A rule's own ``Prefix``, the older form, comes back inside a ``Filter``.
    """
    return document(root("LifecycleConfiguration", *map(_rendered, lifecycle.rules), dialect=dialect))


def _derived_id(place: int, rule: Rule, taken: set[str]) -> str:
    """An id like those the service makes up, other than any in ``taken``: a client may have put one back."""
    source = f"{place} {_rendered(rule)}"
    while (derived := hashlib.sha256(source.encode()).hexdigest()) in taken:
        source = derived
    return derived


def _rule(node: _Element) -> tuple[str, Rule]:
    """The rule's ID as given, empty where there is none, and the rule under a stand-in for it."""
    found = children(node, one=_RULE, unmodelled=_RULE_NOT_MODELLED)
    given = content(found["ID"][0]) if found["ID"] else ""
    if len(given) > RULE_ID_LENGTH:
        raise INVALID_ARGUMENT.error(
            f"ID length should not exceed allowed limit of {RULE_ID_LENGTH}",
            ArgumentName="ID",
            ArgumentValue=given,
        )
    if len(found["Prefix"]) + len(found["Filter"]) != 1:
        raise MALFORMED_XML.error(explanation="a <Rule> has one <Filter>, or one <Prefix> in its place")
    status = content(found["Status"][0]) if found["Status"] else None
    if status not in ("Enabled", "Disabled"):
        raise MALFORMED_XML.error(explanation="a <Rule> has a <Status>, which is Enabled or Disabled")
    if found["Filter"]:
        prefix, larger_than, smaller_than = _filter(found["Filter"][0])
    else:
        prefix, larger_than, smaller_than = content(found["Prefix"][0]), None, None
    days, date, expired_marker = _expiration(found["Expiration"])
    noncurrent_days, newer = _noncurrent(found["NoncurrentVersionExpiration"])
    if not expired_marker and (days, date, noncurrent_days) == (None, None, None):
        raise INVALID_REQUEST.error("At least one action needs to be specified in a rule")
    return given, Rule(
        id="derived",
        prefix=prefix,
        enabled=status == "Enabled",
        days=days,
        date=date,
        noncurrent_days=noncurrent_days,
        newer_noncurrent_versions=newer,
        expired_marker=expired_marker,
        larger_than=larger_than,
        smaller_than=smaller_than,
        empty_filter=bool(found["Filter"]) and len(found["Filter"][0]) == 0,
    )


def _filter(node: _Element) -> tuple[str, int | None, int | None]:
    """Prefix, ObjectSizeGreaterThan and ObjectSizeLessThan."""
    found = children(node, one=(*_PREDICATES, "And"), unmodelled=_PREDICATES_NOT_MODELLED)
    if sum(map(len, found.values())) > 1:
        raise MALFORMED_XML.error(explanation="a <Filter> has one predicate; several of them belong in its <And>")
    if found["And"]:
        found = children(found["And"][0], one=_PREDICATES, unmodelled=_PREDICATES_NOT_MODELLED)
        if sum(map(len, found.values())) < 2:
            raise MALFORMED_XML.error(explanation="an <And> has two predicates at least")
    prefix = content(found["Prefix"][0]) if found["Prefix"] else ""
    larger_than = _number(found["ObjectSizeGreaterThan"], "Filter", 0, MOST_BYTES)
    smaller_than = _number(found["ObjectSizeLessThan"], "Filter", 1, MOST_BYTES)
    if larger_than is not None and smaller_than is not None and larger_than >= smaller_than:
        raise INVALID_REQUEST.error("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'")
    return prefix, larger_than, smaller_than


def _expiration(nodes: list[_Element]) -> tuple[int | None, datetime | None, bool | None]:
    if not nodes:
        return None, None, None
    found = children(nodes[0], one=_EXPIRATION)
    if sum(map(len, found.values())) != 1:
        raise MALFORMED_XML.error(explanation=f"an <Expiration> has one of {', '.join(_EXPIRATION)}")
    if found["ExpiredObjectDeleteMarker"]:
        flag = content(found["ExpiredObjectDeleteMarker"][0]).strip()
        if flag not in ("true", "false"):
            raise MALFORMED_XML.error(explanation="<ExpiredObjectDeleteMarker> is true or false")
        return None, None, flag == "true"
    if found["Date"]:
        return None, _date(content(found["Date"][0]).strip()), None
    return _number(found["Days"], "Expiration action", 1, MOST_DAYS), None, None


def _noncurrent(nodes: list[_Element]) -> tuple[int | None, int | None]:
    if not nodes:
        return None, None
    found = children(nodes[0], one=_NONCURRENT)
    if not found["NoncurrentDays"]:
        raise MALFORMED_XML.error(explanation="a <NoncurrentVersionExpiration> has a <NoncurrentDays>")
    where = "NoncurrentVersionExpiration action"
    return (
        _number(found["NoncurrentDays"], where, 1, MOST_DAYS),
        _number(found["NewerNoncurrentVersions"], where, 1, MOST_KEPT_VERSIONS),
    )


def _number(nodes: list[_Element], where: str, least: int, most: int) -> int | None:
    if not nodes:
        return None
    name, digits = nodes[0].tag, content(nodes[0]).strip()
    if _NUMBER.fullmatch(digits) and least <= int(digits) <= most:
        return int(digits)
    raise INVALID_ARGUMENT.error(
        f"'{name}' for {where} must be a {'positive' if least else 'non-negative'} integer",
        explanation=f"<{name}> is a number from {least} to {most}",
        ArgumentName=str(name),
        ArgumentValue=digits,
    )


def _date(value: str) -> datetime:
    if not _DATE.fullmatch(value):
        raise MALFORMED_XML.error(explanation=f"<Date> is like 2030-01-31T00:00:00Z, not {value!r}")
    try:
        date = datetime.fromisoformat(value)
        date = date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise MALFORMED_XML.error(explanation=f"<Date> is not in the calendar: {error}") from None
    if not is_midnight(date):
        raise INVALID_ARGUMENT.error("'Date' must be at midnight GMT", ArgumentName="Date", ArgumentValue=value)
    return date


def _rendered(rule: Rule) -> str:
    actions = []
    if rule.days is not None:
        actions.append(element("Expiration", text("Days", rule.days)))
    if rule.date is not None:
        moment = rule.date.replace(tzinfo=None).isoformat(timespec="milliseconds")
        actions.append(element("Expiration", text("Date", f"{moment}Z")))
    if rule.expired_marker is not None:
        flag = "true" if rule.expired_marker else "false"
        actions.append(element("Expiration", text("ExpiredObjectDeleteMarker", flag)))
    if rule.noncurrent_days is not None:
        noncurrent = [text("NoncurrentDays", rule.noncurrent_days)]
        if rule.newer_noncurrent_versions is not None:
            noncurrent.append(text("NewerNoncurrentVersions", rule.newer_noncurrent_versions))
        actions.append(element("NoncurrentVersionExpiration", *noncurrent))
    status = text("Status", "Enabled" if rule.enabled else "Disabled")
    return element("Rule", text("ID", rule.id), _rendered_filter(rule), status, *actions)


def _rendered_filter(rule: Rule) -> str:
    if rule.empty_filter:
        return element("Filter")
    sizes = zip(_SIZES, (rule.larger_than, rule.smaller_than), strict=True)
    predicates = [text(name, size) for name, size in sizes if size is not None]
    if rule.prefix or not predicates:
        predicates.insert(0, text("Prefix", rule.prefix))
    return element("Filter", *predicates if len(predicates) == 1 else [element("And", *predicates)])
