"""What a user does with the store of the server: load it, write it into a file, check it, reset it, and read a report.

The file is a zip file with a folder for each bucket, whose files are the current objects. A file from another program
has only contents. A file from fakestore also has the other arguments of :meth:`fakestore.Bucket.put`, in the comments
of its entries.
"""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from fakestore.api.store import FakeStore
from fakestore.clients.server_messages import text_reply
from fakestore.errors import UnsupportedRequest
from fakestore.http.message import Reply, Request
from fakestore.model.content import Content, pieces_of
from fakestore.model.object_version import ObjectVersion
from fakestore.model.versioning import Versioning
from fakestore.service.service import Service

#: The beginning of the paths of requests that control the server. No bucket can have this name.
PREFIX = "/_fakestore/"
#: The method of each request below this path.
_METHODS = {"health": "GET", "reset": "POST", "report": "GET"}
#: The beginning of the comments of fakestore in a zip file.
_MARK = b"fakestore-entry/1 "


def answer_control(service: Service, reset: Callable[[], object], request: Request) -> Reply | None:
    """Return the reply to a request that controls the server, or None if it is a request to the store.

    The store does not record it. `reset` puts the store back into the state in which the server started.
    """
    path = request.target.partition("?")[0]
    if not path.startswith(PREFIX) or _names_bucket(service, request):
        return None
    name = path.removeprefix(PREFIX)
    if name not in _METHODS:
        known = ", ".join(f"{method} {PREFIX}{name}" for name, method in _METHODS.items())
        return text_reply(request.method, 404, f"{path} is unknown; expected one of {known}")
    if _METHODS[name] != ("GET" if request.method == "HEAD" else request.method):
        reply = text_reply(request.method, 405, f"Send {_METHODS[name]} {path}")
        return reply.with_headers({"Allow": _METHODS[name]})
    if name == "report":
        from fakestore.api.page import render_page  # imported here, because it imports lxml

        return text_reply(request.method, 200, render_page(service), "text/html")
    if name == "reset":
        reset()
    return text_reply(request.method, 200, "ok")


def _names_bucket(service: Service, request: Request) -> bool:
    """Return whether the host names a bucket, so that the path is a key."""
    try:
        return service.endpoint.bucket_of_host(request.scheme, request.host) is not None
    except UnsupportedRequest:  # not a host of the store, for example the host of a health check
        return False


def load_file(store: FakeStore, path: Path) -> None:
    """Put the objects of a file into the store, and create the buckets that do not exist."""
    try:
        with ZipFile(path) as archive:
            for entry in archive.infolist():
                _load_entry(store, entry, archive)
    except BadZipFile as error:
        raise ValueError(f"it is not a zip file: {error}") from None


def _load_entry(store: FakeStore, entry: ZipInfo, archive: ZipFile) -> None:
    name, slash, key = entry.filename.partition("/")
    if not slash:
        raise ValueError(f"{name!r} is not in a folder; expected a folder for each bucket")
    if name not in store:
        store.create_bucket(name)
    details = _parse_comment(entry.comment)
    if "versioning" in details:
        store[name].versioning = details["versioning"]
    elif "key" in details:
        details["last_modified"] = datetime.fromisoformat(details["last_modified"])
        store[name].put(details.pop("key"), archive.read(entry), **details)
    elif not entry.is_dir():
        store[name].put(key, archive.read(entry), content_type=mimetypes.guess_type(key)[0])


def _parse_comment(comment: bytes) -> dict[str, Any]:
    """Return what a comment of fakestore says. A comment of another program is ignored."""
    if not comment.startswith(_MARK):
        return {}
    details: dict[str, Any] = json.loads(comment.removeprefix(_MARK))
    return details


def dump_file(store: FakeStore, path: Path) -> None:
    """Write the current objects of the store into a file. The file is replaced when everything is written."""
    part = path.with_name(f"{path.name}.part")
    with ZipFile(part, "w", ZIP_DEFLATED) as archive:
        for bucket in store.buckets.values():
            versioned = bucket.versioning is not Versioning.NEVER
            _add(archive, f"{bucket.name}/", {"versioning": bucket.versioning} if versioned else {}, b"")
            for key in bucket:
                version = bucket[key]
                _add(archive, f"{bucket.name}/{key}", _details(version), version.content)
    part.replace(path)


def _details(version: ObjectVersion) -> dict[str, Any]:
    """Return the arguments of `put` that store the same object again."""
    headers = version.all_metadata.system
    return {
        "key": version.key,
        "content_type": headers.pop("Content-Type"),
        "headers": headers,
        "metadata": dict(version.metadata),
        "storage_class": version.storage_class,
        "tags": dict(version.tags),
        "last_modified": version.last_modified.isoformat(),
    }


def _add(archive: ZipFile, name: str, details: dict[str, Any], content: Content) -> None:
    entry = ZipInfo(name)
    entry.comment = _MARK + json.dumps(details, ensure_ascii=False).encode() if details else b""
    entry.compress_type = ZIP_DEFLATED
    with archive.open(entry, "w", force_zip64=True) as file:
        for piece in pieces_of(content):
            file.write(piece)
