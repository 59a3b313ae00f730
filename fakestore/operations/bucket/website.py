"""The website of a bucket. Its configuration is stored; the fake does not answer at the hosts of websites."""

from __future__ import annotations

from fakestore.documents.website import WebsiteConfiguration
from fakestore.model.errors import NO_SUCH_WEBSITE
from fakestore.operations.bucket.stored_configuration import Actions, StoredConfiguration

StoredConfiguration(
    "website",
    WebsiteConfiguration,
    Actions("s3:GetBucketWebsite", "s3:PutBucketWebsite", "s3:DeleteBucketWebsite"),
    missing=NO_SUCH_WEBSITE,
).register()
