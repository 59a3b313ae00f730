"""The cost of multipart uploads: memory and time of a large one, and pages of their listings."""

from __future__ import annotations

import gc
import hashlib
import re
from collections.abc import Callable, Iterable
from functools import partial

import requests

from benchmarks.counting import MIB, traced
from benchmarks.figure import Figure
from benchmarks.timing import by_turns
from fakestore import FakeStore, fake_store
from fakestore.model.checksums import ChecksumAlgorithm, compute_checksum
from fakestore.model.content import join_content

PART = 8 * MIB
#: How many parts and unfinished uploads a page has, and how many there are in all.
PAGE, MOST_PARTS, MANY_UPLOADS = 1_000, 10_000, 20_000

_UPLOAD_ID = re.compile("<UploadId>(.*)</UploadId>")


class Uploads:
    """The requests of multipart uploads to a bucket."""

    def __init__(self, store: FakeStore, session: requests.Session) -> None:
        self._store = store
        self._session = session

    def begin(self, key: str) -> str:
        """Begin an upload, and return its id."""
        reply = self._session.post(self._store.url("bench", key, uploads=None))
        return _UPLOAD_ID.search(reply.text)[1]  # type: ignore[index]

    def put_part(self, key: str, upload: str, number: int, content: bytes) -> str:
        """Upload a part, and return its entity tag."""
        url = self._store.url("bench", key, uploadId=upload, partNumber=number)
        return self._session.put(url, data=content).headers["ETag"]

    def store_object(self, key: str, parts: Iterable[bytes]) -> None:
        """Upload an object in parts."""
        upload = self.begin(key)
        tags = [self.put_part(key, upload, number, content) for number, content in enumerate(parts, 1)]
        listed = "".join(
            f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in enumerate(tags, 1)
        )
        body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>"
        self._session.post(self._store.url("bench", key, uploadId=upload), data=body).raise_for_status()


def upload(progress: Callable[[str], None], size: int) -> list[Figure]:
    """Measure an upload in parts: the memory that it leaves, and its time compared with its digests.

    The recorded service computes the MD5 of each part and the CRC-64 of the whole object.
    """
    count, whole = size // PART, size // MIB
    with fake_store(dialect="s3", buckets=["bench"]) as store, store.session() as session:
        session.headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD"  # so that the client computes no digest
        uploads = Uploads(store, session)
        uploads.store_object("warm", [b"warm"])
        progress(f"memory: upload of {whole} MiB in parts of {PART // MIB} MiB")
        with traced() as memory:
            uploads.store_object("key", (bytes(PART) for _ in range(count)))
        store.reset()
        part = bytes(PART)

        def digests() -> None:
            for _ in range(count):
                hashlib.md5(part, usedforsecurity=False).hexdigest()
            compute_checksum(ChecksumAlgorithm.CRC64NVME, join_content([part] * count))

        progress(f"throughput: upload of {whole} MiB and its digests, 6 rounds of 2")
        calls = {"digests": digests, "upload": lambda: uploads.store_object("key", [part] * count)}
        seconds = by_turns(calls, rounds=6, batch=2)
    name = f"upload of {whole} MiB in parts of {PART // MIB} MiB"
    return [
        Figure(topic="Memory", name=f"{name}: left", value=memory.left / MIB, unit="MiB", most=whole + 1),
        Figure(topic="Memory", name=f"{name}: peak", value=memory.peak / MIB, unit="MiB", most=whole + PART // MIB),
        Figure(
            topic="Throughput",
            name=f"{name} to its MD5s and checksum",
            value=seconds["upload"] / seconds["digests"],
            unit="times",
            most=1.3,
        ),
    ]


def listings(progress: Callable[[str], None], parts: int, uploads: int) -> list[Figure]:
    """Compare pages of long listings of parts and of uploads with those of listings that have one page."""
    with fake_store(buckets=["bench", "few"]) as store, store.session() as session:
        progress(f"growth: {parts:,} parts of an upload, and {uploads:,} uploads")
        sender = Uploads(store, session)
        short, long = sender.begin("short"), sender.begin("long")
        for key, upload, count in (("short", short, PAGE), ("long", long, parts)):
            for number in range(1, count + 1):
                sender.put_part(key, upload, number, b"")
        pages = {
            "few parts": store.url("bench", "short", uploadId=short),
            "many parts": store.url("bench", "long", uploadId=long),
        }
        _begin_all(store, session, "few", PAGE)
        _begin_all(store, session, "bench", uploads)
        pages |= {"few uploads": store.url("few", uploads=None), "many uploads": store.url("bench", uploads=None)}
        gc.freeze()  # so that the garbage collector does not examine the uploads during the measurement
        seconds = by_turns({name: partial(session.get, url) for name, url in pages.items()}, rounds=12, batch=5)
        gc.unfreeze()
    return [
        Figure(
            topic="Growth",
            name=f"page of {PAGE:,} {noun}: {where} of {count:,} to one of {PAGE:,}",
            value=seconds[f"many {noun}"] / seconds[f"few {noun}"],
            unit="times",
            most=1.3,
        )
        for noun, where, count in (("parts", "upload", parts), ("uploads", "bucket", uploads))
    ]


def _begin_all(store: FakeStore, session: requests.Session, bucket: str, count: int) -> None:
    for number in range(count):
        session.post(store.url(bucket, f"key-{number:06}", uploads=None))
