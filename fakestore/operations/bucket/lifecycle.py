"""The lifecycle rules of a bucket."""

from __future__ import annotations

from typing import ClassVar, Self

from fakestore.documents.lifecycle import LifecycleConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST, NO_SUCH_LIFECYCLE
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.protocol.routing import Route

_SIZE_HEADER = "transition-default-minimum-object-size"
_SIZES = ("all_storage_classes_128K", "varies_by_storage_class")
_PUT_LIFECYCLE = Access("s3:PutLifeCycleConfiguration", BUCKET_OWNER)


@parameters
class TransitionSize(Parameters):
    """The size below which objects are not moved to another storage class. It is stored and returned."""

    service_headers: ClassVar[tuple[str, ...]] = (_SIZE_HEADER,)

    value: str | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the header.

        Raises:
            ErrorResponse: InvalidRequest, if the value is unknown.
        """
        value = context.service_headers.get(_SIZE_HEADER)
        if value is not None and value not in _SIZES:
            raise INVALID_REQUEST.error(
                f"Invalid TransitionDefaultMinimumObjectSize found: {value}",
                explanation=f"{context.dialect.header(_SIZE_HEADER)} is {value!r}; expected {' or '.join(_SIZES)}",
            )
        return cls(value)


def _size_headers(context: RequestContext, bucket: BucketRecord) -> dict[str, str]:
    value = bucket.transition_minimum_size or context.semantics.default_transition_minimum_size
    return {} if value is None else {_SIZE_HEADER: value}


@operation(
    "GET Bucket lifecycle",
    Route("GET", "bucket", "lifecycle"),
    access=Access("s3:GetLifecycleConfiguration", BUCKET_OWNER),
)
def get_bucket_lifecycle(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the lifecycle rules."""
    if bucket.lifecycle is None:
        raise NO_SUCH_LIFECYCLE.error(
            explanation=f"bucket {bucket.name!r} has no lifecycle rules", BucketName=bucket.name
        )
    return Result(
        document=LifecycleConfiguration.from_lifecycle(bucket.lifecycle), service_headers=_size_headers(context, bucket)
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
    bucket.lifecycle = configuration.to_lifecycle()
    bucket.transition_minimum_size = size.value
    return Result(service_headers=_size_headers(context, bucket))


@operation("DELETE Bucket lifecycle", Route("DELETE", "bucket", "lifecycle"), access=_PUT_LIFECYCLE)
def delete_bucket_lifecycle(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the lifecycle rules."""
    bucket.lifecycle = None
    return NO_CONTENT
