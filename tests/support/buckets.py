"""Requests that are addressed by bucket and key, and answers to compare."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from email.utils import formatdate

from lxml import etree

from fakestore import Account, FakeStore
from fakestore.http import Reply, Request


def send(
    store: FakeStore,
    method: str,
    bucket: str = "",
    key: str = "",
    *,
    account: Account | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: bytes | Iterable[bytes] = b"",
    **query: object,
) -> Reply:
    """Send a request to the store and return its reply.

    Args:
        account: The account that makes the request; the default account if it is omitted.
        headers: Headers to send beside Date and Authorization. A value of ``None`` omits the header.
        body: The body. Pieces of one are read by the store one after the other; they need a Content-Length.
        query: The query parameters, with underscores for hyphens. ``acl=None`` sends ``?acl``.
    """
    key_id = (account or store.default_account).access_key_id
    fields = {"Date": formatdate(usegmt=True), "Authorization": f"SVC {key_id}:signature"}
    if method in ("PUT", "POST") and isinstance(body, bytes):
        fields["Content-Length"] = str(len(body))
    sent = {name: value for name, value in {**fields, **(headers or {})}.items() if value is not None}
    url = store.url(bucket, key, **query) if bucket else store.base_url
    return store.handle(Request.to_url(method, url, sent, body))


def document(reply: Reply) -> etree._Element:
    """Return the root element of the reply's document."""
    return etree.fromstring(bytes(reply.body))


def outcome(reply: Reply) -> tuple[int, str | None]:
    """Return the status and the error code of a reply; the code is ``None`` if there is no error document."""
    return reply.status, document(reply).findtext("Code") if reply.status >= 300 and reply.body else None


def children(element: etree._Element) -> dict[str, str | None]:
    """Return the text of each child of the element by its name."""
    return {child.tag: child.text for child in element}


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


def count_calls(action: Callable[[], object]) -> int:
    """Run `action` and return how many Python functions it calls, to compare how costs grow."""
    calls = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls
