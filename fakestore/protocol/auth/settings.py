"""The settings of a store and its dialect that the schemes follow."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple, Protocol

from fakestore.http import Request
from fakestore.protocol.addressing import Address


class Verifier(Protocol):
    """A signature algorithm of your own. Pass it as the option ``signatures``.

    It replaces signature version 2 (HMAC-SHA1) in the Authorization header. All other signatures are checked as with
    ``signatures="verify"``. ``store.auth()`` signs with this algorithm, but in the dialect ``S3`` with version 4.

    Example:
        >>> class Reversed:
        ...     def signature(self, request, address, secret_key):
        ...         return secret_key[::-1]
    """

    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        """Return the signature of `request` with `secret_key`, as text without blanks.

        Args:
            request: The request. Its body may be a stream, which this method must not read.
            address: The bucket, the key and the query that the request names.
            secret_key: The secret key of the account that the access key belongs to.
        """


class AuthSettings(NamedTuple):
    """The settings of a store and its dialect that the schemes follow.

    Args:
        header_prefix: The prefix of the dialect's headers, for example ``"x-amz-"``. The query parameters of
            signature version 4 have the same prefix, capitalised.
        scheme_word: The first word of the Authorization header with signature version 2.
        verify: Whether signatures are checked. If not, credentials only select the account.
        verifier: The algorithm that replaces HMAC-SHA1 in the Authorization header.
        max_clock_skew: The largest difference between the date of a request and the store's clock. ``None`` accepts
            any date. A presigned URL expires in either case.
        region: The region that the scope of a signature must name. ``None`` accepts every region.
        home_region: The region that the store itself signs for.
        aws_chunked: Whether a body may be sent with ``Content-Encoding: aws-chunked`` under any scheme.
    """

    header_prefix: str
    scheme_word: str
    verify: bool
    verifier: Verifier | None
    max_clock_skew: timedelta | None
    region: str | None
    home_region: str
    aws_chunked: bool

    def header(self, name: str) -> str:
        """Return the dialect's header `name`, for example ``x-amz-date`` for ``date``."""
        return self.header_prefix + name

    def parameter(self, name: str) -> str:
        """Return the query parameter `name` of signature version 4, for example ``X-Amz-Date`` for ``Date``."""
        return self.header_prefix.title() + name
