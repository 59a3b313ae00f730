"""Which names a bucket and a key may have."""

from __future__ import annotations

import re

from fakestore.model.errors import INVALID_BUCKET_NAME, KEY_TOO_LONG
from fakestore.model.limits import KEY_BYTES

_BUCKET_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]", re.ASCII)
_FOUR_NUMBERS = re.compile(r"\d+(\.\d+){3}", re.ASCII)


def check_bucket_name(name: str) -> None:
    """A bucket's name is a DNS name of 3 to 63 characters, as the public service demands.

    Raises:
        ErrorResponse: InvalidBucketName.
    """
    if not _BUCKET_NAME.fullmatch(name) or _FOUR_NUMBERS.fullmatch(name):
        raise INVALID_BUCKET_NAME(
            explanation=f"{name!r} is no bucket name: 3 to 63 lower-case letters, digits, hyphens and single dots,"
            " a letter or digit at both ends, and not the form of an IP address",
            BucketName=name,
        )


def check_key(key: str) -> None:
    """A key has 1 to 1,024 bytes of UTF-8; nothing else is asked of it, and nothing in it is normalised.

    Raises:
        ErrorResponse: KeyTooLongError.
        ValueError: the key is empty, or cannot be UTF-8 (it has a lone surrogate).
        TypeError: the key is no text.
    """
    if not isinstance(key, str):
        raise TypeError(f"a key is text, not {type(key).__name__}")
    if not key:
        raise ValueError("a key has at least one character")
    # Most keys are ASCII and short, and need not be encoded to be judged.
    if key.isascii() and len(key) <= KEY_BYTES:
        return
    try:
        encoded = key.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{key!r} cannot be UTF-8, as keys are: it has a lone surrogate") from None
    if len(encoded) > KEY_BYTES:
        raise KEY_TOO_LONG(
            explanation=f"the key has {len(encoded):,} bytes of UTF-8; {KEY_BYTES:,} is the most",
            Size=str(len(encoded)),
            MaxSizeAllowed=str(KEY_BYTES),
        )
