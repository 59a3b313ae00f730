"""A client of multipart upload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from lxml import etree

from fakestore.http import Body, Reply
from tests.support import client
from tests.support.documents import complete_document


class Client(client.Client):
    """Uploads objects in parts to the bucket ``photos``, and sends other requests to it."""

    def begin(self, key: str = "film", headers: Mapping[str, str] | None = None, **query: object) -> str:
        """Begin an upload and return its id."""
        return text(self.send("POST", f"/{quote(key)}?uploads", headers, **query), "UploadId")

    def put_part(self, upload: str, number: int, body: Body, key: str = "film") -> str:
        """Upload a part and return its entity tag."""
        reply = self.send("PUT", f"/{key}", body=body, uploadId=upload, partNumber=number)
        assert reply.status == 200, reply
        return reply.headers["etag"]

    def complete(
        self, upload: str, parts: Iterable[tuple[int, str]], key: str = "film", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Complete an upload with these numbers and entity tags."""
        return self.send("POST", f"/{key}", headers, complete_document(parts), uploadId=upload)

    def upload(self, *contents: Body, key: str = "film", headers: Mapping[str, str] | None = None) -> Reply:
        """Upload an object in these parts, and return the reply to the last request."""
        upload = self.begin(key, headers)
        tags = [(number, self.put_part(upload, number, each, key)) for number, each in enumerate(contents, 1)]
        reply = self.complete(upload, tags, key)
        assert reply.status == 200, reply
        return reply


def texts(reply: Reply, name: str) -> list[str]:
    """Return the text of every element of this name."""
    return [each.text or "" for each in etree.fromstring(bytes(reply.body)).iterfind(f".//{{*}}{name}")]


def text(reply: Reply, name: str) -> str:
    """Return the text of the only element of this name."""
    (only,) = texts(reply, name)
    return only
