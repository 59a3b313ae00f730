"""The lifecycle rules of a bucket."""

from __future__ import annotations

from dataclasses import replace

from fakestore.documents.lifecycle import LifecycleConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST, NO_SUCH_LIFECYCLE
from fakestore.model.lifecycle import Lifecycle
from fakestore.model.transition_minimum import TransitionMinimum
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.bucket.setting import Actions, Setting
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.fields import choice, header
from fakestore.operations.core.parameters import Parameters, parameters

_SIZE_HEADER = "transition-default-minimum-object-size"

_SIZE = choice(
    TransitionMinimum,
    lambda name, text, explanation: INVALID_REQUEST.error(
        f"Invalid TransitionDefaultMinimumObjectSize found: {text}", explanation=explanation
    ),
)


@parameters
class TransitionSize(Parameters):
    """Which objects are too small to be moved to another storage class."""

    value: TransitionMinimum | None = header(_SIZE_HEADER, _SIZE)


def _size_headers(bucket: BucketRecord) -> dict[str, str]:
    value = None if bucket.lifecycle is None else bucket.lifecycle.transition_minimum
    return {} if value is None else {_SIZE_HEADER: value}


def _read(bucket: BucketRecord) -> LifecycleConfiguration | None:
    return None if bucket.lifecycle is None else LifecycleConfiguration.from_lifecycle(bucket.lifecycle)


def _lifecycle(
    context: RequestContext, bucket: BucketRecord, size: TransitionSize, document: LifecycleConfiguration
) -> Lifecycle:
    lifecycle = replace(document.to_lifecycle(), transition_minimum=size.value)
    _check_storage_classes(context, lifecycle)
    return lifecycle


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


# The specification writes the second action with a capital C. The names of actions are compared without case.
Setting(
    "lifecycle",
    "BucketLifecycleConfiguration",
    LifecycleConfiguration,
    Actions("s3:GetLifecycleConfiguration", "s3:PutLifeCycleConfiguration", "s3:PutLifeCycleConfiguration"),
    attribute="lifecycle",
    missing=NO_SUCH_LIFECYCLE,
    title="lifecycle rules",
    read=_read,
    prepare=_lifecycle,
    parameters=TransitionSize,
    reply_headers=_size_headers,
    delete_api_name="BucketLifecycle",
).register()
