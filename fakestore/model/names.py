"""The rules for the names of buckets and headers, and for keys."""

from __future__ import annotations

import re

from fakestore.errors import INVALID_BUCKET_NAME, KEY_TOO_LONG

#: The maximum length of a key in UTF-8 bytes.
KEY_BYTES = 1024

#: The beginning of the ARN of a bucket, an object or a pattern.
ARN_PREFIX = "arn:aws:s3:::"

_BUCKET_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]", re.ASCII)
DOTTED_NUMBERS = re.compile(r"\d+(\.\d+){3}", re.ASCII)


def is_bucket_name(name: str) -> bool:
    """Return whether a bucket can have this name: a DNS name of 3 to 63 characters. [bucket-names]"""
    return _BUCKET_NAME.fullmatch(name) is not None and not DOTTED_NUMBERS.fullmatch(name)


def check_bucket_name(name: str) -> None:
    if not is_bucket_name(name):
        raise INVALID_BUCKET_NAME.error(
            explanation=f"{name!r} is not a valid bucket name: use 3 to 63 lower-case letters, digits, hyphens and"
            " single dots, with a letter or digit at both ends, and not the form of an IP address",
            BucketName=name,
        )


def check_key(key: str) -> None:
    """Check the length of a key, which is never normalised.

    The caller has checked that it is not empty and has a UTF-8 form.
    """
    size = len(key.encode())
    if size > KEY_BYTES:
        raise KEY_TOO_LONG.error(
            explanation=f"the key has {size:,} bytes of UTF-8; the maximum is {KEY_BYTES:,}",
            Size=str(size),
            MaxSizeAllowed=str(KEY_BYTES),
        )


def is_header_name(text: str) -> bool:
    """Return whether a header can have this name (RFC 9110, section 5.6.2)."""
    return re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text) is not None
