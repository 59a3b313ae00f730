"""The headers of every request for a bucket or an object."""

from __future__ import annotations

from fakestore.operations.core.expected_owner import parse_account_number
from fakestore.operations.core.fields import header
from fakestore.operations.core.parameters import Fields, parameters
from fakestore.operations.core.request_payment import REQUEST_PAYER_HEADER


@parameters
class BucketHeaders(Fields):
    """What a request says about the bucket that it names.

    Args:
        expected_owner: The number of the account that must own the bucket; None if any may.
        payer: Who pays for the request. It is judged when the bucket is known.
    """

    expected_owner: str | None = header("expected-bucket-owner", parse_account_number)
    payer: str | None = header(REQUEST_PAYER_HEADER)
