"""The header Content-Encoding, and the coding ``aws-chunked`` in it."""

from __future__ import annotations


def is_aws_chunked(content_encoding: str) -> bool:
    """Return whether a Content-Encoding header names ``aws-chunked``."""
    return "aws-chunked" in _codings(content_encoding)


def without_aws_chunked(content_encoding: str) -> str | None:
    """Return a Content-Encoding without ``aws-chunked``, which is not stored, or None if nothing is left.

    Example:
        >>> from fakestore.http.content_encoding import without_aws_chunked
        >>> without_aws_chunked("aws-chunked,gzip")
        'gzip'
    """
    if not is_aws_chunked(content_encoding):
        return content_encoding
    return ",".join(coding for coding in _codings(content_encoding) if coding != "aws-chunked") or None


def _codings(content_encoding: str) -> list[str]:
    return [coding.strip() for coding in content_encoding.split(",") if coding.strip()]
