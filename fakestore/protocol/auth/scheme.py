"""The interface of all schemes, and their result. A scheme is one signature version in one place of a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from fakestore.http import Request
from fakestore.model.accounts import Account, Accounts, Requester
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.payload import PLAIN, Payload
from fakestore.protocol.auth.rules import AuthRules

#: The version of a signature with HMAC-SHA1, for conditions of policies.
VERSION_2 = "AWS"


class SignatureProperties(NamedTuple):
    """The values of a signature for conditions of policies.

    Args:
        version: ``AWS`` for signature version 2, or ``AWS4-HMAC-SHA256`` for version 4.
        auth_type: ``REST-HEADER``, ``REST-QUERY-STRING`` or ``POST``.
        signed_at: The date of a presigned URL with signature version 4; None for others.
    """

    version: str
    auth_type: str
    signed_at: datetime | None = None


class Authentication(NamedTuple):
    """The result of authentication.

    Example:
        >>> Authentication(FakeStore().default_account).signature is None
        True

    Args:
        requester: Who sent the request.
        payload: How the body is decoded and checked. By default it is read as it was sent.
        signature: The values of the signature for conditions of policies; None if the requester is anonymous, or the
            signature has no such values.
    """

    requester: Requester
    payload: Payload = PLAIN
    signature: SignatureProperties | None = None


class AuthScheme(Protocol):
    """A scheme in headers or in the query. Pass it to :class:`fakestore.Dialect` as one of `auth`."""

    @property
    def name(self) -> str:
        """A name for people, for example ``"signature version 4 in the query"``."""

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return the query parameters that belong to the credentials and not to the operation."""

    def authorization_word(self, scheme_word: str) -> str | None:
        """Return the first word of the Authorization header, or None if the credentials are in the query.

        Args:
            scheme_word: The first word of the dialect with signature version 2.
        """

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Return whether the request has credentials of this scheme, well-formed or not."""

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the request.

        Raises:
            ErrorResponse: If the credentials are malformed, unknown or out of date, or, if signatures are verified,
                the signature is not the account's or does not cover the request.
        """

    def compare(
        self, request: Request, address: Address, accounts: Accounts, rules: AuthRules
    ) -> SignatureComparison | None:
        """Return the received signature and what the store would have signed, to explain an error.

        It is None if a Verifier signs, because a Verifier expects only otherwise valid requests.

        Raises:
            ErrorResponse: If the credentials are malformed or unknown, so that the store cannot sign.
        """


def authorization_words(schemes: Iterable[AuthScheme], scheme_word: str) -> list[str]:
    """Return the words with which an Authorization header of one of the schemes can begin."""
    words = [scheme.authorization_word(scheme_word) for scheme in schemes]
    return [word for word in words if word is not None]


class SigningContext(NamedTuple):
    """The account, clock and settings with which a scheme signs requests.

    Args:
        account: The account that signs.
        now: The store's clock.
        rules: The settings that the scheme follows.
    """

    account: Account
    now: datetime
    rules: AuthRules


class HeaderScheme(AuthScheme, Protocol):
    """A scheme in headers."""

    def sign(self, request: Request, address: Address, context: SigningContext) -> dict[str, str]:
        """Return the headers that sign the request. They replace headers of the same name."""


class QueryScheme(AuthScheme, Protocol):
    """A scheme in the query, which makes a presigned URL."""

    def presign(
        self, request: Request, address: Address, context: SigningContext, expires_in: timedelta
    ) -> dict[str, str]:
        """Return the query parameters that sign the request until `expires_in` from now. They end its URL.

        Raises:
            ValueError: If the scheme does not allow `expires_in`.
        """


class FormScheme(Protocol):
    """A scheme in the fields of a browser form. They sign its policy.

    Pass it to :class:`fakestore.Dialect` as one of `form_auth`.
    """

    @property
    def name(self) -> str:
        """A name for people, for example ``"form fields with signature version 4"``."""

    def credential_fields(self, rules: AuthRules) -> frozenset[str]:
        """Return the lower-case names of the fields that belong to the credentials and not to the object."""

    def is_used_by(self, fields: Mapping[str, str], rules: AuthRules) -> bool:
        """Return whether the form has credentials of this scheme, well-formed or not."""

    def authenticate(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Authentication:
        """Return who signed the policy of a form.

        Args:
            fields: The fields by lower-case name.

        Raises:
            ErrorResponse: If the credentials are incomplete, malformed or unknown, or, if signatures are verified, the
                signature is not the account's.
        """

    def compare(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        """Return the received signature and what the store would have signed, to explain an error.

        Raises:
            ErrorResponse: If the credentials are incomplete, malformed or unknown.
        """
