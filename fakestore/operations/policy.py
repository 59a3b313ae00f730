"""The policy of a bucket: its JSON document, the requests that set and return it, and whether it is public."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from fakestore.errors import (
    ACCESS_DENIED,
    MALFORMED_POLICY,
    NO_SUCH_BUCKET_POLICY,
    ErrorResponse,
    UnsupportedRequest,
)
from fakestore.messages import ACLS_OPTION, did_you_mean
from fakestore.model.accounts import CANONICAL_ID
from fakestore.model.bucket import BucketRecord
from fakestore.model.names import ARN_PREFIX
from fakestore.model.policy import (
    ESCAPED,
    NULL,
    OPERATORS,
    VARIABLE,
    Condition,
    Effect,
    Element,
    Operator,
    Policy,
    Quantifier,
    Statement,
    actions_matching,
    is_public,
)
from fakestore.operations.condition_keys import ConditionKey, condition_keys
from fakestore.operations.framework.access import BUCKET_OWNER, BUCKET_OWNER_ALWAYS, Access
from fakestore.operations.framework.body import ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, header, switch
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.framework.table import OperationTable
from fakestore.protocol.addressing import Scope
from fakestore.protocol.routing import Route
from fakestore.protocol.unsupported import OTHER_ACTIONS
from fakestore.xml.declarations import child, document

_Type = TypeVar("_Type")

#: The longest policy in bytes. A longer one is refused before it is parsed.
_LONGEST = 20 * 1024

#: How deeply the parts of a document may be nested; a policy needs less.
_DEEPEST = 32


# -- JSON


class _Number(NamedTuple):
    """A number, as it is written. The interpreter would refuse to convert thousands of digits to int."""

    text: str


def _read_json(body: bytes) -> dict[str, object]:
    """Return the JSON object in `body`. Its numbers are of the type :class:`_Number`."""
    if len(body) > _LONGEST:
        raise MALFORMED_POLICY.error(
            "Policy exceeds the maximum allowed document size.",
            explanation=f"the document has {len(body):,} bytes; expected {_LONGEST:,} at most",
        )
    if not body.startswith(b"{"):
        received = f"starts with {body[:1]!r}" if body else "is empty"
        raise MALFORMED_POLICY.error(
            explanation=f"the body {received}; expected a JSON object, with '{{' as the first byte"
        )
    try:
        text = body.decode()
        _check_depth(text)
        document: dict[str, object] = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_int=_Number, parse_float=_Number, parse_constant=_Number
        )
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        problem = f"the body is not UTF-8: the byte at offset {error.start} is invalid"
    except UnicodeEncodeError:
        problem = "the document contains half of a surrogate pair; write both halves, or the character itself"
    except json.JSONDecodeError as error:
        # The message of `error` is not used, because it differs between versions of Python.
        problem = f"the body is not valid JSON; see line {error.lineno}, column {error.colno}"
    else:
        return document
    raise MALFORMED_POLICY.error(explanation=problem)


def _check_depth(text: str) -> None:
    """Refuse a document that is nested so deeply that some versions of Python cannot parse it."""
    depth = 0
    for character in re.sub(r'(?s)"(?:[^"\\]|\\.)*"', "", text):  # without its strings
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


def _typed(field: str, value: object, kind: type[_Type], expected: str) -> _Type:
    """Return a value that must have a type, which an error describes as `expected`."""
    if not isinstance(value, kind):
        raise _invalid_syntax(f"{field} is {_describe(value)}; expected {expected}")
    return value


def _listed(field: str, value: object) -> list[object]:
    """Return the items of a list that is not empty. A single value stands for a list."""
    items = value if isinstance(value, list) else [value]
    if not items:
        raise _missing(field)
    return items


def _strings(field: str, value: object) -> tuple[str, ...]:
    return tuple(_typed(field, item, str, "a string or a list of strings") for item in _listed(field, value))


def _missing(name: str) -> ErrorResponse:
    return MALFORMED_POLICY.error(
        f"Missing required field {name}", explanation=f"{name} is missing or empty; it is required"
    )


def _invalid_syntax(explanation: str) -> ErrorResponse:
    return MALFORMED_POLICY.error("Invalid policy syntax.", explanation=explanation)


def _describe(value: object) -> str:
    """Return a string in quotation marks. Of any other value return only the type, because the value may be long."""
    if isinstance(value, str):
        return repr(value)
    kinds = {dict: "an object", list: "a list", _Number: "a number", type(None): "null"}
    return kinds.get(type(value), "true or false")


# -- conditions


def _conditions(value: object, keys: Mapping[str, ConditionKey], actions: Collection[str]) -> Iterator[Condition]:
    """Yield the conditions of a statement.

    Args:
        keys: The keys that conditions may name, by their names in lower case.
        actions: The actions of the statement.
    """
    for operator_name, members in _typed("Condition", value, dict, "an object").items():
        operator, quantifier, if_exists = _parse_operator(operator_name)
        full_names: set[str] = set()
        for name, values in _typed(operator_name, members, dict, "an object").items():
            _check_key_of_service(name, keys)
            key, tag = _find_key(name, keys)
            full_name = key.name + tag
            if full_name in full_names:
                raise UnsupportedRequest(
                    f"the condition key {name!r} is not supported, because {operator_name} has {full_name} twice; write"
                    " each key once"
                )
            full_names.add(full_name)
            if not any(map(key.applies_to, actions)):
                raise MALFORMED_POLICY.error(
                    "Conditions do not apply to combination of actions and resources in statement",
                    explanation=f"the condition key {name!r} applies to none of the actions and resources of its"
                    f" statement; it applies to {', '.join(sorted(key.actions or ()))}",
                )
            if key.has_many_values and quantifier is Quantifier.NONE and operator != NULL:
                raise UnsupportedRequest(
                    f"{operator_name} with the condition key {name!r}, which can have many values, is not supported;"
                    f" use ForAllValues:{operator_name} or ForAnyValue:{operator_name}"
                )
            listed = _listed(f"Condition: {name}", values)
            parsed = tuple(_parse_value(name, operator, value, keys) for value in listed)
            yield Condition(operator, full_name, parsed, quantifier, if_exists)


def _parse_operator(text: str) -> tuple[Operator, Quantifier, bool]:
    parts = re.fullmatch("(?s)(?P<quantifier>ForAllValues:|ForAnyValue:|)(?P<name>.*?)(?P<if_exists>IfExists|)", text)
    assert parts is not None
    operator, quantifier = OPERATORS.get(parts["name"]), Quantifier(parts["quantifier"])
    known = (
        f"{', '.join(OPERATORS)}, each but Null also with ForAllValues: or ForAnyValue: before it and IfExists after"
        f" it.{did_you_mean(text, OPERATORS)}"
    )
    if parts["name"] == "BinaryEquals" or (operator == NULL and text != NULL.name):
        raise UnsupportedRequest(f"the condition operator {text!r} is not supported; supported: {known}")
    if operator is None:
        raise MALFORMED_POLICY.error(
            f"Invalid Condition type : {text}",
            explanation=f"the condition operator {text!r} is unknown; known: {known}",
        )
    return operator, quantifier, bool(parts["if_exists"])


#: The condition keys that the public service has and the fake lacks, in lower case.
_OTHER_KEYS = tuple(
    f"s3:{name}"
    for name in re.findall(
        r"\S+",
        """
        accessgrantsinstancearn accesspointnetworkorigin accesspointtag/ buckettag/ dataaccesspointaccount
        dataaccesspointarn destinationregion existingjoboperation existingjobpriority
        inventoryaccessibleoptionalfields isreplicationpauserequest jobsuspendedcause locationconstraint
        object-lock-remaining-retention-days requestjoboperation requestjobpriority tlsversion x-amz-bucket-namespace
        x-amz-object-ownership
        """,
    )
)


def _check_key_of_service(name: str, keys: Mapping[str, ConditionKey]) -> None:
    """Refuse a condition key of the service that does not exist. The fake may lack one that exists."""
    family, slash, tag = name.lower().partition("/")
    existing = {*keys, *condition_keys("x-amz-"), *_OTHER_KEYS}
    if not family.startswith("s3:") or (family + slash in existing and bool(slash) == bool(tag)):
        return
    known = [each.name for each in keys.values()]
    raise MALFORMED_POLICY.error(
        "Policy has an invalid condition key",
        explanation=f"the condition key {name!r} is unknown.{did_you_mean(name, known)}",
    )


def _find_key(name: str, keys: Mapping[str, ConditionKey]) -> tuple[ConditionKey, str]:
    """Split a condition key into its name and the tag key, if it has one. Tag keys are case-sensitive."""
    family, slash, tag = name.partition("/")
    key = keys.get(family.lower() + slash)
    if key is None or bool(slash) != bool(tag):
        known = sorted(each.name + ("<key>" if each.name.endswith("/") else "") for each in keys.values())
        raise UnsupportedRequest(
            f"the condition key {name!r} is not supported; supported: {', '.join(known)}.{did_you_mean(name, known)}"
        )
    return key, tag


def _parse_variables(text: str, keys: Mapping[str, ConditionKey]) -> str:
    """Return a text with its policy variables. Each variable gets the name of its key in `keys`. [policy-variables]"""
    if "${" in ESCAPED.sub("", VARIABLE.sub("", text)):
        raise UnsupportedRequest(
            f"the policy variable in {text!r} is not supported; write ${{key}} or ${{key, 'default'}} with the name of"
            " a condition key, or ${*}, ${?} or ${$} for the character"
        )
    return VARIABLE.sub(lambda match: _parse_variable(match, keys), text)


def _parse_variable(match: re.Match[str], keys: Mapping[str, ConditionKey]) -> str:
    name = match["key"]
    key, tag = _find_key(name, keys)
    if key.has_many_values:
        raise UnsupportedRequest(f"the policy variable {match[0]!r} is not supported: {key.name} can have many values")
    return match[0].replace(name, key.name + tag, 1)


def _parse_value(name: str, operator: Operator, item: object, keys: Mapping[str, ConditionKey]) -> str:
    """Return a value as text. A number or a boolean value is equal to its text."""
    if isinstance(item, _Number):
        item = item.text
    elif isinstance(item, bool):
        item = str(item).lower()
    text = _typed(name, item, str, "a string, a number, true or false, or a list of these")
    if "${" in text and operator.takes_variables:
        return _parse_variables(text, keys)
    if operator.read(text) is None:
        raise _invalid_syntax(f"the value {text!r} of {name} is not valid for {operator.name}")
    return text


# -- statements


_VERSIONS = ("2012-10-17", "2008-10-17")

_PRINCIPAL_ARN = "arn:aws:iam::"

#: The forms of principals that are not accounts of the store, by their kind. The kind AWS allows an account number, or
#: the resource name of an account, user, role, session, federated user or origin access identity.
_UNKNOWN_PRINCIPALS = {
    "AWS": re.compile(
        rf"[0-9]{{12}}|{_PRINCIPAL_ARN}[0-9]{{12}}:(?:root|(?:user|role)/[\w+=,.@/-]+)"
        r"|arn:aws:sts::[0-9]{12}:(?:assumed-role/[\w+=,.@-]+|federated-user)/[\w+=,.@-]+"
        rf"|{_PRINCIPAL_ARN}cloudfront:user/CloudFront Origin Access Identity [A-Z0-9]+",
        re.ASCII,
    ),
    "CanonicalUser": CANONICAL_ID,
    "Service": re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?", re.ASCII),
}

#: Each element, and its negation.
_NEGATIONS = {element: f"Not{element.value}" for element in Element}

_FIELDS = ("Sid", "Effect", *(name for each in Element for name in (each.value, _NEGATIONS[each])), "Condition")


def parse_policy(body: bytes, call: Call) -> Policy:
    """Return the policy in a document. It keeps the document, so that a GET returns the same bytes.

    A document without a version gets the first version of the language. [policy-without-a-version]

    The policy can name only the bucket of the call, and the accounts, actions and condition keys of the store.
    """
    document = _read_json(body)
    _check_fields(document, ("Version", "Id", "Statement"))
    version = document.get("Version", _VERSIONS[1])
    if version not in _VERSIONS:
        raise MALFORMED_POLICY.error(
            "The policy must contain a valid version string",
            explanation=f"Version is {_describe(version)}; expected {' or '.join(_VERSIONS)}",
        )
    _typed("Id", document.get("Id", ""), str, "a string")
    statements = _required(document, "Statement")
    if statements == []:
        raise MALFORMED_POLICY.error(
            "Could not parse the policy: Statement is empty!",
            explanation="Statement is an empty list; send DELETE Bucket policy to have no policy",
        )
    if "Version" not in document:
        body = json.dumps({"Version": version, **document}, separators=(",", ":"), ensure_ascii=False).encode()
    policy = Policy(tuple(_statement(each, call) for each in _listed("Statement", statements)), body)
    if version != _VERSIONS[0] and any(map(_has_variables, policy.statements)):
        raise UnsupportedRequest(
            f'a policy with "${{" is only supported in version {_VERSIONS[0]}, which has policy variables; add'
            f' "Version": "{_VERSIONS[0]}" to the document'
        )
    return policy


def _statement(value: object, call: Call) -> Statement:
    fields = _typed("Statement", value, dict, "an object or a list of objects")
    _check_fields(fields, _FIELDS)
    effect = _effect(_required(fields, "Effect"))
    negated = frozenset(each for each in Element if _is_negated(fields, each))
    if effect is Effect.ALLOW and Element.PRINCIPAL in negated:
        raise MALFORMED_POLICY.error(
            "Allow with NotPrincipal is not allowed.",
            explanation="a statement that allows something names its principals; use NotPrincipal with Deny only",
        )
    principals = _principals(_required(fields, _name(Element.PRINCIPAL, negated)), call)
    actions = _strings("Action", _required(fields, _name(Element.ACTION, negated)))
    arns = _strings("Resource", _required(fields, _name(Element.RESOURCE, negated)))
    keys = condition_keys(call.dialect.header_prefix)
    resources = tuple(_resource(arn, call.bucket_name, keys) for arn in arns)
    for action in actions:
        _check_action(action, call.operations)
    sid = _typed("Sid", fields["Sid"], str, "a string") if "Sid" in fields else None
    statement = Statement(effect, principals, actions, resources, sid, negated=negated)
    conditions = _conditions(fields.get("Condition", {}), keys, _selected_actions(statement, call.operations.actions))
    return statement._replace(conditions=tuple(conditions))


def _has_variables(statement: Statement) -> bool:
    texts = (*statement.resources, *(value for condition in statement.conditions for value in condition.values))
    return any("${" in text for text in texts)


def _is_negated(value: dict[str, object], element: Element) -> bool:
    negation = _NEGATIONS[element]
    if negation in value and element.value in value:
        raise _invalid_syntax(f"a statement has {element.value} and {negation}; expected one of them")
    return negation in value


def _name(element: Element, negated: Collection[Element]) -> str:
    return _NEGATIONS[element] if element in negated else element.value


def _effect(value: object) -> Effect:
    text = _typed("Effect", value, str, "a string")
    try:
        return Effect(text)
    except ValueError:
        raise MALFORMED_POLICY.error(
            f"Invalid effect: {text}", explanation=f"Effect is {text!r}; expected Allow or Deny"
        ) from None


def _principals(value: object, call: Call) -> frozenset[str] | None:
    if value == "*":
        return None
    kinds = _typed("Principal", value, dict, '"*", {"AWS": ...} or {"CanonicalUser": ...}')
    accepts_unknown = call.semantics.accepts_unknown_principals
    for kind in ("Federated",) if accepts_unknown else ("Federated", "Service"):
        if kind in kinds:
            others = ', {"CanonicalUser": id} or {"Service": name}' if accepts_unknown else ""
            raise UnsupportedRequest(
                f'a bucket policy with a {kind} principal is not supported; use "*"{others} or {{"AWS": x}}, where x is'
                f" the id or number of an account or {_PRINCIPAL_ARN}<id or number>:root"
            )
    _check_fields(kinds, tuple(_UNKNOWN_PRINCIPALS))
    if not kinds:
        raise _missing("Principal")
    ids = {
        name if (kind, name) == ("AWS", "*") else _principal(name, kind, call)
        for kind, names in kinds.items()
        for name in _strings("Principal", names)
    }
    return None if "*" in ids else frozenset(ids)


def _principal(name: str, kind: str, call: Call) -> str:
    """Return the canonical id of an account, or the name of an unknown principal, which matches no requester."""
    accounts, is_aws = call.state.accounts, kind == "AWS"
    named = name.removeprefix(_PRINCIPAL_ARN).removesuffix(":root") if is_aws else name
    account = accounts.by_id(named) or (accounts.by_number(named) if is_aws else None)
    if account is not None and name in (named, f"{_PRINCIPAL_ARN}{named}:root"):
        return account.id
    if call.semantics.accepts_unknown_principals and _UNKNOWN_PRINCIPALS[kind].fullmatch(name):
        return name
    known = ", ".join(f"{account.id} ({account})" for account in accounts)
    raise MALFORMED_POLICY.error(
        "Invalid principal in policy",
        explanation=f"the principal {name!r} is unknown; expected the canonical id or the number of an account, or"
        f" {_PRINCIPAL_ARN}<id or number>:root; known accounts: {known}",
    )


def _resource(arn: str, bucket: str, keys: Mapping[str, ConditionKey]) -> str:
    pattern = arn.removeprefix(ARN_PREFIX)
    if pattern == arn or pattern.partition("/")[0] != bucket:
        raise MALFORMED_POLICY.error(
            "Policy has invalid resource",
            explanation=f"the resource {arn!r} is not in this bucket; expected {ARN_PREFIX}{bucket} or"
            f" {ARN_PREFIX}{bucket}/<pattern>",
        )
    return _parse_variables(pattern, keys)


def _check_action(pattern: str, operations: OperationTable) -> None:
    actions = frozenset().union(*operations.actions.values())
    if pattern == "*":
        return
    is_of_service = pattern.lower().startswith("s3:")
    if is_of_service and actions_matching(pattern, actions):
        return
    names = ", ".join(sorted(actions))
    if is_of_service and actions_matching(pattern[3:], OTHER_ACTIONS):
        raise UnsupportedRequest(f"the action {pattern!r} is not supported; supported actions: {names}")
    raise MALFORMED_POLICY.error(
        "Policy has invalid action",
        explanation=f"the action {pattern!r} is invalid; known actions: {names}.{operations.suggest_action(pattern)}",
    )


def _selected_actions(statement: Statement, known: Mapping[Scope, frozenset[str]]) -> frozenset[str]:
    """Return the actions of a statement. An action must apply to a resource of its statement."""
    scopes: set[Scope] = {"object" if "/" in resource else "bucket" for resource in statement.resources}
    if Element.RESOURCE in statement.negated:
        scopes = {"object", "bucket"}
    possible = frozenset().union(*(known[scope] for scope in scopes))
    matching = {pattern: actions_matching(pattern, possible) for pattern in statement.actions}
    if Element.ACTION in statement.negated:
        return possible.difference(*matching.values())
    for pattern, actions in matching.items():
        if not actions:
            raise MALFORMED_POLICY.error(
                "Action does not apply to any resource(s) in statement",
                explanation=f"the action {pattern!r} applies to none of the resources {', '.join(statement.resources)}:"
                " an action on objects needs a resource <bucket>/<pattern>, an action on the bucket needs the bucket"
                " itself",
            )
    return frozenset().union(*matching.values())


# -- rendering


def render_policy(policy: Policy) -> bytes:
    """Return the document from which a policy was parsed, or a new one if the policy was made in Python.

    A new document names the accounts as CanonicalUser, and unknown principals as AWS or Service, sorted. A list with
    one name is written as the name.
    """
    if policy.document is not None:
        return policy.document
    statements = [_render_statement(statement) for statement in policy.statements]
    return json.dumps({"Version": _VERSIONS[0], "Statement": statements}, ensure_ascii=False).encode()


def _render_statement(statement: Statement) -> dict[str, Any]:
    """Return a statement of the document. Numbers and boolean values of conditions are written as text."""
    rendered: dict[str, Any] = {} if statement.sid is None else {"Sid": statement.sid}
    rendered |= {
        "Effect": statement.effect.value,
        _name(Element.PRINCIPAL, statement.negated): _render_principals(statement.principals),
        _name(Element.ACTION, statement.negated): _one_or_list(statement.actions),
        _name(Element.RESOURCE, statement.negated): _one_or_list([ARN_PREFIX + each for each in statement.resources]),
    }
    for condition in statement.conditions:
        members = rendered.setdefault("Condition", {}).setdefault(condition.operator_name, {})
        members[condition.key] = _one_or_list(condition.values)
    return rendered


def _render_principals(principals: frozenset[str] | None) -> object:
    if principals is None:
        return "*"
    kinds: dict[str, list[str]] = {}
    for name in sorted(principals):
        kind = next((kind for kind, form in _UNKNOWN_PRINCIPALS.items() if form.fullmatch(name)), "CanonicalUser")
        kinds.setdefault(kind, []).append(name)
    return {kind: _one_or_list(names) for kind, names in kinds.items()}


def _one_or_list(names: list[str] | tuple[str, ...]) -> object:
    return names[0] if len(names) == 1 else list(names)


# -- requests


def get_policy(bucket: BucketRecord) -> Policy:
    """Return the policy of a bucket. Raise an error if the bucket has none."""
    if not bucket.policy.statements:
        raise bucket.missing(NO_SUCH_BUCKET_POLICY, "policy")
    return bucket.policy


@operation(
    "GET Bucket policy",
    Route("GET", "bucket", "policy"),
    api_name="GetBucketPolicy",
    access=Access("s3:GetBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def get_bucket_policy(call: Call, bucket: BucketRecord) -> Result:
    return Result(headers={"Content-Type": "application/json"}, body=render_policy(get_policy(bucket)))


class PolicyHeaders(Parameters):
    """The header by which a requester confirms that they lose access. The owner never does. [policy-and-acl]"""

    confirmation: bool | None = header("confirm-remove-self-bucket-access", switch)


@operation(
    "PUT Bucket policy",
    Route("PUT", "bucket", "policy"),
    api_name="PutBucketPolicy",
    access=Access("s3:PutBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def put_bucket_policy(call: Call, bucket: BucketRecord, headers: PolicyHeaders, body: ReceivedBody) -> Result:
    policy = parse_policy(bytes(body.content), call)
    block = bucket.public_access_block
    if block is not None and block.block_public_policy and is_public(policy):
        raise ACCESS_DENIED.error(
            explanation=f"the policy is public, and the public access block of bucket {bucket.name!r} refuses public"
            f" policies; send DELETE Bucket publicAccessBlock, or set store[{bucket.name!r}].public_access_block = None"
            f"; {ACLS_OPTION}"
        )
    bucket.policy = policy
    return NO_CONTENT


@operation(
    "DELETE Bucket policy",
    Route("DELETE", "bucket", "policy"),
    api_name="DeleteBucketPolicy",
    access=Access("s3:DeleteBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def delete_bucket_policy(call: Call, bucket: BucketRecord) -> Result:
    bucket.policy = Policy()
    return NO_CONTENT


@document("PolicyStatus")
class PolicyStatus:
    is_public: bool = child("IsPublic")


@operation(
    "GET Bucket policyStatus",
    Route("GET", "bucket", "policyStatus"),
    api_name="GetBucketPolicyStatus",
    access=Access("s3:GetBucketPolicyStatus", BUCKET_OWNER),
)
def get_bucket_policy_status(call: Call, bucket: BucketRecord) -> Result:
    """Return whether the policy is public. [policy-status]"""
    return Result(document=PolicyStatus(is_public=is_public(get_policy(bucket))))


OPERATIONS = (get_bucket_policy, put_bucket_policy, delete_bucket_policy, get_bucket_policy_status)
