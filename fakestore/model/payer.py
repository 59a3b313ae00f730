"""Who pays for the requests to a bucket."""

from __future__ import annotations

from enum import StrEnum


class Payer(StrEnum):
    """Who pays. If the requester does, other accounts than the owner's must agree to it with every request."""

    BUCKET_OWNER = "BucketOwner"
    REQUESTER = "Requester"
