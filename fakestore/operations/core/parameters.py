"""Parameters: what an operation reads from the query and the headers of a request, as one frozen value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar, dataclass_transform

from fakestore.model.bucket import BucketRecord
from fakestore.operations.core.authorization import Access
from fakestore.operations.core.context import RequestContext

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True)
def parameters(cls: type[_Class]) -> type[_Class]:
    """Make a class of parameters or conditions a dataclass that type checkers treat as frozen.

    It has no comparison and no representation, which nothing needs, and which take half of the time of the import. It
    is not frozen when it runs, because a frozen dataclass takes six times as long to make, for every request.
    """
    return dataclass(slots=True, eq=False, repr=False, match_args=False)(cls)


class Parameters(ABC):
    """What an operation reads from the query and the headers. Implementations have the decorator :func:`parameters`.

    The registry accepts the names that a class lists, so a row need not repeat them.
    """

    #: Query parameters.
    query: ClassVar[tuple[str, ...]] = ()
    #: Headers of the dialect, without its prefix. ``meta-*`` stands for every one of user metadata.
    service_headers: ClassVar[tuple[str, ...]] = ()
    #: Standard headers that mean something only to operations that list them.
    standard_headers: ClassVar[tuple[str, ...]] = ()

    @classmethod
    @abstractmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the parameters of a request.

        Raises:
            ErrorResponse: If a value is invalid.
        """

    @property
    def required_access(self) -> tuple[Access, ...]:
        """What the requester needs in addition to the access of the operation."""
        return ()


class Preconditions(ABC):
    """Conditions that the framework checks before the body is read, and again before the operation is applied.

    The registry accepts the names that a class lists, like the names that :class:`Parameters` lists.
    """

    #: Headers of the dialect, without its prefix.
    service_headers: ClassVar[tuple[str, ...]] = ()
    #: Standard headers.
    standard_headers: ClassVar[tuple[str, ...]] = ()

    @classmethod
    @abstractmethod
    def parse(cls, context: RequestContext) -> Self | None:
        """Read the conditions of a request, and return None if it has none.

        Raises:
            ErrorResponse: If the service does not accept a condition.
        """

    @abstractmethod
    def check(self, bucket: BucketRecord, key: str) -> None:
        """Check the conditions.

        Raises:
            ErrorResponse: If a condition does not hold.
        """
