"""The CopyObjectResult document."""

from __future__ import annotations

from datetime import datetime

from fakestore.documents.checksums import ChecksumElements
from fakestore.model.shape import child, document
from fakestore.model.text_types import TextType, parse_timestamp

#: To the second and without a time zone, as the specification, section 4.2, shows it.
_WITHOUT_ZONE = TextType(parse_timestamp, lambda moment: moment.replace(microsecond=0, tzinfo=None).isoformat())


@document("CopyObjectResult")
class CopyObjectResult(ChecksumElements):
    """The result of a copy; ``etag`` has its quotes."""

    last_modified: datetime = child("LastModified", kind=_WITHOUT_ZONE)
    etag: str = child("ETag")


@document("CopyObjectResult")
class CopyObjectResultWithZone(CopyObjectResult):
    """The result of a copy whose date has a time zone, as the dates of other documents do."""

    last_modified: datetime = child("LastModified")
