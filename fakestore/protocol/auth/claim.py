"""A claim: what the credentials of a request say. One function verifies the claims of all schemes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from fakestore.errors import REQUEST_TIME_TOO_SKEWED
from fakestore.http import Request
from fakestore.http.values import http_date
from fakestore.model.accounts import Account, Accounts
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.payload import PLAIN, Payload
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.scheme import Authentication, SignatureProperties


@dataclass(frozen=True)
class Claim(ABC):
    """What the credentials of a request say. A scheme reads it, and :func:`verify` calls its methods in their order.

    Args:
        access_key_id: The access key.
        received: The signature in the request.
        properties: The values of the signature for conditions of policies.
    """

    access_key_id: str
    received: str
    properties: SignatureProperties

    def check_term(self) -> None:  # noqa: B027  (only a presigned URL has a term)
        """Check the term of a presigned URL, before its account is known."""

    def check_date(self, now: datetime) -> None:  # noqa: B027  (a form has no date to check)
        """Check the date of the signature against the store's clock."""

    def check_coverage(self) -> None:  # noqa: B027  (version 2 always covers the same)
        """Check that the signature is for this store, and covers every header that it must cover."""

    @abstractmethod
    def compare(self, account: Account) -> SignatureComparison:
        """Return the received signature and what the store would have signed for `account`."""

    def payload(self, comparison: SignatureComparison | None) -> Payload:
        """Return how the body is decoded and checked.

        Args:
            comparison: The verified signature; None if signatures are not verified.
        """
        return PLAIN


def verify(claim: Claim, accounts: Accounts, rules: AuthRules, now: datetime | None = None) -> Authentication:
    """Return the account that made a claim. The first check that fails is the error of the request.

    Args:
        claim: The claim of the request.
        accounts: The accounts of the store.
        rules: The rules of the store.
        now: The store's clock; None for a form, because its policy has its own expiration.
    """
    claim.check_term()
    account = accounts.find(claim.access_key_id)
    if now is not None:
        claim.check_date(now)
    comparison = None
    if rules.verify:
        claim.check_coverage()
        comparison = claim.compare(account)
        comparison.check()
    return Authentication(account, claim.payload(comparison), claim.properties)


@dataclass(frozen=True)
class ClaimScheme(ABC):
    """A scheme in headers or in the query that only reads a claim."""

    @abstractmethod
    def read(self, request: Request, address: Address, rules: AuthRules) -> Claim:
        """Return what the credentials say. If they are malformed, this is the error of the request."""

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        return frozenset()

    def authorization_word(self, scheme_word: str) -> str | None:
        return None

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        authorization = request.headers.by_name.get("authorization")
        return authorization is not None and authorization.partition(" ")[0] == self.authorization_word(
            rules.scheme_word
        )

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        return verify(self.read(request, address, rules), accounts, rules, now)

    def compare(
        self, request: Request, address: Address, accounts: Accounts, rules: AuthRules
    ) -> SignatureComparison | None:
        claim = self.read(request, address, rules)
        return claim.compare(accounts.find(claim.access_key_id))


@dataclass(frozen=True)
class ClaimFormScheme(ABC):
    """A scheme in the fields of a form that only reads a claim."""

    @abstractmethod
    def read(self, fields: Mapping[str, str], rules: AuthRules) -> Claim:
        """Return what the credentials say. If they are malformed, this is the error of the request."""

    def authenticate(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Authentication:
        return verify(self.read(fields, rules), accounts, rules)

    def compare(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        claim = self.read(fields, rules)
        return claim.compare(accounts.find(claim.access_key_id))


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
    """
    if rules.max_clock_skew is not None and abs(now - moment) > rules.max_clock_skew:
        raise REQUEST_TIME_TOO_SKEWED.error(
            explanation=f"the request is dated {http_date(moment)} and the store's clock says {http_date(now)};"
            f" the difference is more than {rules.max_clock_skew}. fake_store(max_clock_skew=None) accepts any date",
            RequestTime=sent,
            ServerTime=show(now),
            MaxAllowedSkewMilliseconds=str(int(rules.max_clock_skew.total_seconds() * 1000)),
        )
