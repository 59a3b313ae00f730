"""The rules for the names of buckets and headers, for keys, and for the ids of rules."""

from __future__ import annotations

import re
from functools import lru_cache

from fakestore.errors import INVALID_BUCKET_NAME, KEY_TOO_LONG, invalid_argument

#: The maximum length of a key in UTF-8 bytes.
KEY_BYTES = 1024

#: The maximum length of the id of a rule, in characters.
RULE_ID_LENGTH = 255

#: The beginning of the ARN of a bucket, an object or a pattern.
ARN_PREFIX = "arn:aws:s3:::"

_BUCKET_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]", re.ASCII)
_CONTROL = re.compile(r"[\0-\x08\n-\x1f\x7f]")
DOTTED_NUMBERS = re.compile(r"\d+(\.\d+){3}", re.ASCII)


def is_bucket_name(name: str) -> bool:
    """Return whether a bucket can have this name: a DNS name of 3 to 63 characters. [bucket-names]"""
    return _BUCKET_NAME.fullmatch(name) is not None and not DOTTED_NUMBERS.fullmatch(name)


#: How the names begin and end that the public service keeps for itself.
_RESERVED_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_SUFFIXES = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")


def check_bucket_name(name: str, *, reserves_names: bool) -> None:
    """Check the name of a new bucket. `reserves_names` is whether the public service's own names are refused, too."""
    if reserves_names and (name.startswith(_RESERVED_PREFIXES) or name.endswith(_RESERVED_SUFFIXES)):
        raise INVALID_BUCKET_NAME.error(
            explanation=f"{name!r} is a reserved bucket name: it may not begin with {', '.join(_RESERVED_PREFIXES)}, or"
            f" end with {', '.join(_RESERVED_SUFFIXES)}",
            BucketName=name,
        )
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


def check_rule_id(rule_id: str | None) -> None:
    """Check the length of the id of a rule in a configuration."""
    if rule_id is not None and len(rule_id) > RULE_ID_LENGTH:
        raise invalid_argument(
            "ID",
            rule_id,
            f"ID length should not exceed allowed limit of {RULE_ID_LENGTH}",
            explanation=f"<ID> has {len(rule_id):,} characters; expected {RULE_ID_LENGTH} at most",
        )


@lru_cache(maxsize=1024)  # for every header of a request
def is_header_name(text: str) -> bool:
    """Return whether a header can have this name (RFC 9110, section 5.6.2)."""
    return re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text) is not None


def is_header_value(text: str) -> bool:
    """Return whether a header can have this value: it has no control character except tabs (RFC 9110, section 5.5)."""
    return _CONTROL.search(text) is None
