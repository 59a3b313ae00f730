"""Parameters: the values in the query and the headers of a request that an operation reads."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Self, dataclass_transform

from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import Access, authorize
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.fields import Field, header, headers, query, standard_header, value


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(header, headers, query, standard_header, value)
)
@dataclass(frozen=True, kw_only=True)
class Fields:
    """Values of a request that are read together, in the order in which they are declared.

    Each subclass is a frozen dataclass. Classes of several operations can inherit common fields from a base. A table
    refuses a class that inherits from the class of another operation, because it would accept the names of both.
    """

    #: The fields by their names as attributes. An inherited field that is declared again keeps its place.
    fields: ClassVar[Mapping[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        declared = dataclasses.fields(dataclass(frozen=True, kw_only=True)(cls))
        cls.fields = {each.name: each.metadata["field"] for each in declared if each.metadata}

    @classmethod
    def parse(cls, call: Call) -> Self:
        """Read the fields of a request."""
        cls.check_request(call)
        parsed = cls(**{name: field.read(call) for name, field in cls.fields.items()})
        parsed.check_fields(call)
        return parsed

    @classmethod
    def check_request(cls, call: Call) -> None:
        """Refuse a request before its fields are read."""
        return

    def check_fields(self, call: Call) -> None:
        """Refuse fields that are valid alone, but not together."""
        return


class Parameters(Fields):
    """What an operation reads from the query and the headers."""

    #: What requests can need in addition to the access of the operation.
    further_access: ClassVar[tuple[Access, ...]] = ()

    @property
    def required_access(self) -> tuple[Access, ...]:
        """What this request needs of `further_access`."""
        return self.further_access


class Preconditions(Fields, ABC):
    """Conditions that the framework checks before the body is read, and again before the operation is applied."""

    @abstractmethod
    def check(self, bucket: BucketRecord, key: str) -> None:
        """Check the conditions."""


class Source(Fields, ABC):
    """A second resource that a request names and reads, with the conditions on it."""

    #: What the requester needs.
    accesses: ClassVar[tuple[Access, ...]]

    @abstractmethod
    def bucket(self, call: Call) -> BucketRecord:
        """Return the bucket of the resource."""

    @abstractmethod
    def resolve(self, call: Call) -> Any:
        """Return the resource, which the function of the operation receives as `source`.

        It calls `authorize` when it has checked everything that is refused earlier. [order-of-checks]
        """

    def authorize(self, call: Call, bucket: BucketRecord, resource: Resource) -> None:
        """Check that the requester has all `accesses` to the resource."""
        for access in self.accesses:
            authorize(access, call, bucket, resource)

    @abstractmethod
    def check(self, resource: Any, now: datetime) -> None:
        """Check the conditions on the resource."""


class Guard(Fields):
    """A check that many operations have in common. Every request for these operations may carry its headers.

    It comes before the requester is authorized. The headers are read before the bucket is looked up.
    """

    #: Whether the guard is only for operations that need a bucket.
    needs_bucket: ClassVar[bool] = True

    @staticmethod
    def headers_of_every_reply(call: Call) -> Mapping[str, str]:
        """Return standard headers that the reply has, whether or not the request is refused."""
        return {}

    def check_bucket(self, call: Call, bucket: BucketRecord) -> None:
        """Check a request for a bucket that exists. A second resource is not checked."""

    def reply_headers(self, call: Call, buckets: Sequence[BucketRecord]) -> Mapping[str, str]:
        """Return the headers of the dialect that a success has, before the function of the operation runs.

        Args:
            buckets: The bucket of the request, then the bucket of the source.
        """
        return {}
