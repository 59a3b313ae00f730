"""Writes the operations of the table: as tables for readers, and as names for type checkers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from types import ModuleType

from fakestore import operations
from fakestore.operations import OPERATIONS
from fakestore.operations.framework.access import Access, PolicyPower, Requirement
from fakestore.operations.framework.operation import Operation
from fakestore.operations.framework.setting import Setting, SettingWithId
from fakestore.operations.multipart_upload import UPLOAD_INITIATOR
from fakestore.protocol.unsupported import LEFT_OUT

_SCOPES = {"service": "The service", "bucket": "Buckets", "object": "Objects and uploads"}
_METHODS = ("PUT", "POST", "GET", "HEAD", "DELETE", "OPTIONS")
_POLICY_LIMITS = {
    PolicyPower.ALLOW_AND_DENY: "",
    PolicyPower.DENY: " (a policy can deny this, but cannot allow it)",
    PolicyPower.NONE: " (no policy can allow or deny it)",
}

_SEE_FURTHER = "see [further permissions](#further-permissions)"

_PAGE = """# Operations

Look up the name of an operation, and the permission that a request for it needs.

<!-- Written by: python -m docs.generate -->

- `store.fail` and `store.calls` accept the *name* and the *API name*, which is the name in the S3 API. boto3 spells it
  with underscores: `copy_object` for CopyObject.
- *Request* is the method, the resource (service, bucket or object) and the subresource. "With" is before the name of a
  header without its prefix. For example, "with copy-source" means the header `x-svc-copy-source`, or
  `x-amz-copy-source` in the dialect `S3`.
- *Action* is the name of the permission in a bucket policy, in upper or lower case. A second action is for a request
  that names a version.
- *Required* says what the requester needs if the bucket policy neither allows nor denies the action. "READ on the
  bucket" is a grant in the ACL of the bucket. If ACLs are disabled, as in a new bucket of the dialect `S3`, only the
  owner of the bucket has it.

Some requests need [further permissions](#further-permissions).

"""

_FURTHER = """
## Further permissions

Some requests for these operations need a further permission: to write an object with an ACL, tags, a retention or a
legal hold, to bypass a retention in the mode GOVERNANCE, or to create a bucket again. GET Object attributes always
needs the permission of GET Object. GET Object and HEAD Object do not refuse a request without a further permission:
they omit the headers with the retention or the legal hold. POST Bucket delete checks each key.

| Action | Required | Operations |
|---|---|---|
{accesses}
"""

_WITHOUT_EFFECT = """
## Settings without an effect

The store checks these settings of a bucket, stores them and returns them, and [does not act on
them](../how-to/tags-checksums-encryption.md#configurations-without-an-effect):

{settings}
"""

_NOT_SUPPORTED = """
## Not supported

A request with one of these query parameters raises [`UnsupportedRequest`](../how-to/other-requests.md). Its message has
the text of the second column:

| Query parameter | Belongs to |
|---|---|
{parameters}

The same is true of `?encryption` of an object, which belongs to UpdateObjectEncryption. Requests to the hosts of access
points, directory buckets, Object Lambda, Outposts, websites and accelerated transfers are
[refused](../how-to/other-requests.md) with the name of the feature.
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
    listed = sorted(OPERATIONS, key=lambda each: each.name)
    lines = (f'    "{each.name}",' + (f' "{each.api_name}",' if each.api_name else "") for each in listed)
    return _NAMES.format(names="\n".join(lines))


def operations_page() -> str:
    """Return the page of the reference with all operations."""
    tables = (f"## {_SCOPES[scope]}\n\n{_table(listed)}" for scope, listed in _by_scope())
    settings = "\n".join(f"- `{name}`" for name in _settings_without_effect())
    parameters = "\n".join(f"| `{name}` | {feature} |" for name, feature in LEFT_OUT.items())
    return (
        _PAGE
        + "\n".join(tables)
        + _FURTHER.format(accesses=_further_accesses())
        + _WITHOUT_EFFECT.format(settings=settings)
        + _NOT_SUPPORTED.format(parameters=parameters)
    )


def _settings_without_effect() -> list[str]:
    """Return the names of the settings that are neither a value of the bucket nor stored by a function of their own."""
    modules = [each for each in vars(operations).values() if isinstance(each, ModuleType)]
    values = [each for module in modules for each in vars(module).values()]
    stored = [each for each in values if isinstance(each, Setting) and each.attribute is None and each.store is None]
    with_id = [each for each in values if isinstance(each, SettingWithId)]
    return sorted([each.subresource for each in stored] + [each.subresource for each in with_id])


def _by_scope() -> list[tuple[str, list[Operation]]]:
    by_scope = sorted(OPERATIONS, key=_place)
    return [(scope, list(group)) for scope, group in groupby(by_scope, key=lambda each: each.route.scope)]


def _place(each: Operation) -> tuple[int, str, int]:
    """Return the place of an operation in the tables: by resource, by subject, and by method."""
    route = each.route
    return list(_SCOPES).index(route.scope), _subject(each).casefold(), _METHODS.index(route.method)


def _subject(each: Operation) -> str:
    """Return the name of an operation without its method. Names such as ``List Parts`` have no method."""
    return each.name.removeprefix(f"{each.route.method} ")


def _table(listed: Iterable[Operation]) -> str:
    lines = [
        f"| {each.name} | {each.api_name or 'none'} | `{each.route}` | {_actions(each)} | {_required(each)} |\n"
        for each in listed
    ]
    return "| Name | API name | Request | Action | Required |\n|---|---|---|---|---|\n" + "".join(lines)


def _further_accesses() -> str:
    operations: dict[Access, list[str]] = {}
    for _, listed in _by_scope():
        for each in listed:
            for access in each.further_access:
                operations.setdefault(access, []).append(each.name)
    return "\n".join(
        f"| {_names(access)} | {_needed_of(access)} | {', '.join(names)} |" for access, names in operations.items()
    )


def _actions(each: Operation) -> str:
    if each.access is None:
        return "none" if each.is_public else _SEE_FURTHER
    return _names(each.access) + _on_the_source(each, _names)


def _on_the_source(each: Operation, describe: Callable[[Access], str]) -> str:
    """Return the descriptions of the accesses to the source, or an empty text if the each declares no source."""
    return "" if each.source is None else f"; on the source: {', '.join(map(describe, each.source.accesses))}"


def _names(access: Access) -> str:
    names = [access.action] if access.version is None else [access.action, access.version.action]
    return ", ".join(f"`{name}`" for name in names)


def _required(each: Operation) -> str:
    if each.access is None:
        return "nothing" if each.is_public else _SEE_FURTHER
    return _needed_of(each.access, "credentials of any account") + _on_the_source(each, _needed_of)


def _needed_of(access: Access, nothing: str = "nothing") -> str:
    """Return what the access requires.

    Args:
        nothing: The text if it requires nothing.
    """
    text = _needed(access.requirement, nothing)
    if access.version is not None and access.version.requirement != access.requirement:
        text += f"; to delete a version: {_needed(access.version.requirement, nothing)}"
    return text


def _needed(requirement: Requirement, nothing: str) -> str:
    if requirement is UPLOAD_INITIATOR:
        text = "account that began the upload, or owner of the bucket"
    elif requirement.holder is None:
        text = nothing
    elif requirement.permission is not None:
        text = f"{requirement.permission.value} on the {requirement.holder.value}"
    else:
        text = "owner of the bucket"
    return text + _POLICY_LIMITS[requirement.policy_power]
