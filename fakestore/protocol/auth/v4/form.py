"""Signature version 4 in the fields of a browser form: the HMAC-SHA256 of its policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fakestore.http.form import require_field
from fakestore.model.accounts import Account, Accounts
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.payload import PLAIN
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.scheme import Authentication, SignatureProperties
from fakestore.protocol.auth.signing_key import SigningScope, hmac_sha256, signing_key
from fakestore.protocol.auth.v4.credentials import (
    ALGORITHM,
    check_algorithm,
    check_scope,
    parse_credential,
    parse_date,
    query_error_wording,
)

_FIELDS = ("Algorithm", "Credential", "Date", "Signature")


class Version4Form(NamedTuple):
    """A form with the fields ``policy``, ``X-Amz-Algorithm``, ``X-Amz-Credential`` and so on."""

    name: str = "form fields with signature version 4"

    def credential_fields(self, rules: AuthRules) -> frozenset[str]:
        """Return the fields of the credentials."""
        return frozenset(rules.header(name.lower()) for name in (*_FIELDS, "Security-Token"))

    def is_used_by(self, fields: Mapping[str, str], rules: AuthRules) -> bool:
        """Return whether the form has a field of these credentials."""
        return any(rules.header(name.lower()) in fields for name in _FIELDS)

    def authenticate(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Authentication:
        """Return who signed the policy. Its expiration limits its use, not the date of the signature.

        Raises:
            ErrorResponse: InvalidArgument, AuthorizationQueryParametersError, InvalidAccessKeyId or
                SignatureDoesNotMatch.
        """
        signed = _SignedPolicy.parse(fields, rules)
        account = accounts.find(signed.access_key_id)
        if rules.verify:
            check_scope(signed.scope, signed.date, query_error_wording(rules), rules)
            signed.compare(account).check()
        return Authentication(account, PLAIN, SignatureProperties(ALGORITHM, "POST"))

    def compare(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        """Return the received signature and the policy, which is the string to sign.

        Raises:
            ErrorResponse: InvalidArgument, AuthorizationQueryParametersError or InvalidAccessKeyId.
        """
        signed = _SignedPolicy.parse(fields, rules)
        return signed.compare(accounts.find(signed.access_key_id))


class _SignedPolicy(NamedTuple):
    """The credentials of a form, and its policy, which they sign."""

    access_key_id: str
    scope: SigningScope
    date: str
    policy: bytes
    signature: str

    @classmethod
    def parse(cls, fields: Mapping[str, str], rules: AuthRules) -> _SignedPolicy:
        names = [rules.parameter(name) for name in _FIELDS]
        algorithm, credential, date, signature = (require_field(fields, name) for name in names)
        policy = require_field(fields, "policy").encode()
        check_algorithm(algorithm, names[0])
        access_key_id, scope = parse_credential(credential, query_error_wording(rules))
        parse_date(date, names[2])
        return cls(access_key_id, scope, date, policy, signature)

    def compare(self, account: Account) -> SignatureComparison:
        expected = hmac_sha256(signing_key(account.secret_key, self.scope), self.policy).hex()
        return SignatureComparison(account, self.signature, expected, self.policy)
