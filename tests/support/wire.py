"""Requests to a store, and readers for its replies. They all go through :meth:`fakestore.FakeStore.handle`."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from email.utils import formatdate
from urllib.parse import urlsplit

import requests
from lxml import etree

from fakestore import Account, FakeStore, SparseContent
from fakestore.http import Body, Headers, Reply, Request

#: The headers that every reply carries.
STANDARD_HEADERS = frozenset({"connection", "date", "server", "x-svc-id-2", "x-svc-request-id"})
XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"

#: The subresources whose documents need a Content-MD5 in `S3`.
NEEDING_DIGEST = frozenset(
    {"cors", "delete", "legal-hold", "lifecycle", "object-lock", "replication", "retention", "tagging"}
)

#: A reply of `store.handle()`, or one that arrived through requests.
AnyReply = Reply | requests.Response


def send(
    store: FakeStore,
    method: str,
    bucket: str | None,
    target: str = "/",
    headers: Mapping[str, str | None] | Iterable[tuple[str, str | None]] = (),
    body: Body = b"",
    *,
    account: Account | None = None,
    signed: bool = True,
    length: bool = True,
    scheme: str | None = None,
    http_version: str = "1.1",
) -> Reply:
    """Send one request to `store`, with its target as it is on the wire, and return the reply.

    Args:
        bucket: The bucket's name, or None for the service itself.
        target: The path and query, percent-encoded as they are to be sent.
        headers: Sent in this order, and twice if a pair is there twice. A header whose value is None is not sent, and
            is not added either.
        account: Who signs; the default account if it is None.
        signed: Whether to add Date and Authorization.
        length: Whether to add the Content-Length of a body in memory, unless `headers` have one. An empty body gets
            one with PUT and POST. A document for which the dialect requires it gets a Content-MD5, too.
        scheme: ``http`` or ``https``; that of the base URL if it is None.
    """
    fields = list(headers.items() if isinstance(headers, Mapping) else headers)
    names = {name.lower() for name, _ in fields}
    in_memory = isinstance(body, bytes | SparseContent)
    if length and in_memory and "content-length" not in names and (len(body) or method in ("PUT", "POST")):
        fields.append(("Content-Length", str(len(body))))
    needs_digest = store.dialect.semantics.documents_need_checksum and "content-md5" not in names
    if length and isinstance(body, bytes) and needs_digest:
        fields += digest_header(method, target, body)
    if signed:
        key = (account or store.default_account).access_key_id
        if "date" not in names:
            fields.append(("Date", formatdate(usegmt=True)))
        if "authorization" not in names:
            fields.append(("Authorization", f"{store.dialect.auth_scheme} {key}:signature"))
    sent = [(name, value) for name, value in fields if value is not None]
    own_scheme, _, host = store.base_url.partition("://")
    host = host if bucket is None else f"{bucket}.{host}"
    return store.handle(Request(method, scheme or own_scheme, host, target, Headers(sent), body, http_version))


def digest_header(method: str, target: str, body: bytes) -> list[tuple[str, str]]:
    """Return the Content-MD5 of a document that needs one in `S3`, and otherwise nothing."""
    is_needed = method in ("PUT", "POST") and NEEDING_DIGEST.intersection(target.partition("?")[2].split("&"))
    return [("Content-MD5", md5_base64(body))] if is_needed else []


def request(
    store: FakeStore,
    method: str,
    bucket: str = "",
    key: str = "",
    *,
    account: Account | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: Body = b"",
    **query: object,
) -> Reply:
    """Send the request for a bucket, a key and query parameters, and return the reply.

    Args:
        account: Who signs; the default account if it is None.
        headers: Headers beside Date and Authorization. A header whose value is None is not sent.
        query: The query parameters, with underscores for hyphens. ``acl=None`` sends ``?acl``.
    """
    target = urlsplit(store.url(bucket, key, **query))._replace(scheme="", netloc="").geturl() if bucket else "/"
    return send(store, method, bucket or None, target or "/", headers or {}, body, account=account)


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


def document(source: AnyReply | bytes) -> etree._Element:
    """Return the root element of a document or of a reply's document."""
    return etree.fromstring(source if isinstance(source, bytes) else body_of(source))


def outcome(reply: AnyReply) -> tuple[int, str | None]:
    """Return the status and the error code of a reply; the code is None if the body is not an error document."""
    body = body_of(reply)
    root = document(body) if b"<Error>" in body else None
    return status_of(reply), root.findtext("Code") if root is not None and root.tag == "Error" else None


def elements(source: AnyReply | bytes | etree._Element) -> dict[str, str]:
    """Return the text of each child of an element, or of the root of a document, by its name without namespace."""
    root = source if etree.iselement(source) else document(source)
    return {etree.QName(child).localname: child.text or "" for child in root}


def texts(source: AnyReply | bytes, path: str) -> list[str]:
    """Return the text of every element at `path`, for example ``"Contents/Key"``."""
    return [each.text or "" for each in document(source).iterfind(path)]


def grants(source: AnyReply | bytes) -> list[tuple[str, str, str]]:
    """Return the grants of an AccessControlPolicy: type of the grantee, its display name or URI's end, permission."""
    listed = []
    for grant in document(source).iterfind("AccessControlList/Grant"):
        grantee = grant.find("Grantee")
        name = grantee.findtext("DisplayName") or grantee.findtext("URI").rpartition("/")[2]
        listed.append((grantee.get(XSI_TYPE), name, grant.findtext("Permission")))
    return listed


def crc32_base64(content: bytes) -> str:
    """Return the CRC32 of `content` as a header states it."""
    return base64.b64encode(zlib.crc32(content).to_bytes(4, "big")).decode()


def md5_base64(content: bytes) -> str:
    """Return the Content-MD5 of `content`."""
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def etag_of(content: bytes) -> str:
    """Return the entity tag of `content`, with its quotes."""
    return f'"{hashlib.md5(content).hexdigest()}"'
