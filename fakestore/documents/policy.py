"""The JSON document of a bucket policy."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from fakestore.documents.policy_conditions import parse_conditions, parse_variables, render_conditions
from fakestore.documents.policy_json import (
    check_fields,
    describe,
    invalid_syntax,
    missing,
    optional_string,
    read_json,
    required,
    strings,
    wrong_type,
)
from fakestore.model.accounts import CANONICAL_ID, Accounts
from fakestore.model.errors import MALFORMED_POLICY
from fakestore.model.names import ARN_PREFIX
from fakestore.model.policy import Effect, Element, Policy, Statement, actions_matching
from fakestore.model.policy_vocabulary import KnownActions, Vocabulary
from fakestore.model.unsupported import UnsupportedRequest

VERSIONS = ("2012-10-17", "2008-10-17")

_PRINCIPAL_ARN = "arn:aws:iam::"
#: The forms of principals that are not accounts of the store, by their kind. For AWS, this is the number of an account,
#: or an account, user, role or origin access identity by its resource name.
_UNKNOWN_PRINCIPALS = {
    "AWS": re.compile(
        rf"[0-9]{{12}}|{_PRINCIPAL_ARN}[0-9]{{12}}:(?:root|(?:user|role)/[\w+=,.@/-]+)"
        rf"|{_PRINCIPAL_ARN}cloudfront:user/CloudFront Origin Access Identity [A-Z0-9]+",
        re.ASCII,
    ),
    "CanonicalUser": CANONICAL_ID,
    "Service": re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?", re.ASCII),
}

#: The form of an action, with wildcards. An unknown action of this form raises UnsupportedRequest.
_ACTION = re.compile(r"s3:[a-z*?]+", re.ASCII | re.IGNORECASE)
#: Each element, and the one that lists what a statement does not apply to.
_NEGATIONS = {element: f"Not{element.value}" for element in Element}
_FIELDS = ("Sid", "Effect", *(name for each in Element for name in (each.value, _NEGATIONS[each])), "Condition")


class PolicyRules(NamedTuple):
    """What the policy of a bucket may name.

    Args:
        bucket: The bucket that the policy is for. Every resource must be in it.
        accounts: The accounts that it may name.
        vocabulary: The actions and the keys of conditions that it may name.
        accepts_unknown: Whether it may also name well-formed principals that are not accounts of the store. They may
            also be other services.
    """

    bucket: str
    accounts: Accounts
    vocabulary: Vocabulary
    accepts_unknown: bool = False


def parse_policy(body: bytes, rules: PolicyRules) -> Policy:
    """Return the policy in ``body``. It keeps the document, so that a GET returns the same bytes.

    Raises:
        ErrorResponse: MalformedPolicy, if the document is not JSON, is longer than 20 KiB, is not a policy or is for
            another bucket, or if it names an unknown action or account.
        UnsupportedRequest: If it contains something that the public service knows and the fake does not support.
    """
    document = read_json(body)
    check_fields(document, ("Version", "Id", "Statement"))
    version = document.get("Version", VERSIONS[1])
    if version not in VERSIONS:
        raise MALFORMED_POLICY.error(
            "The policy must contain a valid version string",
            explanation=f"Version is {describe(version)}; expected {' or '.join(VERSIONS)}",
        )
    optional_string(document, "Id")
    statements = required(document, "Statement")
    if not isinstance(statements, list):
        statements = [statements]
    if not statements:
        raise MALFORMED_POLICY.error(
            "Could not parse the policy: Statement is empty!",
            explanation="Statement is an empty list; send DELETE Bucket policy to have no policy",
        )
    policy = Policy(tuple(_statement(statement, rules) for statement in statements), body)
    if version != VERSIONS[0] and any(map(_has_variables, policy.statements)):
        raise UnsupportedRequest(
            f'a policy with "${{" is only supported in version {VERSIONS[0]}, which has policy variables; add'
            f' "Version": "{VERSIONS[0]}" to the document'
        )
    return policy


def render_policy(policy: Policy) -> bytes:
    """Return the document from which a policy was parsed, or a new one if the policy was made in Python.

    A new document names the accounts as CanonicalUser, and unknown principals as AWS or Service, sorted. A list of one
    name is written as that name.
    """
    if policy.document is not None:
        return policy.document
    statements = [_render_statement(statement) for statement in policy.statements]
    return json.dumps({"Version": VERSIONS[0], "Statement": statements}, ensure_ascii=False).encode()


def _statement(value: object, rules: PolicyRules) -> Statement:
    if not isinstance(value, dict):
        raise wrong_type("Statement", "an object or a list of objects", value)
    check_fields(value, _FIELDS)
    effect = _effect(required(value, "Effect"))
    negated = frozenset(each for each in Element if _is_negated(value, each))
    if effect is Effect.ALLOW and Element.PRINCIPAL in negated:
        raise MALFORMED_POLICY.error(
            "Allow with NotPrincipal is not allowed.",
            explanation="a statement that allows something names its principals; use NotPrincipal with Deny only",
        )
    principals = _principals(_element(value, Element.PRINCIPAL, negated), rules)
    actions = strings("Action", _element(value, Element.ACTION, negated))
    listed = strings("Resource", _element(value, Element.RESOURCE, negated))
    resources = tuple(_resource(arn, rules) for arn in listed)
    for action in actions:
        _check_action(action, rules.vocabulary.actions)
    statement = Statement(effect, principals, actions, resources, optional_string(value, "Sid"), negated=negated)
    selected = _selected_actions(statement, rules.vocabulary.actions)
    conditions = parse_conditions(value.get("Condition", {}), rules.vocabulary.condition_keys, selected)
    return statement._replace(conditions=conditions)


def _has_variables(statement: Statement) -> bool:
    texts = (*statement.resources, *(value for condition in statement.conditions for value in condition.values))
    return any("${" in text for text in texts)


def _is_negated(value: dict[str, object], element: Element) -> bool:
    negation = _NEGATIONS[element]
    if negation in value and element.value in value:
        raise invalid_syntax(f"a statement has {element.value} and {negation}; expected one of them")
    return negation in value


def _element(value: dict[str, object], element: Element, negated: frozenset[Element]) -> object:
    return value[_NEGATIONS[element]] if element in negated else required(value, element.value)


def _effect(value: object) -> Effect:
    if not isinstance(value, str):
        raise wrong_type("Effect", "a string", value)
    for effect in Effect:
        if effect.value == value:
            return effect
    raise MALFORMED_POLICY.error(f"Invalid effect: {value}", explanation=f"Effect is {value!r}; expected Allow or Deny")


def _principals(value: object, rules: PolicyRules) -> frozenset[str] | None:
    if value == "*":
        return None
    if not isinstance(value, dict):
        raise wrong_type("Principal", '"*", {"AWS": ...} or {"CanonicalUser": ...}', value)
    for kind in ("Federated",) if rules.accepts_unknown else ("Federated", "Service"):
        if kind in value:
            raise UnsupportedRequest(
                f'a bucket policy with a {kind} principal is not supported; use "*", or {{"AWS": x}}, where x is the id'
                f" or number of an account or {_PRINCIPAL_ARN}<id or number>:root"
            )
    check_fields(value, tuple(_UNKNOWN_PRINCIPALS))
    if not value:
        raise missing("Principal")
    everyone = False
    ids = set()
    for kind, names in value.items():
        for name in strings("Principal", names):
            if kind == "AWS" and name == "*":
                everyone = True
            else:
                ids.add(_principal(name, kind, rules))
    return None if everyone else frozenset(ids)


def _principal(name: str, kind: str, rules: PolicyRules) -> str:
    """Return the canonical id of an account, or the name of an unknown principal, which matches no requester."""
    accounts, is_aws = rules.accounts, kind == "AWS"
    named = name.removeprefix(_PRINCIPAL_ARN).removesuffix(":root") if is_aws else name
    account = accounts.by_id(named) or (accounts.by_number(named) if is_aws else None)
    if account is not None and name in (named, f"{_PRINCIPAL_ARN}{named}:root"):
        return account.id
    if rules.accepts_unknown and _UNKNOWN_PRINCIPALS[kind].fullmatch(name):
        return name
    known = ", ".join(f"{account.id} ({account})" for account in accounts)
    raise MALFORMED_POLICY.error(
        "Invalid principal in policy",
        explanation=f"the principal {name!r} is unknown; expected the canonical id or the number of an account, or"
        f" {_PRINCIPAL_ARN}<id or number>:root; known accounts: {known}",
    )


def _resource(arn: str, rules: PolicyRules) -> str:
    """Return the pattern in an ARN."""
    bucket = rules.bucket
    pattern = arn.removeprefix(ARN_PREFIX)
    if pattern == arn or pattern.partition("/")[0] != bucket:
        raise MALFORMED_POLICY.error(
            "Policy has invalid resource",
            explanation=f"the resource {arn!r} is not in this bucket; expected {ARN_PREFIX}{bucket} or"
            f" {ARN_PREFIX}{bucket}/<pattern>",
        )
    return parse_variables(pattern, rules.vocabulary.condition_keys)


def _check_action(pattern: str, known: KnownActions) -> None:
    matching = actions_matching(pattern, known.all)
    if not matching and _ACTION.fullmatch(pattern):
        raise UnsupportedRequest(
            f"the action {pattern!r} is not supported; supported actions: {', '.join(sorted(known.all))}"
        )
    if not matching or not (pattern == "*" or pattern.lower().startswith("s3:")):
        raise MALFORMED_POLICY.error(
            "Policy has invalid action",
            explanation=f"the action {pattern!r} is invalid; known actions: {', '.join(sorted(known.all))}",
        )


def _selected_actions(statement: Statement, known: KnownActions) -> frozenset[str]:
    """Return the actions that a statement is about.

    Raises:
        ErrorResponse: MalformedPolicy, if an action that it lists applies to none of its resources.
    """
    resources = statement.resources
    are_listed = Element.RESOURCE not in statement.negated
    on_objects = not are_listed or any("/" in resource for resource in resources)
    on_bucket = not are_listed or any("/" not in resource for resource in resources)
    possible = (known.on_objects if on_objects else frozenset()) | (known.on_buckets if on_bucket else frozenset())
    matching = {pattern: actions_matching(pattern, possible) for pattern in statement.actions}
    listed = frozenset[str]().union(*matching.values())
    if Element.ACTION in statement.negated:
        return possible - listed
    for pattern, actions in matching.items():
        if not actions:
            raise MALFORMED_POLICY.error(
                "Action does not apply to any resource(s) in statement",
                explanation=f"the action {pattern!r} applies to none of the resources {', '.join(resources)}: an action"
                " on objects needs a resource <bucket>/<pattern>, an action on the bucket needs the bucket itself",
            )
    return listed


def _render_statement(statement: Statement) -> dict[str, object]:
    rendered: dict[str, object] = {} if statement.sid is None else {"Sid": statement.sid}
    rendered["Effect"] = statement.effect.value
    rendered[_name(statement, Element.PRINCIPAL)] = _render_principals(statement.principals)
    rendered[_name(statement, Element.ACTION)] = _one_or_list(statement.actions)
    rendered[_name(statement, Element.RESOURCE)] = _one_or_list(
        [ARN_PREFIX + resource for resource in statement.resources]
    )
    if statement.conditions:
        rendered["Condition"] = render_conditions(statement.conditions)
    return rendered


def _render_principals(principals: frozenset[str] | None) -> object:
    if principals is None:
        return "*"
    kinds: dict[str, list[str]] = {}
    for name in sorted(principals):
        kind = next((kind for kind, form in _UNKNOWN_PRINCIPALS.items() if form.fullmatch(name)), "CanonicalUser")
        kinds.setdefault(kind, []).append(name)
    return {kind: _one_or_list(names) for kind, names in kinds.items()}


def _name(statement: Statement, element: Element) -> str:
    return _NEGATIONS[element] if element in statement.negated else element.value


def _one_or_list(names: list[str] | tuple[str, ...]) -> object:
    return names[0] if len(names) == 1 else list(names)
