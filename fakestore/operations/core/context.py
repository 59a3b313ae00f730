"""One call of an operation: the request, who makes it, when, and the store it is made to."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from threading import RLock
from typing import NamedTuple
from urllib.parse import quote

from fakestore.documents.xml import LONGEST_DOCUMENT
from fakestore.http.fields import http_date, read_integer
from fakestore.http.messages import Request
from fakestore.model.accounts import Account
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import SPARSE_MD5_LIMIT, Content, SparseContent, entity_tag
from fakestore.model.errors import (
    BAD_DIGEST,
    ENTITY_TOO_LARGE,
    INCOMPLETE_BODY,
    INVALID_ARGUMENT,
    INVALID_DIGEST,
    MISSING_CONTENT_LENGTH,
    ErrorCode,
)
from fakestore.model.limits import Limits
from fakestore.model.object_version import ObjectVersion
from fakestore.model.state import State
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.model.version_ids import VersionId
from fakestore.model.versioning import Versioning
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import Address


class Received(NamedTuple):
    """A body that was read: its content and the hexadecimal MD5 or multipart-style tag of it."""

    content: Content
    digest: str


class HeldBucket:
    """A bucket by name, for a ``with`` block that holds the store's lock."""

    __slots__ = ("_call", "_name")

    def __init__(self, call: Call, name: str) -> None:
        self._call = call
        self._name = name

    def __enter__(self) -> BucketRecord:
        call = self._call
        call.lock.acquire()
        try:
            found = call.state.bucket(self._name)
            found.apply_lifecycle(call.now)
        except BaseException:
            call.lock.release()
            raise
        return found

    def __exit__(self, *_: object) -> None:
        self._call.lock.release()


@dataclass(slots=True, eq=False)
class Call:
    """What an operation is given. The only way to a bucket is :meth:`bucket`, which holds the store's lock.

    ``ids`` are the request id and id-2 of the reply. ``own_headers`` are the dialect's, by name without prefix.
    ``interrupted`` is the error that a copy meets half-way, where a test asked for one. For the journal: ``received``
    is the body once it was read, ``continued`` whether a client that waited for it was told to go on, ``version_id``
    the version that the call was about, and ``explanations`` say why parts of it were refused.
    """

    request: Request
    address: Address
    account: Account
    now: datetime
    state: State
    lock: RLock
    limits: Limits
    dialect: Dialect
    ids: tuple[str, str]
    own_headers: dict[str, str]
    interrupted: ErrorCode | None = None
    continued: bool = False
    received: Received | None = None
    version_id: str | None = None
    explanations: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The key of the request's object; only for operations on objects."""
        assert self.address.key is not None
        return self.address.key

    @property
    def named_version(self) -> str | None:
        """The value of ``versionId`` in the query."""
        return self.address.query.get("versionId")

    def bucket(self, name: str | None = None) -> HeldBucket:
        """The request's bucket, or another, as it is now and until the block is left; lifecycle rules have acted.

        Raises:
            ErrorResponse: NoSuchBucket.
        """
        return HeldBucket(self, self.address.bucket or "" if name is None else name)

    def version_headers(self, bucket: BucketRecord, version_id: VersionId | None) -> dict[str, str]:
        """The version id header, where the bucket was ever versioned; notes the version for the journal."""
        self.version_id = version_id
        if bucket.versioning is Versioning.NEVER or version_id is None:
            return {}
        return {f"{self.dialect.header_prefix}version-id": version_id}

    def expiration_headers(self, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
        """The expiration header, where a lifecycle rule applies to the current object ``version``."""
        expiry = bucket.expiry_of(version)
        if expiry is None:
            return {}
        # Percent-encoded: the id may hold quotes, line breaks and any script. [rule-id-is-encoded]
        value = f'expiry-date="{http_date(expiry.date)}", rule-id="{quote(expiry.rule_id, safe="")}"'
        return {f"{self.dialect.header_prefix}expiration": value}

    # -- the body

    def sends_body(self) -> bool:
        length = self.request.headers.get("content-length")
        return (length is not None and length.strip("0") != "") or "transfer-encoding" in self.request.headers

    def receive(self, *, longest: int | None = None) -> Received:
        """Read the body that the headers announce, and check it against them; kept in ``received``.

        The headers are judged before the body is touched. Bytes in memory are taken by reference; what has to be
        read is read in chunks and held once.

        Args:
            longest: the most bytes; the limit of one object where it is not given.

        Raises:
            ErrorResponse: MissingContentLength, InvalidArgument, EntityTooLarge, InvalidDigest, IncompleteBody or
                BadDigest.
        """
        announced = self._announced_length(self.limits.object_size if longest is None else longest)
        expected_md5 = self._announced_md5()
        self.continued = "expect" in self.request.headers
        received = self._read(announced)
        if expected_md5 is not None:
            calculated = received.digest
            if isinstance(received.content, SparseContent) and "-" in calculated:
                raise UnsupportedRequest(
                    f"Content-MD5 of {received.content}: the MD5 of sparse content over {SPARSE_MD5_LIMIT:,} bytes is"
                    " not computed; send it without the header"
                )
            if calculated != expected_md5.hex():
                raise BAD_DIGEST.error(
                    explanation=f"Content-MD5 says {expected_md5.hex()}, the body's MD5 is {calculated}",
                    CalculatedDigest=base64.b64encode(bytes.fromhex(calculated)).decode(),
                    ExpectedDigest=expected_md5.hex(),
                )
        self.received = received
        return received

    def receive_document(self) -> bytes:
        """The body where it is a document of the service's, as bytes.

        Raises:
            ErrorResponse: as :meth:`receive`; EntityTooLarge over 2 MiB.
        """
        return bytes(self.receive(longest=LONGEST_DOCUMENT).content)

    def _announced_length(self, longest: int) -> int:
        value = self.request.headers.get("content-length")
        if value is None:
            raise MISSING_CONTENT_LENGTH.error(
                explanation="the request has no Content-Length: a generator or an empty file is sent chunked by"
                " requests; send bytes, or a file that is not empty, or set the header"
            )
        length = read_integer(value)
        if length is None and not (value.isascii() and value.isdigit()):
            raise INVALID_ARGUMENT.error(
                explanation=f"Content-Length is {value!r}, which is no number of bytes",
                ArgumentName="Content-Length",
                ArgumentValue=value,
            )
        if length is None or length > longest:
            raise ENTITY_TOO_LARGE.error(
                explanation=f"the body is announced with {value} bytes; {longest:,} is the most",
                ProposedSize=value,
                MaxSizeAllowed=str(longest),
            )
        return length

    def _announced_md5(self) -> bytes | None:
        value = self.request.headers.get("content-md5")
        if value is None:
            return None
        try:
            digest = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            digest = b""
        if len(digest) != 16:
            raise INVALID_DIGEST.error(
                explanation=f"Content-MD5 is {value!r}, which is not the base64 of 16 bytes",
                Content_MD5=value,
            )
        return digest

    def _read(self, announced: int) -> Received:
        content = self.request.body
        if not isinstance(content, bytes | SparseContent):
            return self._read_chunks(announced)
        if len(content) != announced:
            raise self._incomplete(announced, len(content))
        return Received(content, entity_tag(content))

    def _read_chunks(self, announced: int) -> Received:
        assert not isinstance(self.request.body, bytes | SparseContent)
        buffer = BytesIO()
        digest = hashlib.md5(usedforsecurity=False)
        size = 0
        for chunk in self.request.body:
            size += len(chunk)
            if size > announced:
                raise self._incomplete(announced, size)
            buffer.write(chunk)
            digest.update(chunk)
        if size != announced:
            raise self._incomplete(announced, size)
        return Received(buffer.getvalue(), digest.hexdigest())

    def _incomplete(self, announced: int, size: int) -> Exception:
        return INCOMPLETE_BODY.error(
            explanation=f"Content-Length announces {announced:,} bytes, and the body has {size:,}"
            f"{' or more' if size > announced else ''}"
        )
