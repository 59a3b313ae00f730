"""Continuation tokens: where the next page of a list in a bucket begins."""

from __future__ import annotations

import base64

from fakestore.errors import INVALID_ARGUMENT
from fakestore.model.bucket import BucketRecord


def make_token(bucket: BucketRecord, key: str) -> str:
    """Encode the last key with a signature, so that tokens can be verified without being stored."""
    return base64.urlsafe_b64encode(bucket.sign(key) + key.encode()).decode()


def parse_token(bucket: BucketRecord, token: str) -> str:
    """Return the key of a token."""
    try:
        raw = base64.b64decode(token, b"-_", validate=True)
        signature, key = raw[:6], raw[6:].decode()
    except ValueError:
        signature, key = b"", ""
    if signature != bucket.sign(key):
        # The public service does not repeat the value of this argument. [continuation-token]
        raise INVALID_ARGUMENT.error(
            "The continuation token provided is incorrect",
            explanation=f"no listing of this bucket returned the continuation token {token!r}",
            ArgumentName="continuation-token",
        )
    return key
