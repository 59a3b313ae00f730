"""Requests as they arrive on the wire, and readers for the replies.

Tests of every folder use these instead of private attributes: they go through :meth:`fakestore.FakeStore.handle`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from email.utils import formatdate

import requests
from lxml import etree

from fakestore import Account, FakeStore, SparseContent
from fakestore.http import Body, Headers, Reply, Request

#: The headers that every reply carries.
STANDARD_HEADERS = frozenset({"connection", "date", "server", "x-svc-id-2", "x-svc-request-id"})
XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"

#: A reply of `store.handle()`, or one that arrived through requests.
AnyReply = Reply | requests.Response


def send(
    store: FakeStore,
    method: str,
    bucket: str | None,
    target: str = "/",
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    body: Body = b"",
    *,
    account: Account | None = None,
    signed: bool = True,
    length: bool = True,
    scheme: str = "http",
    http_version: str = "1.1",
) -> Reply:
    """Send one request to `store` and return its reply.

    Args:
        bucket: The bucket's name, or None for the service itself.
        target: The path and query, percent-encoded as they are to be sent.
        headers: Sent in this order, and twice if a pair is there twice.
        account: Who signs; the default account if it is None.
        signed: Whether to add Date and Authorization.
        length: Whether to add the Content-Length of a body in memory, unless `headers` have one. An empty body gets
            one with PUT and POST.
    """
    fields = list(headers.items() if isinstance(headers, Mapping) else headers)
    names = {name.lower() for name, _ in fields}
    in_memory = isinstance(body, bytes | SparseContent)
    if length and in_memory and "content-length" not in names and (len(body) or method in ("PUT", "POST")):
        fields.append(("Content-Length", str(len(body))))
    if signed:
        key = (account or store.default_account).access_key_id
        if "date" not in names:
            fields.append(("Date", formatdate(usegmt=True)))
        if "authorization" not in names:
            fields.append(("Authorization", f"SVC {key}:signature"))
    host = store.base_url.partition("://")[2]
    host = host if bucket is None else f"{bucket}.{host}"
    return store.handle(Request(method, scheme, host, target, Headers(fields), body, http_version))


class UnseekableBody:
    """A body of unknown length that is read piece by piece and remembers whether anything of it was read."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.was_read = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.was_read = True
            yield piece


def status_of(reply: AnyReply) -> int:
    return reply.status if isinstance(reply, Reply) else reply.status_code


def body_of(reply: AnyReply) -> bytes:
    return bytes(reply.body) if isinstance(reply, Reply) else reply.content


def own_headers(reply: AnyReply) -> dict[str, str]:
    """Return the headers by their names in lower case, without those that every reply carries."""
    lower = {name.lower(): value for name, value in reply.headers.items()}
    return {name: value for name, value in lower.items() if name not in STANDARD_HEADERS}


def whole(reply: AnyReply) -> tuple[int, dict[str, str], bytes]:
    """Return status, own headers and body."""
    return status_of(reply), own_headers(reply), body_of(reply)


def error_of(reply: AnyReply) -> tuple[int, str]:
    """Return status and error code."""
    document = etree.fromstring(body_of(reply))
    assert document.tag == "Error"
    return status_of(reply), str(document.findtext("Code"))


def elements(document: AnyReply | bytes) -> dict[str, str]:
    """Return the text of each child of the root element, by tag."""
    content = document if isinstance(document, bytes) else body_of(document)
    return {child.tag: child.text or "" for child in etree.fromstring(content)}


def texts(document: AnyReply | bytes, path: str) -> list[str]:
    """Return the text of every element at `path`, for example ``"Contents/Key"``."""
    content = document if isinstance(document, bytes) else body_of(document)
    return [each.text or "" for each in etree.fromstring(content).iterfind(path)]


def grants(document: AnyReply | bytes) -> list[tuple[str, str, str]]:
    """Return the grants of an AccessControlPolicy: type of the grantee, its display name or URI's end, permission."""
    content = document if isinstance(document, bytes) else body_of(document)
    listed = []
    for grant in etree.fromstring(content).iterfind("AccessControlList/Grant"):
        grantee = grant.find("Grantee")
        name = grantee.findtext("DisplayName") or grantee.findtext("URI").rpartition("/")[2]
        listed.append((grantee.get(XSI_TYPE), name, grant.findtext("Permission")))
    return listed


def md5_base64(content: bytes) -> str:
    """Return the Content-MD5 of `content`."""
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def etag_of(content: bytes) -> str:
    """Return the entity tag of `content`, with its quotes."""
    return f'"{hashlib.md5(content).hexdigest()}"'
