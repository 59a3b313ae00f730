"""Signature version 4 in the query of a presigned URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from fakestore.http import Request
from fakestore.messages import iso_date
from fakestore.model.accounts import Accounts
from fakestore.model.errors import ACCESS_DENIED, AUTHORIZATION_QUERY_PARAMETERS
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.errors import SignatureComparison, expired
from fakestore.protocol.auth.payload import UNSIGNED
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.scheme import Authentication, SignatureProperties, SigningContext
from fakestore.protocol.auth.signing_key import SigningScope
from fakestore.protocol.auth.v4.credentials import (
    ALGORITHM,
    Credentials,
    check_algorithm,
    parse_credential,
    parse_date,
    parse_signed_headers,
    query_error_wording,
)
from fakestore.protocol.auth.v4.payload import signed_payload
from fakestore.protocol.auth.v4.signed_request import SignedRequest, names_to_sign
from fakestore.protocol.auth.v4.timestamps import render_timestamp

#: The longest time for which a presigned URL can be valid.
LONGEST_EXPIRY = timedelta(days=7)

_REQUIRED = ("Algorithm", "Credential", "Signature", "Date", "SignedHeaders", "Expires")
_SECONDS = re.compile(r"-?[0-9]{1,12}")


class Version4Query(NamedTuple):
    """A presigned URL with ``X-Amz-Algorithm``, ``X-Amz-Credential``, ``X-Amz-Signature`` and so on."""

    name: str = "a presigned URL with signature version 4"

    def credential_parameters(self, rules: AuthRules) -> frozenset[str]:
        """Return the parameters of the credentials."""
        return frozenset(map(rules.parameter, (*_REQUIRED, "Content-Sha256", "Security-Token")))

    def authorization_word(self, scheme_word: str) -> None:
        """Return no word: the credentials are in the query."""

    def is_used_by(self, request: Request, address: Address, rules: AuthRules) -> bool:
        """Return whether the query has an algorithm, a credential or a signature of this scheme."""
        return bool(address.query) and any(
            rules.parameter(name) in address.query for name in ("Algorithm", "Credential", "Signature")
        )

    def authenticate(
        self, request: Request, address: Address, accounts: Accounts, now: datetime, rules: AuthRules
    ) -> Authentication:
        """Return who signed the URL.

        Raises:
            ErrorResponse: AuthorizationQueryParametersError, InvalidAccessKeyId, AccessDenied, InvalidArgument,
                SignatureDoesNotMatch or MissingContentLength.
        """
        presigned = PresignedQuery.parse(address.query, rules)
        valid_for = _valid_for(presigned.expires, rules.parameter("Expires"))
        credentials = presigned.credentials
        account = accounts.find(credentials.access_key_id)
        presigned.check_time(valid_for, now, rules)
        signed = self._signed_request(request, address, presigned, rules)
        wording = query_error_wording(rules)
        comparison = signed.verify(account, credentials.signature, wording, rules) if rules.verify else None
        payload = signed_payload(signed, comparison, rules)
        return Authentication(account, payload, SignatureProperties(ALGORITHM, "REST-QUERY-STRING", presigned.moment))

    def compare(self, request: Request, address: Address, accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        """Return the received signature and what the store would have signed.

        Raises:
            ErrorResponse: AuthorizationQueryParametersError or InvalidAccessKeyId.
        """
        presigned = PresignedQuery.parse(address.query, rules)
        account = accounts.find(presigned.credentials.access_key_id)
        signed = self._signed_request(request, address, presigned, rules)
        return signed.compare(account, presigned.credentials.signature)

    def _signed_request(
        self, request: Request, address: Address, presigned: PresignedQuery, rules: AuthRules
    ) -> SignedRequest:
        payload_hash = address.query.get(rules.parameter("Content-Sha256"))
        if payload_hash is None:
            payload_hash = request.headers.get(rules.header("content-sha256"), UNSIGNED)
        signature_name = rules.parameter("Signature")
        return SignedRequest(
            request,
            {name: value for name, value in address.query.items() if name != signature_name},
            presigned.credentials.signed_headers,
            payload_hash,
            presigned.timestamp,
            presigned.credentials.scope,
        )

    def presign(
        self, request: Request, address: Address, context: SigningContext, expires_in: timedelta
    ) -> dict[str, str]:
        """Return the parameters of the credentials. Headers of the request are signed and must be sent again.

        Raises:
            ValueError: If `expires_in` is not between 1 second and 7 days.
        """
        if not timedelta(seconds=1) <= expires_in <= LONGEST_EXPIRY:
            raise ValueError(f"expires_in must be between 1 second and 7 days, but it is {expires_in}")
        account, rules = context.account, context.rules
        timestamp = render_timestamp(context.now)
        scope = SigningScope(timestamp[:8], rules.home_region)
        names = names_to_sign(request, rules)
        added = {
            rules.parameter("Algorithm"): ALGORITHM,
            rules.parameter("Credential"): f"{account.access_key_id}/{scope}",
            rules.parameter("Date"): timestamp,
            rules.parameter("Expires"): str(int(expires_in.total_seconds())),
            rules.parameter("SignedHeaders"): ";".join(sorted(names)),
        }
        payload_hash = request.headers.get(rules.header("content-sha256"), UNSIGNED)
        signed = SignedRequest(request, {**address.query, **added}, names, payload_hash, timestamp, scope)
        added[rules.parameter("Signature")] = signed.signature(account.secret_key)
        return added


class PresignedQuery(NamedTuple):
    """The parameters of a presigned URL.

    Args:
        credentials: The credentials.
        timestamp: The date of the URL, for example ``20130524T000000Z``.
        moment: The same date.
        expires: The text of the parameter ``X-Amz-Expires``, which is not checked.
    """

    credentials: Credentials
    timestamp: str
    moment: datetime
    expires: str

    @classmethod
    def parse(cls, query: Mapping[str, str], rules: AuthRules) -> PresignedQuery:
        """Return the parameters of a presigned URL.

        Raises:
            ErrorResponse: AuthorizationQueryParametersError, if one of them is missing or invalid.
        """
        names = {name: rules.parameter(name) for name in _REQUIRED}
        _check_parameters_are_there(query, list(names.values()))
        values = {name: query[full_name] for name, full_name in names.items()}
        check_algorithm(values["Algorithm"], names["Algorithm"])
        access_key_id, scope = parse_credential(values["Credential"], query_error_wording(rules))
        moment = parse_date(values["Date"], names["Date"])
        signed_headers = parse_signed_headers(values["SignedHeaders"])
        credentials = Credentials(access_key_id, scope, signed_headers, values["Signature"])
        return cls(credentials, values["Date"], moment, values["Expires"])

    def check_time(self, valid_for: timedelta, now: datetime, rules: AuthRules) -> None:
        """Check that the URL is valid now.

        Args:
            valid_for: How long the URL is valid after its date.
            now: The store's clock.
            rules: The rules of the store.

        Raises:
            ErrorResponse: AccessDenied, if the URL has expired or is not valid yet.
        """
        if rules.max_clock_skew is not None and self.moment - now > rules.max_clock_skew:
            raise ACCESS_DENIED.error(
                "Request is not valid yet",
                explanation=f"the presigned URL is dated {iso_date(self.moment)} and the store's clock says"
                f" {iso_date(now)}; it may be at most {rules.max_clock_skew} ahead. Check the clocks",
                ServerTime=iso_date(now),
            )
        if not valid_for or now - self.moment > valid_for:
            name = rules.parameter("Expires")
            received = f"{rules.parameter('Date')} is {self.timestamp}, {name} is {self.expires}"
            raise expired(received, self.moment + valid_for, now, **{name: self.expires})


def _check_parameters_are_there(query: Mapping[str, str], required: list[str]) -> None:
    missing = [name for name in required if name not in query]
    if missing:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            "Query-string authentication version 4 requires the"
            f" {', '.join(required[:-1])}, and {required[-1]} parameters.",
            explanation=f"the presigned URL lacks {', '.join(missing)}",
        )


def _valid_for(text: str, name: str) -> timedelta:
    explanation = f"{name} is {text!r}; expected a number of seconds from 0 to 604800 (7 days)"
    if not _SECONDS.fullmatch(text):
        raise AUTHORIZATION_QUERY_PARAMETERS.error(f"{name} should be a number", explanation=explanation)
    seconds = int(text)
    if seconds < 0:
        raise AUTHORIZATION_QUERY_PARAMETERS.error(f"{name} must be non-negative", explanation=explanation)
    if seconds > LONGEST_EXPIRY.total_seconds():
        raise AUTHORIZATION_QUERY_PARAMETERS.error(
            f"{name} must be less than a week (in seconds); that is, the given {name} must be less than 604800 seconds",
            explanation=explanation,
        )
    return timedelta(seconds=seconds)
