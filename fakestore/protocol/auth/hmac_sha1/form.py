"""Signature version 2 in the fields of a browser form: the HMAC-SHA1 of its policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fakestore.http.form import require_field
from fakestore.model.accounts import Accounts
from fakestore.protocol.auth.errors import SignatureComparison
from fakestore.protocol.auth.hmac_sha1.string_to_sign import sign_text
from fakestore.protocol.auth.payload import PLAIN
from fakestore.protocol.auth.rules import AuthRules
from fakestore.protocol.auth.scheme import VERSION_2, Authentication, SignatureProperties

_ACCESS_KEY, _SIGNATURE = "AWSAccessKeyId", "Signature"


class HmacSha1Form(NamedTuple):
    """A form with the fields ``AWSAccessKeyId``, ``policy`` and ``signature``."""

    name: str = "form fields with signature version 2"

    def credential_fields(self, rules: AuthRules) -> frozenset[str]:
        """Return the fields of the credentials."""
        return frozenset({_ACCESS_KEY.lower(), _SIGNATURE.lower(), rules.header("security-token")})

    def is_used_by(self, fields: Mapping[str, str], rules: AuthRules) -> bool:
        """Return whether the form has an access key or a signature of this form."""
        return _ACCESS_KEY.lower() in fields or _SIGNATURE.lower() in fields

    def authenticate(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Authentication:
        """Return who signed the policy.

        Raises:
            ErrorResponse: InvalidArgument, InvalidAccessKeyId or SignatureDoesNotMatch.
        """
        comparison = self.compare(fields, accounts, rules)
        if rules.verify:
            comparison.check()
        return Authentication(comparison.account, PLAIN, SignatureProperties(VERSION_2, "POST"))

    def compare(self, fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> SignatureComparison:
        """Return the received signature and the policy, which is the string to sign.

        Raises:
            ErrorResponse: InvalidArgument or InvalidAccessKeyId.
        """
        access_key_id, received = require_field(fields, _ACCESS_KEY), require_field(fields, _SIGNATURE)
        policy = require_field(fields, "policy").encode()
        account = accounts.find(access_key_id)
        return SignatureComparison(account, received, sign_text(policy, account.secret_key), policy)
