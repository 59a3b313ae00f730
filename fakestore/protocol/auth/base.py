"""What every authentication scheme has in common: its interface, its rules, its result and its error texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from fakestore.http import Request
from fakestore.http.content_encoding import is_aws_chunked
from fakestore.http.dates import http_date
from fakestore.model.accounts import Account, Accounts, Requester
from fakestore.model.errors import (
    INVALID_ACCESS_KEY,
    REQUEST_TIME_TOO_SKEWED,
    ErrorResponse,
    invalid_argument,
)
from fakestore.model.regions import HOME_REGION
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.errors import unknown_scheme
from fakestore.protocol.auth.payload import PLAIN, Payload


class Verifier(Protocol):
    """A signature algorithm of the user's own, in place of HMAC-SHA1 in the Authorization header.

    Example:
        >>> class Reversed:
        ...     def signature(self, request, address, secret_key):
        ...         return secret_key[::-1]
    """

    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        """Return the signature of `request` by the owner of `secret_key`, a text without blanks.

        Args:
            request: The request. Its body is not read.
            address: The bucket, the key and the query that the request names.
            secret_key: The secret key of the account that the access key belongs to.
        """


class AuthRules(NamedTuple):
    """The settings of a store and its dialect that the schemes follow.

    Args:
        header_prefix: The prefix of the dialect's headers, for example ``"x-amz-"``. The query parameters of
            signature version 4 have the same prefix, capitalised.
        scheme_word: The first word of the Authorization header in the form of 2006.
        verify: Whether signatures are checked. If not, credentials only select the account.
        verifier: The algorithm that replaces HMAC-SHA1 in the Authorization header.
        max_clock_skew: The largest difference between the date of a request and the store's clock. ``None`` accepts
            any date. A presigned URL expires in either case.
        region: The region that the scope of a signature must name. ``None`` accepts every region.
        aws_chunked: Whether a body may be sent with ``Content-Encoding: aws-chunked`` under any scheme.
    """

    header_prefix: str
    scheme_word: str
    verify: bool
    verifier: Verifier | None
    max_clock_skew: timedelta | None
    region: str | None
    aws_chunked: bool

    @property
    def home_region(self) -> str:
        """The region of the store, also if it accepts signatures for every region."""
        return self.region or HOME_REGION

    def header(self, name: str) -> str:
        """Return the dialect's header `name`, for example ``x-amz-date`` for ``date``."""
        return self.header_prefix + name

    def parameter(self, name: str) -> str:
        """Return the query parameter `name` of signature version 4, for example ``X-Amz-Date`` for ``Date``."""
        return self.header_prefix.title() + name


class SignatureForm(NamedTuple):
    """The form of a signature, as conditions of policies name it.

    Args:
        version: ``AWS`` for the form of 2006, or ``AWS4-HMAC-SHA256``.
        auth_type: ``REST-HEADER``, ``REST-QUERY-STRING`` or ``POST``.
        signed_at: The date of a presigned URL with signature version 4; None for others.
    """

    version: str
    auth_type: str
    signed_at: datetime | None = None


class Authentication(NamedTuple):
    """The result of authentication.

    Args:
        requester: Who sent the request.
        payload: How the body is decoded and checked.
        signature: The form of the signature; None if the requester is anonymous.
    """

    requester: Requester
    payload: Payload
    signature: SignatureForm | None = None


class AuthScheme(Protocol):
    """A form of credentials in a request."""

    @property
    def name(self) -> str:
        """A name for people, for example ``"signature version 4 in the query"``."""

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return the query parameters that belong to the credentials and not to the operation."""

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Whether the request carries this form of credentials, well-formed or not."""

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the request.

        Raises:
            ErrorResponse: If the credentials are malformed, unknown or out of date, or, if signatures are verified,
                the signature is not the account's or does not cover the request.
        """


class HeaderScheme(AuthScheme, Protocol):
    """A form of credentials in headers."""

    def sign(
        self, request: Request, address: Address, account: Account, now: datetime, rules: AuthRules
    ) -> dict[str, str]:
        """Return the headers that sign the request. They replace headers of the same name."""


class QueryScheme(AuthScheme, Protocol):
    """A form of credentials in the query, which makes a presigned URL."""

    def presign(
        self,
        request: Request,
        address: Address,
        account: Account,
        now: datetime,
        expires_in: timedelta,
        rules: AuthRules,
    ) -> str:
        """Return the URL of `request` with credentials that are valid until `expires_in` from `now`.

        Raises:
            ValueError: If the scheme does not allow `expires_in`.
        """


class FormScheme(Protocol):
    """A form of credentials in the fields of a browser form. They sign its policy."""

    @property
    def name(self) -> str:
        """A name for people, for example ``"form fields with signature version 4"``."""

    def credential_fields(self, rules: AuthRules) -> frozenset[str]:
        """Return the lower-case names of the fields that belong to the credentials and not to the object."""

    def is_used_by(self, fields: Mapping[str, str], rules: AuthRules) -> bool:
        """Whether the form carries this form of credentials, well-formed or not."""

    def authenticate(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Authentication:
        """Return who signed the policy of a form.

        Args:
            fields: The fields by lower-case name.

        Raises:
            ErrorResponse: If the credentials are incomplete, malformed or unknown, or, if signatures are verified, the
                signature is not the account's.
        """


def choose_scheme(
    schemes: Iterable[AuthScheme], request: Request, address: Address, rules: AuthRules
) -> AuthScheme | None:
    """Return the scheme that the request uses, or None if it is anonymous.

    Raises:
        ErrorResponse: If the request uses two schemes, or has an Authorization header of an unknown scheme.
    """
    used = [scheme for scheme in schemes if scheme.is_used_by(request, address, rules)]
    authorization = request.headers.get("authorization")
    if len(used) > 1:
        raise only_one_scheme(used, authorization or "", rules)
    if not used and authorization is not None:
        raise unknown_scheme(authorization, rules.scheme_word)
    return used[0] if used else None


def only_one_scheme(used: Sequence[AuthScheme | FormScheme], authorization: str, rules: AuthRules) -> ErrorResponse:
    """Return the error for a request that carries several forms of credentials."""
    return invalid_argument(
        "Authorization",
        authorization,
        f"Only one auth mechanism allowed; only the {rules.parameter('Algorithm')} query parameter, Signature query"
        " string parameter or the Authorization header should be specified",
        explanation=f"the request carries {' and '.join(scheme.name for scheme in used)}; send one of them only",
    )


def find_account(accounts: Accounts, access_key_id: str) -> Account:
    """Return the account with this access key.

    Raises:
        ErrorResponse: InvalidAccessKeyId, if no account has it.
    """
    account = accounts.by_access_key(access_key_id)
    if account is None:
        known = ", ".join(f"{each.access_key_id} ({each})" for each in accounts)
        raise INVALID_ACCESS_KEY.error(
            explanation=f"no account has the access key {access_key_id!r}; access keys: {known}."
            " The default account's is set with fake_store(access_key_id=..., secret_key=...)",
            AWSAccessKeyId=access_key_id,
        )
    return account


def check_clock_skew(
    moment: datetime, sent: str, now: datetime, show: Callable[[datetime], str], rules: AuthRules
) -> None:
    """Check that the date of a request is near enough to the store's clock.

    Args:
        moment: The date of the request.
        sent: The same date as it was sent.
        now: The store's clock.
        show: Returns the text of a date as the error document shows it.
        rules: The rules of the store.

    Raises:
        ErrorResponse: RequestTimeTooSkewed.
    """
    if rules.max_clock_skew is not None and abs(now - moment) > rules.max_clock_skew:
        raise REQUEST_TIME_TOO_SKEWED.error(
            explanation=f"the request is dated {http_date(moment)} and the store's clock says {http_date(now)};"
            f" the difference is more than {rules.max_clock_skew}. fake_store(max_clock_skew=None) accepts any date",
            RequestTime=sent,
            ServerTime=show(now),
            MaxAllowedSkewMilliseconds=str(int(rules.max_clock_skew.total_seconds() * 1000)),
        )


def headers_in_query(address: Address, rules: AuthRules, without: frozenset[str]) -> dict[str, str]:
    """Return the headers of the dialect that are in the query, by lower-case name, except parameters in `without`."""
    prefix = rules.header_prefix
    return {
        name.lower(): value
        for name, value in address.query.items()
        if name not in without and name.lower().startswith(prefix)
    }


def unsigned_payload(request: Request, rules: AuthRules) -> Payload:
    """Return how the body is read if the request is anonymous or its signature does not cover the body.

    Raises:
        ErrorResponse: MissingContentLength, if a chunked body does not declare the size of its content.
    """
    if not rules.aws_chunked:
        return PLAIN
    # Imported here, because the default dialect does not need it.
    from fakestore.protocol.auth.aws_chunked import CHUNKED_PAYLOADS, chunked_payload

    declared = request.headers.get(rules.header("content-sha256"), "")
    if declared in CHUNKED_PAYLOADS or is_aws_chunked(request.headers.get("content-encoding", "")):
        return chunked_payload(request, rules, declared, None)
    return PLAIN
