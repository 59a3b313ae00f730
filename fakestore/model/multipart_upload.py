"""Multipart uploads: objects that arrive in parts, and become visible when their upload is completed.

An upload is immutable. Each part makes a new upload, which replaces the old upload. So snapshots share what did not
change.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from operator import attrgetter

from fakestore.errors import (
    BAD_DIGEST,
    ENTITY_TOO_LARGE,
    ENTITY_TOO_SMALL,
    INVALID_PART,
    INVALID_PART_ORDER,
    INVALID_REQUEST,
    MALFORMED_XML,
    NO_SUCH_UPLOAD,
    ErrorResponse,
    invalid_argument,
)
from fakestore.messages import counted
from fakestore.model.accounts import Account
from fakestore.model.checksums import (
    Checksum,
    ChecksumMode,
    ChecksumType,
    ChecksumValues,
    compose_checksum,
    compute_checksum,
)
from fakestore.model.content import Content, join_content
from fakestore.model.entity_tag import EntityTag
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.keys import SortedKeys
from fakestore.model.object_version import NewObject, ObjectPart
from fakestore.model.semantics import MOST_PARTS, Limits
from fakestore.model.versioning import VersionIds
from fakestore.xml.declarations import TextType, child, element, integer

_number = attrgetter("number")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Part:
    """A part that was uploaded.

    Attributes:
        number: The number of the part, from 1 to 10,000.
        content: The content: ``bytes``, a :class:`SparseContent`, or, if the part was copied from an object, possibly a
            :class:`JoinedContent`.
        etag: The entity tag of the content with its quotes, a ``str``.
        last_modified: When it was uploaded, in UTC.
        checksum: The checksum of the content; None if the upload has no checksum algorithm.
    """

    number: int
    content: Content
    etag: EntityTag
    last_modified: datetime
    checksum: Checksum | None = None

    @property
    def size(self) -> int:
        """The size of the content in bytes."""
        return len(self.content)

    def __repr__(self) -> str:
        return f"<Part {self.number}: {counted(self.size, 'byte')}, {self.last_modified:%Y-%m-%d %H:%M:%S}>"


def _invalid_number(tag: str, text: str, explanation: str) -> ErrorResponse:
    if re.fullmatch(r"\s*(0+|-[0-9]+)\s*", text, re.ASCII):
        return invalid_argument(tag, text.strip(), "PartNumber must be >= 1", explanation=explanation)
    return MALFORMED_XML.error(explanation=explanation)


@element()
class CompletedPart(ChecksumValues):
    """A part as the request to complete an upload names it. The entity tag may be sent with or without its quotes."""

    number: int = child("PartNumber", kind=integer(1, MOST_PARTS), invalid=_invalid_number)
    etag: EntityTag = child("ETag", kind=TextType(lambda text: EntityTag.parse(text.strip())))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MultipartUpload:
    """An upload that is neither completed nor aborted.

    Attributes:
        key: The key that the object will have when the upload is completed.
        upload_id: The id that the store issued.
        initiated: When it began, in UTC.
        initiator: The account that began it.
        parts: The parts in the order of their numbers.
    """

    key: str
    upload_id: str
    initiated: datetime
    initiator: Account
    #: The object as the initiating request describes it, without content.
    new: NewObject
    #: How the parts and the object are checked; None if the upload has no checksum algorithm.
    checksum_mode: ChecksumMode | None
    #: Headers of the initiating request on which a policy can have conditions. The names have no prefix.
    headers: FrozenMapping
    parts: tuple[Part, ...] = ()
    #: Whether the key was written or deleted since the upload began.
    key_was_written: bool = False

    @property
    def size(self) -> int:
        """The size of all parts together, in bytes."""
        return sum(part.size for part in self.parts)

    def part(self, number: int) -> Part | None:
        """Return the part with this number, or None."""
        place = bisect_left(self.parts, number, key=_number)
        match = self.parts[place : place + 1]
        return match[0] if match and match[0].number == number else None

    def parts_after(self, number: int, count: int) -> tuple[Part, ...]:
        """Return at most ``count`` parts with higher numbers than ``number``, in time proportional to ``count``."""
        place = bisect_right(self.parts, number, key=_number)
        return self.parts[place : place + count]

    def with_part(self, part: Part) -> MultipartUpload:
        """Return the upload with a further part, which replaces the part with the same number."""
        start = bisect_left(self.parts, part.number, key=_number)
        stop = bisect_right(self.parts, part.number, key=_number)
        return replace(self, parts=(*self.parts[:start], part, *self.parts[stop:]))

    def complete(self, named: Sequence[CompletedPart], limits: Limits) -> NewObject:
        """Return the object from the named parts. No bytes are copied.

        The numbers ascend, and numbers may be missing between them unless each part is named with a checksum. Every
        part except the last one has at least the smallest accepted size. Parts that are not named are dropped.

        Raises:
            ErrorResponse: InvalidRequest, InvalidPartOrder, InvalidPart, BadDigest, EntityTooSmall or EntityTooLarge.
        """
        parts = self._named_parts(named)
        self._check_sizes(parts, limits)
        content = join_content(part.content for part in parts)
        return replace(
            self.new,
            content=content,
            etag=EntityTag.of_parts([part.etag for part in parts]),
            parts=tuple(ObjectPart(part.size, part.checksum) for part in parts),
            checksum=self._checksum(parts, content),
        )

    def _checksum(self, parts: Sequence[Part], content: Content) -> Checksum | None:
        mode = self.checksum_mode
        if mode is None:
            return None
        if mode.type is ChecksumType.FULL_OBJECT:
            return compute_checksum(mode.algorithm, content)
        return compose_checksum(mode.algorithm, [part.checksum for part in parts if part.checksum is not None])

    def _named_parts(self, named: Sequence[CompletedPart]) -> list[Part]:
        if not named:
            raise INVALID_REQUEST.error(
                "You must specify at least one part",
                explanation="the request names no part; send a CompleteMultipartUpload document that lists the parts",
            )
        for earlier, later in pairwise(named):
            if earlier.number >= later.number:
                raise INVALID_PART_ORDER.error(
                    explanation=f"part {later.number} comes after part {earlier.number}; list the parts by ascending"
                    " numbers, each once",
                    UploadId=self.upload_id,
                )
        self._check_gaps(named)
        return [self._named_part(each) for each in named]

    def _check_gaps(self, named: Sequence[CompletedPart]) -> None:
        """Check that the numbers begin with 1 and have no gaps, if each part has a checksum. [checksums-of-parts]"""
        if self.checksum_mode is None or not all(part.checksums for part in named):
            return
        for expected, part in enumerate(named, 1):
            if part.number != expected:
                raise INVALID_PART_ORDER.error(
                    explanation=f"part {expected} is missing before part {part.number}; parts that are named with"
                    " checksums begin with 1 and follow each other",
                    UploadId=self.upload_id,
                )

    def _named_part(self, named: CompletedPart) -> Part:
        part = self.part(named.number)
        if part is None:
            numbers = ", ".join(str(each.number) for each in self.parts[:20]) or "none"
            raise self._invalid_part(named, f"part {named.number} was not uploaded; uploaded parts: {numbers}")
        if part.etag != named.etag:
            raise self._invalid_part(named, f"the entity tag of part {named.number} is {part.etag}, not {named.etag}")
        self._check_checksums(named, part)
        return part

    def _check_checksums(self, named: CompletedPart, part: Part) -> None:
        """Check the checksums of a part in the request. [checksums-of-parts]"""
        mode, stated = self.checksum_mode, named.checksums
        if mode is None:
            if stated:
                raise self._invalid_part(named, "the upload has no checksum algorithm; omit the checksums of its parts")
            return
        for checksum in stated:
            if checksum.algorithm is not mode.algorithm:
                raise BAD_DIGEST.error(
                    f"The {checksum.algorithm.lower()} you specified for part {named.number} did not match what we"
                    " received.",
                    explanation=f"the upload was begun with {mode.algorithm}; send the {mode.algorithm} of each part",
                )
            if checksum != part.checksum:
                raise self._invalid_part(
                    named, f"the {mode.algorithm} of part {named.number} is not {checksum.value!r}"
                )
        if not stated and mode.type is ChecksumType.COMPOSITE:
            raise INVALID_REQUEST.error(
                f"The upload was created using a {mode.algorithm.lower()} checksum. The complete request must include"
                f" the checksum for each part. It was missing for part {named.number} in the request."
            )

    def _invalid_part(self, named: CompletedPart, explanation: str) -> ErrorResponse:
        return INVALID_PART.error(
            explanation=explanation, UploadId=self.upload_id, PartNumber=str(named.number), ETag=named.etag.unquoted
        )

    def _check_sizes(self, parts: Sequence[Part], limits: Limits) -> None:
        for part in parts[:-1]:
            if part.size < limits.min_part_size:
                raise ENTITY_TOO_SMALL.error(
                    explanation=f"part {part.number} has {counted(part.size, 'byte')}, fewer than the"
                    f" {limits.min_part_size:,} that every part but the last one must have; use"
                    " fake_store(limits=Limits(min_part_size=...)) for tests with small parts",
                    ProposedSize=str(part.size),
                    MinSizeAllowed=str(limits.min_part_size),
                    PartNumber=str(part.number),
                    ETag=part.etag.unquoted,
                )
        size = sum(part.size for part in parts)
        if size > limits.object_size:
            raise ENTITY_TOO_LARGE.error(
                explanation=f"the parts have {counted(size, 'byte')} together, more than the {limits.object_size:,}"
                " that an object may have",
                ProposedSize=str(size),
                MaxSizeAllowed=str(limits.object_size),
            )

    def __repr__(self) -> str:
        return (
            f"<MultipartUpload {self.key!r} {self.upload_id}: {counted(len(self.parts), 'part')},"
            f" {counted(self.size, 'byte')},"
            f" {self.initiated:%Y-%m-%d %H:%M:%S}, of {self.initiator}>"
        )


class UploadIndex:
    """The uploads of a bucket by their keys and ids. Iterating yields the uploads in progress."""

    def __init__(self, ids: VersionIds) -> None:
        self._ids = ids
        #: The uploads in progress of each key, by their ids, in the order in which they began.
        self._uploads: dict[str, dict[str, MultipartUpload]] = {}
        #: The key of each upload in progress, by its id.
        self._key_of: dict[str, str] = {}
        #: The keys that have uploads in progress.
        self.keys = SortedKeys()
        #: The uploads that were completed or aborted, without their parts, by their keys and ids.
        self._ended: dict[tuple[str, str], MultipartUpload] = {}
        #: The id and the named parts of the upload that made the current object, by its key. The request that completed
        #: the upload can be repeated until the key is written or deleted. [completing-twice]
        self._completions: dict[str, tuple[str, tuple[CompletedPart, ...]]] = {}

    def find(self, key: str, upload_id: str) -> MultipartUpload | None:
        """Return the upload of ``key`` with this id, also if it ended, or None."""
        return self._uploads.get(key, {}).get(upload_id) or self._ended.get((key, upload_id))

    def completed_parts(self, key: str, upload_id: str) -> tuple[CompletedPart, ...] | None:
        """Return the named parts of an upload if it made the object that ``key`` still has, or None."""
        completion = self._completions.get(key)
        if completion is None:
            return None
        completed_id, named = completion
        return named if completed_id == upload_id else None

    def get(self, key: str, upload_id: str) -> MultipartUpload:
        upload = self._uploads.get(key, {}).get(upload_id)
        if upload is not None:
            return upload
        other_key = self._key_of.get(upload_id)
        if other_key is not None:
            explanation = f"the upload {upload_id} is for key {other_key!r}, not for {key!r}"
        elif self._ids.is_issued_upload_id(upload_id):
            explanation = f"the bucket has no upload {upload_id}: it was completed or aborted, or is for another bucket"
        else:
            explanation = f"this store never issued the upload id {upload_id!r}"
        raise NO_SUCH_UPLOAD.error(explanation=explanation, UploadId=upload_id)

    def of_key(self, key: str) -> list[MultipartUpload]:
        """Return the uploads of ``key`` that are in progress, in the order in which they began."""
        return list(self._uploads.get(key, {}).values())

    def after(self, key: str, upload_id: str) -> list[MultipartUpload]:
        """Return the uploads of ``key`` that began after ``upload_id``.

        The upload ``upload_id`` may have been completed or aborted meanwhile. [marker-of-a-finished-upload]
        """
        if not self._ids.is_issued_upload_id(upload_id) or self._key_of.get(upload_id, key) != key:
            raise invalid_argument(
                "upload-id-marker",
                upload_id,
                "Invalid uploadId marker",
                explanation=f"upload-id-marker is {upload_id!r}, which is not an upload of key {key!r}",
            )
        uploads, number_of = self.of_key(key), self._ids.upload_number
        start = bisect_right(uploads, number_of(upload_id), key=lambda each: number_of(each.upload_id))
        return uploads[start:]

    def add(self, upload: MultipartUpload) -> None:
        """Add an upload, or replace the upload with the same id."""
        self._uploads.setdefault(upload.key, {})[upload.upload_id] = upload
        self._key_of[upload.upload_id] = upload.key
        self.keys.mark(upload.key, present=True)

    def end(self, upload: MultipartUpload, named: tuple[CompletedPart, ...] | None = None) -> None:
        """End an upload. If it has ended already, nothing happens.

        Args:
            named: The parts that make the object; None if the upload is aborted.
        """
        uploads = self._uploads.get(upload.key, {})
        if uploads.pop(upload.upload_id, None) is None:
            return
        del self._key_of[upload.upload_id]
        self._ended[upload.key, upload.upload_id] = replace(upload, parts=())
        if named is not None:
            self._completions[upload.key] = upload.upload_id, named
        if not uploads:
            del self._uploads[upload.key]
            self.keys.mark(upload.key, present=False)

    def note_write(self, key: str) -> None:
        """Note that the key was written or deleted.

        A conditional request to complete its uploads then conflicts, and a completion cannot be repeated any more.
        """
        self._completions.pop(key, None)
        for upload in self.of_key(key):
            if not upload.key_was_written:
                self.add(replace(upload, key_was_written=True))

    def copy(self) -> UploadIndex:
        other = UploadIndex(self._ids)
        other._uploads = {key: uploads.copy() for key, uploads in self._uploads.items()}
        other._key_of, other.keys = self._key_of.copy(), self.keys.copy()
        other._ended, other._completions = self._ended.copy(), self._completions.copy()
        return other

    def __iter__(self) -> Iterator[MultipartUpload]:
        """Yield the uploads by their keys, and the uploads of a key in the order in which they began."""
        for key in self.keys:
            yield from self.of_key(key)
