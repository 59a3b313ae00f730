"""What the tests of the specification share: raw requests, and whole answers and states to compare."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from email.utils import formatdate

import requests
from lxml import etree

from fakestore import Account, DeleteMarker, FakeStore
from fakestore.http import Headers, Reply, Request
from fakestore.model.content import Content
from tests.trust.fingerprint import fingerprint

#: What every answer carries beside its own.
STANDARD_HEADERS = frozenset({"connection", "date", "server", "x-svc-id-2", "x-svc-request-id"})
XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


def wire(
    store: FakeStore,
    method: str,
    bucket: str | None,
    target: str,
    fields: Iterable[tuple[str, str]] = (),
    body: Content = b"",
    *,
    account: Account | None = None,
    signed: bool = True,
    scheme: str = "http",
    http_version: str = "1.1",
) -> Reply:
    """Hand a request to the store as it would arrive: header fields in their order, none merged or left out.

    Date and Authorization are added unless ``signed`` is false; nothing else is, Content-Length neither.
    """
    fields = list(fields)
    if signed:
        key = (account or store.default_account).access_key_id
        fields += [("Date", formatdate(usegmt=True)), ("Authorization", f"SVC {key}:signature")]
    host = "objects.test" if bucket is None else f"{bucket}.objects.test"
    return store.handle(Request(method, scheme, host, target, Headers(fields), body, http_version))


def put_fields(body: Content = b"", *fields: tuple[str, str]) -> list[tuple[str, str]]:
    """The header fields of a PUT: the length of the body, and those given."""
    return [("Content-Length", str(len(body))), *fields]


def own_headers(answer: requests.Response | Reply) -> dict[str, str]:
    """The headers of an answer by lower-case name, without those that every answer carries."""
    lower = {name.lower(): value for name, value in answer.headers.items()}
    return {name: value for name, value in lower.items() if name not in STANDARD_HEADERS}


def body_of(answer: requests.Response | Reply) -> bytes:
    return bytes(answer.body) if isinstance(answer, Reply) else answer.content


def status_of(answer: requests.Response | Reply) -> int:
    return answer.status if isinstance(answer, Reply) else answer.status_code


def whole(answer: requests.Response | Reply) -> tuple[int, dict[str, str], bytes]:
    """Status, own headers and body."""
    return status_of(answer), own_headers(answer), body_of(answer)


def refusal(answer: requests.Response | Reply) -> tuple[int, str]:
    """Status and error code."""
    document = etree.fromstring(body_of(answer))
    assert document.tag == "Error"
    return status_of(answer), str(document.findtext("Code"))


def elements(document: bytes) -> dict[str, str]:
    """The children of the root element by tag, with their text."""
    return {child.tag: child.text or "" for child in etree.fromstring(document)}


def grants(document: bytes) -> list[tuple[str, str, str]]:
    """The grants of an AccessControlPolicy: type of the grantee, who it is by display name or URI, permission."""
    listed = []
    for grant in etree.fromstring(document).iterfind("AccessControlList/Grant"):
        grantee = grant.find("Grantee")
        name = grantee.findtext("DisplayName") or grantee.findtext("URI").rpartition("/")[2]
        listed.append((grantee.get(XSI_TYPE), name, grant.findtext("Permission")))
    return listed


def stack(store: FakeStore, bucket: str, key: str) -> list[bytes | type[DeleteMarker]]:
    """The versions of a key, newest first: contents, and ``DeleteMarker`` for a marker."""
    entries = store[bucket].versions(key) if key in {each.key for each in store[bucket].versions()} else []
    return [DeleteMarker if isinstance(each, DeleteMarker) else bytes(each.content) for each in entries]


def holdings(store: FakeStore) -> object:
    """Everything that the store holds: its accounts, and every setting and every version of every bucket."""
    return fingerprint(store)


def md5_base64(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def etag_of(content: bytes) -> str:
    """The entity tag of content, with its quotes."""
    return f'"{hashlib.md5(content).hexdigest()}"'
