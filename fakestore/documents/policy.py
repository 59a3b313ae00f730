"""The JSON document of a bucket policy, both ways."""

from __future__ import annotations

import json
import re

from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import MALFORMED_POLICY, ErrorResponse
from fakestore.model.policy import (
    ACTIONS,
    BUCKET_ACTIONS,
    OBJECT_ACTIONS,
    Effect,
    Policy,
    Statement,
    actions_matching,
)
from fakestore.model.unsupported import UnsupportedRequest

#: In bytes; a document longer than this is refused before it is parsed.
LONGEST_DOCUMENT = 20 * 1024
VERSIONS = ("2012-10-17", "2008-10-17")

_ARN = "arn:aws:s3:::"
_NOT_MODELLED = {
    "NotAction": "Action, with wildcards",
    "NotPrincipal": 'Principal: "*", {"AWS": ...} or {"CanonicalUser": ...}, and a Deny beside an Allow',
    "NotResource": "Resource, with wildcards",
    "Condition": "Principal, Action and Resource",
}
_PRINCIPALS_NOT_MODELLED = ("Federated", "Service")


#: The form of an action, wildcards and all: what has it may be one that is not modelled.
_ACTION = re.compile(r"s3:[a-z*?]+", re.ASCII | re.IGNORECASE)


def parse_policy(body: bytes, bucket: str, accounts: Accounts) -> Policy:
    """The policy that a document states for ``bucket``, and the document itself, word for word.

    Raises:
        ErrorResponse: ``MALFORMED_POLICY``, where it is no JSON, over 20 KB, no policy, or of another bucket, or
            names an action or an account that there is not.
        UnsupportedRequest: it has an element that policies have elsewhere, but not here.
    """
    document = _read(body)
    _check_fields(document, ("Version", "Id", "Statement"))
    if document.get("Version", VERSIONS[0]) not in VERSIONS:
        raise MALFORMED_POLICY.error(
            "The policy must contain a valid version string",
            explanation=f"Version is {' or '.join(VERSIONS)}",
        )
    _optional_string(document, "Id")
    statements = _required(document, "Statement")
    if not isinstance(statements, list):
        statements = [statements]
    if not statements:
        raise MALFORMED_POLICY.error(
            "Could not parse the policy: Statement is empty!",
            explanation="the list of statements is empty; to have no policy, delete it",
        )
    return Policy(tuple(_statement(statement, bucket, accounts) for statement in statements), body)


def render_policy(policy: Policy) -> bytes:
    """The document of a policy: the one that was put, or one that states the same.

    In that one principals are written as CanonicalUser, in order; where a list would hold one name, it stands alone.
    """
    if policy.document is not None:
        return policy.document
    statements = [_rendered(statement) for statement in policy.statements]
    return json.dumps({"Version": VERSIONS[0], "Statement": statements}, ensure_ascii=False).encode()


def _read(body: bytes) -> dict[str, object]:
    if len(body) > LONGEST_DOCUMENT:
        raise MALFORMED_POLICY.error(
            "Policy exceeds the maximum allowed document size.",
            explanation=f"the document has {len(body):,} bytes, over {LONGEST_DOCUMENT:,}",
        )
    if not body:
        raise MALFORMED_POLICY.error(explanation="the body is empty")
    if not body.startswith(b"{"):
        raise MALFORMED_POLICY.error(explanation="the first byte of the body is not '{'")
    try:
        document: dict[str, object] = json.loads(body.decode(), object_pairs_hook=_without_duplicates)
        # A lone surrogate can be written in JSON, but in no encoding; nothing that holds one gets further.
        json.dumps(document, ensure_ascii=False).encode()
    except ValueError as error:
        raise MALFORMED_POLICY.error(explanation=f"the body is no JSON in UTF-8: {error}") from None
    except RecursionError:
        raise MALFORMED_POLICY.error(explanation="the document is nested too deeply") from None
    return document


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise MALFORMED_POLICY.error(explanation=f"{name!r} stands twice in one object")
        found[name] = value
    return found


def _statement(value: object, bucket: str, accounts: Accounts) -> Statement:
    if not isinstance(value, dict):
        raise _wrong_type("Statement", "an object or a list of objects", value)
    for name, instead in _NOT_MODELLED.items():
        if name in value:
            raise UnsupportedRequest(f"a bucket policy with {name} is not modelled; there is {instead}")
    _check_fields(value, ("Sid", "Effect", "Principal", "Action", "Resource"))
    effect = _effect(_required(value, "Effect"))
    principals = _principals(_required(value, "Principal"), accounts)
    actions = _names("Action", _required(value, "Action"))
    resources = tuple(_resource(arn, bucket) for arn in _names("Resource", _required(value, "Resource")))
    for action in actions:
        _check_action(action, resources)
    return Statement(effect, principals, actions, resources, _optional_string(value, "Sid"))


def _effect(value: object) -> Effect:
    if not isinstance(value, str):
        raise _wrong_type("Effect", "a string", value)
    for effect in Effect:
        if effect.value == value:
            return effect
    raise MALFORMED_POLICY.error(f"Invalid effect: {value}", explanation=f"Effect is Allow or Deny, not {value!r}")


def _principals(value: object, accounts: Accounts) -> frozenset[str] | None:
    if value == "*":
        return None
    if not isinstance(value, dict):
        raise _wrong_type("Principal", '"*", {"AWS": ...} or {"CanonicalUser": ...}', value)
    for kind in _PRINCIPALS_NOT_MODELLED:
        if kind in value:
            raise UnsupportedRequest(
                f'a bucket policy with a {kind} principal is not modelled; there is "*", {{"AWS": ...}}'
                ' and {"CanonicalUser": ...}, with canonical ids of accounts'
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
                ids.add(_account(name, accounts, arn_allowed=kind == "AWS").id)
    return None if everyone else frozenset(ids)


def _account(name: str, accounts: Accounts, *, arn_allowed: bool) -> Account:
    canonical_id = name.removeprefix("arn:aws:iam::").removesuffix(":root") if arn_allowed else name
    account = accounts.by_id(canonical_id)
    if account is None or name not in (account.id, f"arn:aws:iam::{account.id}:root"):
        known = ", ".join(f"{account.id} ({account})" for account in accounts)
        raise MALFORMED_POLICY.error(
            "Invalid principal in policy",
            explanation=f"{name!r} is no canonical id of an account, nor arn:aws:iam::<it>:root; there are {known}",
        )
    return account


def _resource(arn: str, bucket: str) -> str:
    """The pattern in an ARN."""
    pattern = arn.removeprefix(_ARN)
    if pattern == arn or pattern.partition("/")[0] != bucket:
        raise MALFORMED_POLICY.error(
            "Policy has invalid resource",
            explanation=f"a resource of this bucket's policy is {_ARN}{bucket} or {_ARN}{bucket}/pattern, not {arn!r}",
        )
    if "${" in pattern:
        raise UnsupportedRequest(f"policy variables, as in {arn!r}, are not modelled; there are the wildcards * and ?")
    return pattern


def _check_action(pattern: str, resources: tuple[str, ...]) -> None:
    named = actions_matching(pattern, ACTIONS)
    if not named and _ACTION.fullmatch(pattern):
        raise UnsupportedRequest(
            f"the action {pattern!r} is none that is modelled; there are {', '.join(sorted(ACTIONS))}"
        )
    if not named or not (pattern == "*" or pattern.lower().startswith("s3:")):
        raise MALFORMED_POLICY.error(
            "Policy has invalid action",
            explanation=f"{pattern!r} names no action; the actions are {', '.join(sorted(ACTIONS))}",
        )
    if not any(named & (OBJECT_ACTIONS if "/" in resource else BUCKET_ACTIONS) for resource in resources):
        raise MALFORMED_POLICY.error(
            "Action does not apply to any resource(s) in statement",
            explanation=f"{pattern} rules on none of {', '.join(resources)}: actions on objects need"
            " a resource bucket/pattern, actions on the bucket need the bucket itself",
        )


def _check_fields(value: dict[str, object], known: tuple[str, ...]) -> None:
    for name in value:
        if name not in known:
            raise MALFORMED_POLICY.error(
                f"Unknown field {name}", explanation=f"there is no {name!r} here; there is {', '.join(known)}"
            )


def _required(value: dict[str, object], name: str) -> object:
    if name not in value:
        raise _missing(name)
    return value[name]


def _missing(name: str) -> ErrorResponse:
    return MALFORMED_POLICY.error(f"Missing required field {name}", explanation=f"{name} is absent or empty")


def _names(field: str, value: object) -> tuple[str, ...]:
    """A string, or the strings of a list."""
    names = value if isinstance(value, list) else [value]
    if not names:
        raise _missing(field)
    for name in names:
        if not isinstance(name, str):
            raise _wrong_type(field, "a string or a list of strings", name)
    return tuple(names)


def _optional_string(value: dict[str, object], name: str) -> str | None:
    found = value.get(name, "")
    if not isinstance(found, str):
        raise _wrong_type(name, "a string", found)
    return found if name in value else None


def _wrong_type(field: str, expected: str, found: object) -> ErrorResponse:
    # The kind alone: what was found may be long and deep.
    return MALFORMED_POLICY.error(
        "Invalid policy syntax.", explanation=f"{field} is {expected}, and a {type(found).__name__} was found"
    )


def _rendered(statement: Statement) -> dict[str, object]:
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
