"""Signature version 2 in the Authorization header."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from fakestore.http import Request
from fakestore.http.dates import http_date, parse_http_date
from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import ACCESS_DENIED, invalid_argument
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.checks import check_clock_skew
from fakestore.protocol.auth.encoding import parse_credentials, with_headers
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.hmac_sha1.string_to_sign import (
    compare_texts,
    sign_text,
    signable_addresses,
    string_to_sign,
)
from fakestore.protocol.auth.payload import unsigned_payload
from fakestore.protocol.auth.rules import AuthRules, Verifier
from fakestore.protocol.auth.scheme import VERSION_2, Authentication, SignatureProperties, SigningContext

_PROPERTIES = SignatureProperties(VERSION_2, "REST-HEADER")


class HmacSha1Header(NamedTuple):
    """``Authorization: <scheme word> <access key>:<signature>`` with a Date."""

    name: str = "an Authorization header with signature version 2"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return no parameters: the credentials are in a header."""
        return frozenset()

    def authorization_word(self, scheme_word: str) -> str:
        """Return the dialect's scheme word."""
        return scheme_word

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Return whether the Authorization header begins with the dialect's scheme word."""
        return request.headers.get("authorization", "").partition(" ")[0] == rules.scheme_word

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the request.

        Raises:
            ErrorResponse: AccessDenied, InvalidArgument, InvalidAccessKeyId, RequestTimeTooSkewed or
                SignatureDoesNotMatch.
        """
        access_key_id, signature = _read_authorization(request, rules)
        account = accounts.find(access_key_id)
        _check_date(request, now, rules)
        if rules.verify:
            _compare(request, address, account, signature, rules).check()
        return Authentication(account, unsigned_payload(request, rules, checks_hash=True), _PROPERTIES)

    def compare(
        self, request: Request, address: Address, accounts: Accounts, rules: AuthRules
    ) -> SignatureComparison | None:
        """Return the received signature and what the store would have signed, or None if a Verifier signs.

        Raises:
            ErrorResponse: InvalidArgument or InvalidAccessKeyId.
        """
        if rules.verifier is not None:
            return None
        access_key_id, received = _read_authorization(request, rules)
        account = accounts.find(access_key_id)
        return _compare(request, address, account, received, rules)

    def sign(self, request: Request, address: Address, context: SigningContext) -> dict[str, str]:
        """Return Authorization, and Date if the request has no date yet."""
        account, rules, added = context.account, context.rules, {}
        if "date" not in request.headers and rules.header("date") not in request.headers:
            added["Date"] = http_date(context.now)
            request = with_headers(request, added)
        signature = _make_signature(request, address, account, rules)
        return {**added, "Authorization": f"{rules.scheme_word} {account.access_key_id}:{signature}"}


def _compare(
    request: Request, address: Address, account: Account, received: str, rules: AuthRules
) -> SignatureComparison:
    if rules.verifier is not None:
        return SignatureComparison(account, received, _make_signature(request, address, account, rules), None)
    return compare_texts(account, received, [_text_of(request, each, rules) for each in signable_addresses(address)])


def _make_signature(request: Request, address: Address, account: Account, rules: AuthRules) -> str:
    if rules.verifier is not None:
        return _signature_by(rules.verifier, request, address, account.secret_key)
    return sign_text(_text_of(request, address, rules), account.secret_key)


def _text_of(request: Request, address: Address, rules: AuthRules) -> bytes:
    # The signed date is empty if the dialect's own date header, which is signed anyway, was sent.
    date = "" if rules.header("date") in request.headers else request.headers.get("date", "")
    return string_to_sign(request.method, request.headers, date, address, rules.header_prefix)


def _read_authorization(request: Request, rules: AuthRules) -> tuple[str, str]:
    authorization = request.headers.by_name["authorization"]
    credentials = parse_credentials(authorization.partition(" ")[2])
    if credentials is None:
        raise invalid_argument(
            "Authorization",
            authorization,
            "Authorization header is invalid",
            explanation="the Authorization header does not have the form"
            f" '{rules.scheme_word} <access key>:<signature>'",
        )
    return credentials


def _check_date(request: Request, now: datetime, rules: AuthRules) -> None:
    name, headers = rules.header("date"), request.headers.by_name
    text = headers.get(name, headers.get("date"))
    moment = parse_http_date(text) if text else None
    if moment is None:
        reason = f"Date is {text!r}, which is not a valid HTTP date" if text else f"neither Date nor {name} was sent"
        raise ACCESS_DENIED.error(
            f"A valid Date or {name} header is required",
            explanation=f"{reason}; auth=store.auth() dates a request and signs it",
        )
    check_clock_skew(moment, text or "", now, http_date, rules)


def _signature_by(verifier: Verifier, request: Request, address: Address, secret_key: str) -> str:
    """Return the signature that `verifier` makes.

    Raises:
        TypeError: If it is not a text.
    """
    signature: object = verifier.signature(request, address, secret_key)
    if not isinstance(signature, str):
        raise TypeError(f"the signature of a Verifier must be a str; {verifier!r} returned {signature!r}")
    return signature
