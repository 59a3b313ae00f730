"""Notifications about events of a bucket. The destinations are stored; the fake sends nothing to them."""

from __future__ import annotations

from fakestore.documents.notification import NotificationConfiguration
from fakestore.documents.shape import changed
from fakestore.model.bucket import BucketRecord
from fakestore.operations.bucket.stored_configuration import Actions, StoredConfiguration, new_ids
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.switch_headers import parse_switch

_SKIP_VALIDATION = "skip-destination-validation"


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


def _check_header(context: RequestContext, bucket: BucketRecord) -> None:
    """Check the header about the validation of destinations. The fake never validates them. [stored-configurations]"""
    parse_switch(context, _SKIP_VALIDATION)


StoredConfiguration(
    "notification",
    NotificationConfiguration,
    Actions("s3:GetBucketNotification", "s3:PutBucketNotification"),
    check=_check_header,
    prepare=_add_ids,
    service_headers=(_SKIP_VALIDATION,),
).register()
