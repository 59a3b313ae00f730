"""Documents to send: lifecycle configurations, policies, and lists of objects to delete or of parts."""

from __future__ import annotations

import json
from collections.abc import Iterable

from lxml import etree

from fakestore import Account


def lifecycle(*rules: str) -> bytes:
    """Return a lifecycle configuration of these rules."""
    return f"<LifecycleConfiguration>{''.join(rules)}</LifecycleConfiguration>".encode()


def rule(actions: str, prefix: str = "", rule_id: str = "r", status: str = "Enabled") -> str:
    """Return a lifecycle rule with these actions, which are elements."""
    selection = f"<ID>{rule_id}</ID><Filter><Prefix>{prefix}</Prefix></Filter><Status>{status}</Status>"
    return f"<Rule>{selection}{actions}</Rule>"


def delete_document(*identifiers: str | tuple[str, str], quiet: bool | str | None = None) -> bytes:
    """Return a document that deletes these keys, or versions given as key and version id."""
    root = etree.Element("Delete")
    if quiet is not None:
        etree.SubElement(root, "Quiet").text = str(quiet).lower()
    for identifier in identifiers:
        key, version_id = identifier if isinstance(identifier, tuple) else (identifier, None)
        element = etree.SubElement(root, "Object")
        etree.SubElement(element, "Key").text = key
        if version_id is not None:
            etree.SubElement(element, "VersionId").text = version_id
    return etree.tostring(root)


def complete_document(parts: Iterable[tuple[int, str]]) -> bytes:
    """Return the document that completes an upload of these parts: numbers and entity tags."""
    listed = (f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>" for number, etag in parts)
    return f"<CompleteMultipartUpload>{''.join(listed)}</CompleteMultipartUpload>".encode()


def statement(
    effect: str, principal: Account | str, action: str | list[str], resource: str | list[str], **more: object
) -> dict[str, object]:
    """Return a statement of a policy; resources are given as ``photos`` or ``photos/*``."""
    resources = [resource] if isinstance(resource, str) else resource
    return {
        "Effect": effect,
        "Principal": principal if isinstance(principal, str) else {"AWS": principal.id},
        "Action": action,
        "Resource": [f"arn:aws:s3:::{each}" for each in resources],
        **more,
    }


def policy(*statements: dict[str, object]) -> bytes:
    """Return the policy of these statements."""
    return json.dumps({"Version": "2012-10-17", "Statement": statements}).encode()
