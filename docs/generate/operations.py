"""Writes the operations of the table: as tables for readers, and as names for type checkers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from types import ModuleType

from fakestore import operations
from fakestore.operations import TABLE
from fakestore.operations.framework.access import ANY_ACCOUNT, Access, PolicyPower, Requirement
from fakestore.operations.framework.operation import Operation
from fakestore.operations.framework.setting import Setting, SettingWithId
from fakestore.operations.multipart_upload import UPLOAD_INITIATOR
from fakestore.protocol.unsupported import LEFT_OUT

_SCOPES = {"service": "The service", "bucket": "Buckets", "object": "Objects and uploads"}
_METHODS = ("PUT", "POST", "GET", "HEAD", "DELETE", "OPTIONS")
_POLICY_LIMITS = {
    PolicyPower.ALLOW_AND_DENY: "",
    PolicyPower.DENY: " (no policy can allow it)",
    PolicyPower.NONE: " (no policy can allow or deny it)",
}

_SEE_FURTHER = "[see below](#further-permissions)"

_PAGE = """# Operations

Look up the name of an operation, and the permission that a request for it needs.

<!-- Written by: python -m docs.generate -->

- `store.fail` and `store.calls` accept both *names*. The second is that of the S3 API. boto3 writes `CopyObject` as
  `copy_object`.
- *Request* is the method, the resource and the query. It is empty if the name says the same: GET Bucket cors is
  `GET bucket?cors`. "With copy-source" means the header `x-svc-copy-source`, in the dialect `S3` `x-amz-copy-source`.
- *Action* is the permission in a bucket policy. A second action is for a request that names a version.
- *Required* says what the requester needs if the policy neither allows nor denies the action: *owner* of the bucket, or
  a grant in the ACL of the bucket or object. If ACLs are disabled, as in a new bucket of the dialect `S3`, only the
  owner has such grants.

"""

_FURTHER = """
## Further permissions

Some requests need a further permission: to state an ACL, tags, a retention or a legal hold, to bypass a retention in
the mode GOVERNANCE, or to create a bucket again. Without a permission for the lock, GET Object and HEAD Object only
omit its headers. POST Bucket delete checks each key.

| Action | Required | Operations |
|---|---|---|
{accesses}
"""

_WITHOUT_EFFECT = """
## Settings without an effect

The store checks, stores and returns these settings of a bucket, and [does not act on
them](../how-to/tags-checksums-encryption.md#configurations-without-an-effect): {settings}.
"""

_NOT_SUPPORTED = """
## Not supported

A request with one of these query parameters raises [`UnsupportedRequest`](../how-to/other-requests.md), whose message
says what to do:

{parameters}

So does `?encryption` of an object (UpdateObjectEncryption). The hosts of access points, directory buckets, Object
Lambda, Outposts, websites and accelerated transfers raise `UnexpectedRequest`.
"""

_NAMES = """\
\"""The names of the operations, for type checkers and editors. Written by: python -m docs.generate.\"""

from typing import Literal

#: Most operations have two names. The first is the name in the specification, and the second is the name in the S3 API.
OperationName = Literal[
{names}
]  # fmt: skip
"""


def operation_names() -> str:
    """Return the module with the names that ``store.fail`` and ``store.calls`` accept."""
    listed = sorted(TABLE, key=lambda each: each.name)
    lines = (f'    "{each.name}",' + (f' "{each.api_name}",' if each.api_name else "") for each in listed)
    return _NAMES.format(names="\n".join(lines))


def operations_page() -> str:
    """Return the page of the reference with all operations."""
    tables = (f"## {_SCOPES[scope]}\n\n{_table(listed)}" for scope, listed in _by_scope())
    settings = ", ".join(f"`{name}`" for name in _settings_without_effect())
    return (
        _PAGE
        + "\n".join(tables)
        + _FURTHER.format(accesses=_further_accesses())
        + _WITHOUT_EFFECT.format(settings=settings)
        + _NOT_SUPPORTED.format(parameters=_left_out())
    )


def _left_out() -> str:
    """Return a line for each part of the public interface that is left out, with its query parameters."""
    names: dict[str, list[str]] = {}
    for name, feature in LEFT_OUT.items():
        names.setdefault(feature.partition(", which")[0], []).append(f"`{name}`")
    return "\n".join(f"- {feature}: {', '.join(each)}" for feature, each in names.items())


def _settings_without_effect() -> list[str]:
    """Return the names of the settings that are neither a value of the bucket nor read by a function of their own."""
    modules = [each for each in vars(operations).values() if isinstance(each, ModuleType)]
    values = [each for module in modules for each in vars(module).values()]
    stored = [each for each in values if isinstance(each, Setting) and each.attribute is None and each.read is None]
    with_id = [each for each in values if isinstance(each, SettingWithId)]
    return sorted([each.subresource for each in stored] + [each.subresource for each in with_id])


def _by_scope() -> list[tuple[str, list[Operation]]]:
    by_scope = sorted(TABLE, key=_place)
    return [(scope, list(group)) for scope, group in groupby(by_scope, key=lambda each: each.route.scope)]


def _place(each: Operation) -> tuple[int, str, int]:
    """Return the place of an operation in the tables: by resource, by subject, and by method."""
    route = each.route
    return list(_SCOPES).index(route.scope), _subject(each).casefold(), _METHODS.index(route.method)


def _subject(each: Operation) -> str:
    """Return the name of an operation without its method. Names such as ``List Parts`` have no method."""
    return each.name.removeprefix(f"{each.route.method} ")


def _table(listed: Iterable[Operation]) -> str:
    lines = [f"| {_both_names(each)} | {_request(each)} | {_actions(each)} | {_required(each)} |\n" for each in listed]
    return "| Names | Request | Action | Required |\n|---|---|---|---|\n" + "".join(lines)


def _both_names(each: Operation) -> str:
    return each.name if each.api_name is None else f"{each.name}<br>{each.api_name}"


def _request(each: Operation) -> str:
    """Return the route of an operation, or nothing if its name is the same."""
    is_in_name = str(each.route).replace("?", " ").casefold() == each.name.casefold()
    return "" if is_in_name else f"`{each.route}`"


def _further_accesses() -> str:
    operations: dict[Access, list[str]] = {}
    for _, listed in _by_scope():
        for each in listed:
            for access in each.further_access:
                operations.setdefault(access, []).append(each.name)
    return "\n".join(
        f"| {_names(access)} | {describe_requirement(access)} | {', '.join(names)} |"
        for access, names in operations.items()
    )


def _actions(each: Operation) -> str:
    if each.access is None:
        return "none" if not each.further_access else _SEE_FURTHER
    return _names(each.access) + _on_the_source(each, _names)


def _on_the_source(each: Operation, describe: Callable[[Access], str]) -> str:
    """Return the descriptions of the accesses to the source, or an empty text if the each declares no source."""
    return "" if each.source is None else f"; on the source: {', '.join(map(describe, each.source.accesses))}"


def _names(access: Access) -> str:
    names = [access.action] if access.version is None else [access.action, access.version.action]
    return ", ".join(f"`{name}`" for name in names)


def _required(each: Operation) -> str:
    if each.access is None:
        return "nothing" if not each.further_access else _SEE_FURTHER
    return describe_requirement(each.access) + _on_the_source(each, describe_requirement)


def describe_requirement(access: Access) -> str:
    """Return what the access requires."""
    text = _needed(access.requirement)
    if access.version is not None and access.version.requirement != access.requirement:
        text += f"; to delete a version: {_needed(access.version.requirement)}"
    return text


def _needed(requirement: Requirement) -> str:
    if requirement == ANY_ACCOUNT:
        return "any account"
    if requirement is UPLOAD_INITIATOR:
        text = "initiator of the upload, or owner"
    elif requirement.holder is None:
        text = "nothing, unless a policy denies it"
    elif requirement.permission is not None:
        text = f"{requirement.holder.value} {requirement.permission.value}"
    else:
        text = "owner"
    return text + _POLICY_LIMITS[requirement.policy_power]
