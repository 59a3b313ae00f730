"""Inputs: the values in the query and the headers of a request. A function receives them by their types."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, dataclass_transform

from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import Access, authorize
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.fields import Field, header, headers, query, standard_header, value


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(header, headers, query, standard_header, value)
)
@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Values of a request that are read together, in the order in which they are declared.

    Each subclass is a frozen dataclass. Classes of several operations can inherit common fields from a base.
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

    def check(self, call: Call, bucket: BucketRecord) -> None:
        """Refuse a request that is impossible for the bucket.

        The framework calls it before the body is read, and again if another request came between.
        """
        return


class Parameters(Inputs):
    """What an operation reads from the query and the headers."""

    #: What requests can need in addition to the access of the operation.
    further_access: ClassVar[tuple[Access, ...]] = ()

    @property
    def required_access(self) -> tuple[Access, ...]:
        """What this request needs of `further_access`."""
        return self.further_access


class Preconditions(Inputs, ABC):
    """Conditions that the framework checks before the body is read, and again before the operation is applied."""

    @abstractmethod
    def check(self, call: Call, bucket: BucketRecord) -> None:
        """Check the conditions on the object that the call writes."""


class Source(Inputs, ABC):
    """A second resource that a request names and reads, with the conditions on it."""

    #: What the requester needs.
    accesses: ClassVar[tuple[Access, ...]]

    @abstractmethod
    def bucket(self, call: Call) -> BucketRecord:
        """Return the bucket of the resource."""

    @abstractmethod
    def find(self, call: Call) -> Self:
        """Return the source with the resource that it names.

        It calls `authorize` when it has checked everything that is refused earlier. [order-of-checks]
        """

    def authorize(self, call: Call, bucket: BucketRecord, resource: Resource) -> None:
        """Check that the requester has all `accesses` to the resource."""
        for access in self.accesses:
            authorize(access, call, bucket, resource)

    @abstractmethod
    def check(self, call: Call, bucket: BucketRecord) -> None:
        """Check the conditions on the resource."""


class Guard(Inputs):
    """A check that many operations have in common. Every request for these operations may carry its headers.

    It comes before the requester is authorized. The headers are read before the bucket is looked up.
    """

    #: Whether the guard is only for operations that need a bucket.
    needs_bucket: ClassVar[bool] = True

    @staticmethod
    def headers_of_every_reply(call: Call) -> Mapping[str, str]:
        """Return standard headers that the reply has, whether or not the request is refused."""
        return {}

    @staticmethod
    def check_host(call: Call, bucket: BucketRecord) -> None:
        """Check that the host of the request leads to the bucket, before the sender is known."""

    def check_bucket(self, call: Call, bucket: BucketRecord) -> None:
        """Check a request for a bucket that exists. A second resource is not checked."""

    def reply_headers(self, call: Call, buckets: Sequence[BucketRecord]) -> Mapping[str, str]:
        """Return the headers of the dialect that a success has, before the function of the operation runs.

        Args:
            buckets: The bucket of the request, then the bucket of the source.
        """
        return {}
