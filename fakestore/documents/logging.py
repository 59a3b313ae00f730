"""The BucketLoggingStatus document."""

from __future__ import annotations

from fakestore.model.acl import GrantElement
from fakestore.model.errors import MALFORMED_XML
from fakestore.model.shape import child, children, document, element


@element()
class SimplePrefix:
    """The names of logs begin with the prefix alone."""


@element()
class PartitionedPrefix:
    """The names of logs contain the account, the region and the date."""

    date_source: str = child("PartitionDateSource", choices={name: name for name in ("EventTime", "DeliveryTime")})


@element()
class KeyFormat:
    """The form of the names of logs."""

    simple: SimplePrefix | None = child("SimplePrefix", default=None)
    partitioned: PartitionedPrefix | None = child("PartitionedPrefix", default=None)

    def validate(self) -> None:
        """Refuse a format with both forms, or neither.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if (self.simple is None) == (self.partitioned is None):
            raise MALFORMED_XML.error(
                explanation="<TargetObjectKeyFormat> needs either <SimplePrefix> or <PartitionedPrefix>"
            )


@element()
class LoggingEnabled:
    """Where logs are stored."""

    bucket: str = child("TargetBucket")
    grants: tuple[GrantElement, ...] = children("Grant", inside="TargetGrants", default=())
    key_format: KeyFormat | None = child("TargetObjectKeyFormat", default=None)
    prefix: str = child("TargetPrefix")


@document("BucketLoggingStatus")
class BucketLoggingStatus:
    """Where the access logs of a bucket are stored. An empty document means that it has none."""

    enabled: LoggingEnabled | None = child("LoggingEnabled", default=None)
