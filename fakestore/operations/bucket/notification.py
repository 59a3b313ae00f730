"""Notifications about events of a bucket. The destinations are stored; the fake sends nothing to them."""

from __future__ import annotations

from fakestore.documents.notification import NotificationConfiguration
from fakestore.documents.shape import changed
from fakestore.model.bucket import BucketRecord
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.stored_configuration import Actions, StoredConfiguration, new_ids


def _add_ids(
    context: RequestContext, bucket: BucketRecord, configuration: NotificationConfiguration
) -> NotificationConfiguration:
    ids = new_ids(context)
    return changed(
        configuration,
        **{
            name: tuple(changed(each, id=each.id or next(ids)) for each in getattr(configuration, name))
            for name in ("topics", "queues", "functions")
        },
    )


StoredConfiguration(
    "notification",
    NotificationConfiguration,
    Actions("s3:GetBucketNotification", "s3:PutBucketNotification"),
    prepare=_add_ids,
    # The fake looks up no destination, with or without this header.
    service_headers=("skip-destination-validation",),
).register()
