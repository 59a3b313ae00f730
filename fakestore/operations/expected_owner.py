"""The expected owner of the bucket of a request."""

from __future__ import annotations

import re

from fakestore.errors import ACCESS_DENIED, INVALID_BUCKET_OWNER
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import Sent, header
from fakestore.operations.framework.parameters import Guard

_NUMBER = "[0-9]{12}"


def parse_account_number(sent: Sent) -> str:
    """Return the number of the account that must own the bucket."""
    if not re.fullmatch(_NUMBER, sent.text):
        raise INVALID_BUCKET_OWNER.error(
            f"{INVALID_BUCKET_OWNER.message} [{sent.text}]",
            explanation=f"{sent.name} is {sent.text!r}; expected the 12 digits of Account.number",
        )
    return sent.text


def check_expected_owner(expected: str | None, bucket: BucketRecord) -> None:
    """Check that the bucket belongs to the account with the number `expected`; None accepts any owner."""
    if expected not in (None, bucket.owner.number):
        raise ACCESS_DENIED.error(
            explanation=f"the request expects account {expected} to own bucket {bucket.name!r}, which belongs to"
            f" {bucket.owner} ({bucket.owner.number})"
        )


class ExpectedOwner(Guard):
    """The bucket has the owner that the request expects. The number must be valid even if no such bucket exists."""

    number: str | None = header("expected-bucket-owner", parse_account_number)

    def check_bucket(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the account with the number owns the bucket."""
        check_expected_owner(self.number, bucket)
