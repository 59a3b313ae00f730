"""The owner that a request expects its bucket to have."""

from __future__ import annotations

import re

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED, INVALID_BUCKET_OWNER
from fakestore.operations.core.context import RequestContext

#: The header with the number of the account, without the prefix of the dialect.
EXPECTED_OWNER_HEADER = "expected-bucket-owner"
#: The same for the bucket of a copy's source.
EXPECTED_SOURCE_OWNER_HEADER = "source-expected-bucket-owner"
_NUMBER = "[0-9]{12}"


def parse_expected_owner(context: RequestContext, name: str = EXPECTED_OWNER_HEADER) -> str | None:
    """Return the number of the account that must own the bucket, or None if any may.

    Raises:
        ErrorResponse: InvalidBucketOwnerAWSAccountID.
    """
    value = context.service_headers.get(name)
    if value is not None and not re.fullmatch(_NUMBER, value):
        raise INVALID_BUCKET_OWNER.error(
            f"{INVALID_BUCKET_OWNER.message} [{value}]",
            explanation=f"{context.dialect.header(name)} is {value!r}; expected the 12 digits of Account.number",
        )
    return value


def check_expected_owner(expected: str, bucket: BucketRecord) -> None:
    """Check that the bucket belongs to the account with the number `expected`.

    Raises:
        ErrorResponse: AccessDenied.
    """
    if expected != bucket.owner.number:
        raise ACCESS_DENIED.error(
            explanation=f"the request expects account {expected} to own bucket {bucket.name!r}, which belongs to"
            f" {bucket.owner} ({bucket.owner.number})"
        )
