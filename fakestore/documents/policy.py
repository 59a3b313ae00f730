"""The JSON document of a bucket policy."""

from __future__ import annotations

import json
import re

from fakestore.model.accounts import Accounts
from fakestore.model.errors import MALFORMED_POLICY, ErrorResponse
from fakestore.model.policy import (
    Effect,
    KnownActions,
    Policy,
    Statement,
    actions_matching,
)
from fakestore.model.unsupported import UnsupportedRequest

#: The longest policy in bytes. A longer one is refused before it is parsed.
LONGEST_DOCUMENT = 20 * 1024
VERSIONS = ("2012-10-17", "2008-10-17")

#: How deeply the parts of a document may be nested. A policy needs less, even with conditions.
_DEEPEST = 32
_ARN = "arn:aws:s3:::"
_PRINCIPAL_ARN = "arn:aws:iam::"
_CANONICAL_ID = re.compile("[0-9a-f]{64}")
#: The number of an account, or an account, user or role by its resource name.
_UNKNOWN_PRINCIPAL = re.compile(
    rf"[0-9]{{12}}|{_PRINCIPAL_ARN}[0-9]{{12}}:(?:root|(?:user|role)/[\w+=,.@/-]+)", re.ASCII
)
_UNSUPPORTED = {
    "NotAction": "Action, with wildcards",
    "NotPrincipal": 'Principal: "*", {"AWS": ...} or {"CanonicalUser": ...}, and a Deny beside an Allow',
    "NotResource": "Resource, with wildcards",
    "Condition": "Principal, Action and Resource",
}
_UNSUPPORTED_PRINCIPALS = ("Federated", "Service")

#: The form of an action, with wildcards. An unknown action of this form raises UnsupportedRequest.
_ACTION = re.compile(r"s3:[a-z*?]+", re.ASCII | re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def parse_policy(
    body: bytes, bucket: str, accounts: Accounts, actions: KnownActions, *, accepts_unknown: bool = False
) -> Policy:
    """Return the policy in ``body``. It keeps the document, so that a GET returns the same bytes.

    Args:
        body: The JSON document.
        bucket: The name of the bucket that has the policy. Every resource of the policy must be in that bucket.
        accounts: The accounts that the policy may name.
        actions: The actions that the policy may name.
        accepts_unknown: Whether the policy may also name well-formed principals that are not accounts of the store.

    Raises:
        ErrorResponse: MalformedPolicy, if the document is not JSON, is longer than 20 KiB, is not a policy or is for
            another bucket, or if it names an unknown action or account.
        UnsupportedRequest: If it contains an element that the public service knows and the fake does not support.
    """
    document = _read(body)
    _check_fields(document, ("Version", "Id", "Statement"))
    version = document.get("Version", VERSIONS[0])
    if version not in VERSIONS:
        raise MALFORMED_POLICY.error(
            "The policy must contain a valid version string",
            explanation=f"Version is {_describe(version)}; expected {' or '.join(VERSIONS)}",
        )
    _optional_string(document, "Id")
    statements = _required(document, "Statement")
    if not isinstance(statements, list):
        statements = [statements]
    if not statements:
        raise MALFORMED_POLICY.error(
            "Could not parse the policy: Statement is empty!",
            explanation="Statement is an empty list; send DELETE Bucket policy to have no policy",
        )
    parsed = (
        _statement(statement, bucket, accounts, actions, accepts_unknown=accepts_unknown) for statement in statements
    )
    return Policy(tuple(parsed), body)


def render_policy(policy: Policy) -> bytes:
    """Return the document from which a policy was parsed, or a new one if the policy was made in Python.

    A new document names the principals as CanonicalUser, sorted. A list of one name is written as that name.
    """
    if policy.document is not None:
        return policy.document
    statements = [_render_statement(statement) for statement in policy.statements]
    return json.dumps({"Version": VERSIONS[0], "Statement": statements}, ensure_ascii=False).encode()


def _read(body: bytes) -> dict[str, object]:
    if len(body) > LONGEST_DOCUMENT:
        raise MALFORMED_POLICY.error(
            "Policy exceeds the maximum allowed document size.",
            explanation=f"the document has {len(body):,} bytes; expected {LONGEST_DOCUMENT:,} at most",
        )
    if not body.startswith(b"{"):
        received = f"starts with {body[:1]!r}" if body else "is empty"
        raise MALFORMED_POLICY.error(
            explanation=f"the body {received}; expected a JSON object, with '{{' as the first byte"
        )
    try:
        text = body.decode()
        _check_depth(text)
        # No part of a policy is a number. As int, one with thousands of digits would be refused by the interpreter.
        document: dict[str, object] = json.loads(text, object_pairs_hook=_without_duplicates, parse_int=float)
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise MALFORMED_POLICY.error(
            explanation=f"the body is not UTF-8: the byte at offset {error.start} is invalid"
        ) from None
    except UnicodeEncodeError:
        raise MALFORMED_POLICY.error(
            explanation="the document contains half of a surrogate pair; write both halves, or the character itself"
        ) from None
    except json.JSONDecodeError as error:
        # The words of `error` differ between versions of Python.
        raise MALFORMED_POLICY.error(
            explanation=f"the body is not valid JSON; see line {error.lineno}, column {error.colno}"
        ) from None
    return document


def _check_depth(text: str) -> None:
    """Refuse a document that is nested so deeply that some versions of Python cannot parse it."""
    depth = 0
    for character in _STRING.sub("", text):
        depth += (character in "[{") - (character in "]}")
        if depth > _DEEPEST:
            raise MALFORMED_POLICY.error(
                explanation=f"the document is nested too deeply; expected {_DEEPEST} levels at most"
            )


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise MALFORMED_POLICY.error(explanation=f"an object has two members {name!r}; expected each name once")
        members[name] = value
    return members


def _statement(
    value: object, bucket: str, accounts: Accounts, known: KnownActions, *, accepts_unknown: bool
) -> Statement:
    if not isinstance(value, dict):
        raise _wrong_type("Statement", "an object or a list of objects", value)
    for name, instead in _UNSUPPORTED.items():
        if name in value:
            raise UnsupportedRequest(f"a bucket policy with {name} is not supported; use {instead}")
    _check_fields(value, ("Sid", "Effect", "Principal", "Action", "Resource"))
    effect = _effect(_required(value, "Effect"))
    principals = _principals(_required(value, "Principal"), accounts, accepts_unknown=accepts_unknown)
    actions = _names("Action", _required(value, "Action"))
    resources = tuple(_resource(arn, bucket) for arn in _names("Resource", _required(value, "Resource")))
    for action in actions:
        _check_action(action, resources, known)
    return Statement(effect, principals, actions, resources, _optional_string(value, "Sid"))


def _effect(value: object) -> Effect:
    if not isinstance(value, str):
        raise _wrong_type("Effect", "a string", value)
    for effect in Effect:
        if effect.value == value:
            return effect
    raise MALFORMED_POLICY.error(f"Invalid effect: {value}", explanation=f"Effect is {value!r}; expected Allow or Deny")


def _principals(value: object, accounts: Accounts, *, accepts_unknown: bool) -> frozenset[str] | None:
    if value == "*":
        return None
    if not isinstance(value, dict):
        raise _wrong_type("Principal", '"*", {"AWS": ...} or {"CanonicalUser": ...}', value)
    for kind in _UNSUPPORTED_PRINCIPALS:
        if kind in value:
            raise UnsupportedRequest(
                f'a bucket policy with a {kind} principal is not supported; use "*", {{"AWS": ...}}'
                ' or {"CanonicalUser": ...}, with canonical ids of accounts'
            )
    _check_fields(value, ("AWS", "CanonicalUser"))
    if not value:
        raise _missing("Principal")
    everyone = False
    ids = set()
    for kind, names in value.items():
        for name in _names("Principal", names):
            if kind == "AWS" and name == "*":
                everyone = True
            else:
                ids.add(_principal(name, accounts, is_aws=kind == "AWS", accepts_unknown=accepts_unknown))
    return None if everyone else frozenset(ids)


def _principal(name: str, accounts: Accounts, *, is_aws: bool, accepts_unknown: bool) -> str:
    """Return the canonical id of an account, or the name of an unknown principal, which matches no requester."""
    named = name.removeprefix(_PRINCIPAL_ARN).removesuffix(":root") if is_aws else name
    account = accounts.by_id(named) or (accounts.by_number(named) if is_aws else None)
    if account is not None and name in (named, f"{_PRINCIPAL_ARN}{named}:root"):
        return account.id
    if accepts_unknown and (_UNKNOWN_PRINCIPAL if is_aws else _CANONICAL_ID).fullmatch(name):
        return name
    known = ", ".join(f"{account.id} ({account})" for account in accounts)
    raise MALFORMED_POLICY.error(
        "Invalid principal in policy",
        explanation=f"the principal {name!r} is unknown; expected the canonical id or the number of an account, or"
        f" {_PRINCIPAL_ARN}<either>:root; known accounts: {known}",
    )


def _resource(arn: str, bucket: str) -> str:
    """Return the pattern in an ARN."""
    pattern = arn.removeprefix(_ARN)
    if pattern == arn or pattern.partition("/")[0] != bucket:
        raise MALFORMED_POLICY.error(
            "Policy has invalid resource",
            explanation=f"the resource {arn!r} is not in this bucket; expected {_ARN}{bucket} or"
            f" {_ARN}{bucket}/<pattern>",
        )
    if "${" in pattern:
        raise UnsupportedRequest(f"policy variables, as in {arn!r}, are not supported; use the wildcards * and ?")
    return pattern


def _check_action(pattern: str, resources: tuple[str, ...], known: KnownActions) -> None:
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
    if not any(matching & (known.on_objects if "/" in resource else known.on_buckets) for resource in resources):
        raise MALFORMED_POLICY.error(
            "Action does not apply to any resource(s) in statement",
            explanation=f"the action {pattern!r} applies to none of the resources {', '.join(resources)}: an action on"
            " objects needs a resource <bucket>/<pattern>, an action on the bucket needs the bucket itself",
        )


def _check_fields(value: dict[str, object], known: tuple[str, ...]) -> None:
    for name in value:
        if name not in known:
            raise MALFORMED_POLICY.error(
                f"Unknown field {name}", explanation=f"the field {name!r} is unknown; expected {', '.join(known)}"
            )


def _required(value: dict[str, object], name: str) -> object:
    if name not in value:
        raise _missing(name)
    return value[name]


def _missing(name: str) -> ErrorResponse:
    return MALFORMED_POLICY.error(
        f"Missing required field {name}", explanation=f"{name} is missing or empty; it is required"
    )


def _names(field: str, value: object) -> tuple[str, ...]:
    """Return a string, or the strings of a list."""
    names = value if isinstance(value, list) else [value]
    if not names:
        raise _missing(field)
    for name in names:
        if not isinstance(name, str):
            raise _wrong_type(field, "a string or a list of strings", name)
    return tuple(names)


def _optional_string(value: dict[str, object], name: str) -> str | None:
    text = value.get(name, "")
    if not isinstance(text, str):
        raise _wrong_type(name, "a string", text)
    return text if name in value else None


def _wrong_type(field: str, expected: str, value: object) -> ErrorResponse:
    return MALFORMED_POLICY.error(
        "Invalid policy syntax.", explanation=f"{field} is {_describe(value)}; expected {expected}"
    )


def _describe(value: object) -> str:
    """Return a string in quotation marks. Return only the type of any other value, which may be long and nested."""
    if isinstance(value, str):
        return repr(value)
    kinds = {dict: "an object", list: "a list", float: "a number", type(None): "null"}
    return kinds.get(type(value), "true or false")


def _render_statement(statement: Statement) -> dict[str, object]:
    rendered: dict[str, object] = {} if statement.sid is None else {"Sid": statement.sid}
    rendered["Effect"] = statement.effect.value
    rendered["Principal"] = (
        "*" if statement.principals is None else {"CanonicalUser": _one_or_list(sorted(statement.principals))}
    )
    rendered["Action"] = _one_or_list(statement.actions)
    rendered["Resource"] = _one_or_list([_ARN + resource for resource in statement.resources])
    return rendered


def _one_or_list(names: list[str] | tuple[str, ...]) -> object:
    return names[0] if len(names) == 1 else list(names)
