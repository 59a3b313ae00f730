"""A client of multipart upload that speaks the dialect of its store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from email.utils import formatdate

from lxml import etree

from fakestore import Account, FakeStore
from fakestore.http import Body, Reply, Request

#: What a header of the dialect begins with in these tests.
PREFIX = "x-svc-"


class Client:
    """Sends requests for the bucket ``photos`` to a store.

    Args:
        store: The store.
        account: The account that signs; the default account if it is omitted.
    """

    def __init__(self, store: FakeStore, account: Account | None = None) -> None:
        self.store = store
        self._key_id = (account or store.default_account).access_key_id

    def send(
        self, method: str, key: str = "", headers: Mapping[str, str] | None = None, body: Body = b"", **query: object
    ) -> Reply:
        """Send a request; headers of the dialect are written with ``x-svc-``."""
        dialect = self.store.dialect
        fields = {"Date": formatdate(usegmt=True), "Authorization": f"{dialect.auth_scheme} {self._key_id}:signature"}
        for name, value in (headers or {}).items():
            fields[name.replace(PREFIX, dialect.header_prefix)] = value
        if method in ("PUT", "POST") and body == b"":
            fields["Content-Length"] = "0"
        bucket = query.pop("bucket", "photos")
        return self.store.handle(Request.to_url(method, self.store.url(bucket, key, **query), fields, body))

    def begin(self, key: str = "film", headers: Mapping[str, str] | None = None, **query: object) -> str:
        """Begin an upload and return its id."""
        return text(self.send("POST", key, headers, uploads=None, **query), "UploadId")

    def put_part(self, upload: str, number: int, body: Body, key: str = "film") -> str:
        """Upload a part and return its entity tag."""
        reply = self.send("PUT", key, body=body, uploadId=upload, partNumber=number)
        assert reply.status == 200, reply
        return reply.headers["etag"]

    def complete(
        self,
        upload: str,
        parts: Iterable[tuple[int, str]],
        key: str = "film",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Complete an upload with these numbers and entity tags."""
        return self.send("POST", key, headers, complete_document(parts), uploadId=upload)

    def upload(self, *contents: Body, key: str = "film", headers: Mapping[str, str] | None = None) -> Reply:
        """Upload an object in these parts, and return the reply to the last request."""
        upload = self.begin(key, headers)
        tags = [(number, self.put_part(upload, number, each, key)) for number, each in enumerate(contents, 1)]
        reply = self.complete(upload, tags, key)
        assert reply.status == 200, reply
        return reply

    def header(self, reply: Reply, name: str) -> str | None:
        """Return a header of the dialect, which is named with ``x-svc-``, or None."""
        return reply.headers.get(name.replace(PREFIX, self.store.dialect.header_prefix))


def complete_document(parts: Iterable[tuple[int, str]]) -> bytes:
    """Return the document that names these parts."""
    listed = (f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>" for number, etag in parts)
    return f"<CompleteMultipartUpload>{''.join(listed)}</CompleteMultipartUpload>".encode()


def texts(reply: Reply, name: str) -> list[str]:
    """Return the text of every element of this name."""
    return [each.text or "" for each in etree.fromstring(bytes(reply.body)).iterfind(f".//{{*}}{name}")]


def text(reply: Reply, name: str) -> str:
    """Return the text of the only element of this name."""
    (only,) = texts(reply, name)
    return only


def outcome(reply: Reply) -> tuple[int, str | None]:
    """Return the status and the error code, which is None for a success."""
    return reply.status, text(reply, "Code") if reply.status >= 300 and reply.body else None
