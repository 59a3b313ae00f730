"""The lifecycle rules of a bucket."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from fakestore.documents.lifecycle import LifecycleConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST, NO_SUCH_LIFECYCLE
from fakestore.model.lifecycle import Lifecycle
from fakestore.model.transition_minimum import TransitionMinimum
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.protocol.routing import Route

_SIZE_HEADER = "transition-default-minimum-object-size"
#: The specification writes this name with a capital C. The names of actions are compared without case.
_PUT_LIFECYCLE = Access("s3:PutLifeCycleConfiguration", BUCKET_OWNER)


@parameters
class TransitionSize(Parameters):
    """Which objects are too small to be moved to another storage class."""

    service_headers: ClassVar[tuple[str, ...]] = (_SIZE_HEADER,)

    value: TransitionMinimum | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the header.

        Raises:
            ErrorResponse: InvalidRequest, if the value is unknown.
        """
        text = context.service_headers.get(_SIZE_HEADER)
        if text is None:
            return cls(None)
        if text not in list(TransitionMinimum):
            raise INVALID_REQUEST.error(
                f"Invalid TransitionDefaultMinimumObjectSize found: {text}",
                explanation=f"{context.dialect.header(_SIZE_HEADER)} is {text!r}; expected"
                f" {' or '.join(TransitionMinimum)}",
            )
        return cls(TransitionMinimum(text))


def _size_headers(bucket: BucketRecord) -> dict[str, str]:
    value = None if bucket.lifecycle is None else bucket.lifecycle.transition_minimum
    return {} if value is None else {_SIZE_HEADER: value}


@operation(
    "GET Bucket lifecycle",
    Route("GET", "bucket", "lifecycle"),
    access=Access("s3:GetLifecycleConfiguration", BUCKET_OWNER),
)
def get_bucket_lifecycle(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the lifecycle rules."""
    if bucket.lifecycle is None:
        raise bucket.missing(NO_SUCH_LIFECYCLE, "lifecycle rules")
    return Result(
        document=LifecycleConfiguration.from_lifecycle(bucket.lifecycle), service_headers=_size_headers(bucket)
    )


@operation(
    "PUT Bucket lifecycle",
    Route("PUT", "bucket", "lifecycle"),
    access=_PUT_LIFECYCLE,
    parameters=TransitionSize,
    body=LifecycleConfiguration,
)
def put_bucket_lifecycle(
    context: RequestContext, bucket: BucketRecord, size: TransitionSize, configuration: LifecycleConfiguration
) -> Result:
    """Replace the lifecycle rules."""
    lifecycle = replace(configuration.to_lifecycle(), transition_minimum=size.value)
    _check_storage_classes(context, lifecycle)
    bucket.lifecycle = lifecycle
    return Result(service_headers=_size_headers(bucket))


def _check_storage_classes(context: RequestContext, lifecycle: Lifecycle) -> None:
    """Check that the service has the storage classes to which the rules move objects. [transitions]

    Raises:
        UnsupportedRequest: If it does not have one of them.
    """
    known = context.semantics.storage_classes
    for rule in lifecycle.rules:
        unknown = sorted(rule.storage_classes - known)
        if unknown:
            raise UnsupportedRequest(
                f"PUT Bucket lifecycle: a rule moves objects to {unknown[0]}, which the dialect"
                f" {context.dialect.name!r} does not have; its storage classes: {', '.join(sorted(known))}"
            )


@operation("DELETE Bucket lifecycle", Route("DELETE", "bucket", "lifecycle"), access=_PUT_LIFECYCLE)
def delete_bucket_lifecycle(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the lifecycle rules."""
    bucket.lifecycle = None
    return NO_CONTENT
