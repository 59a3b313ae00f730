"""Browser forms: the signature of the policy document that a POST to a bucket carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fakestore.model.accounts import Account, Accounts
from fakestore.model.errors import ACCESS_DENIED, INVALID_ARGUMENT, ErrorResponse
from fakestore.protocol.auth.base import AuthRules, find_account
from fakestore.protocol.auth.encoding import is_same_signature
from fakestore.protocol.auth.errors import wrong_signature
from fakestore.protocol.auth.hmac_sha1 import sign_text
from fakestore.protocol.auth.signing_key import Scope, hmac_sha256, signing_key
from fakestore.protocol.auth.v4 import (
    ALGORITHM,
    DEFAULT_REGION,
    check_scope,
    parse_credential,
    parse_timestamp,
    query_error_form,
    render_timestamp,
)


def authenticate_form(fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Account | None:
    """Return the account that signed the policy of a form, or None if the form is anonymous.

    Whether the policy has expired and whether its conditions hold is not checked here. The names of fields are
    compared without regard to case (fact post_object-034).

    Args:
        fields: The fields of the form in front of the file.
        accounts: The accounts of the store.
        rules: The rules of the store.

    Raises:
        ErrorResponse: InvalidArgument, AccessDenied, InvalidAccessKeyId, AuthorizationQueryParametersError or
            SignatureDoesNotMatch.
    """
    lower = {name.lower(): value for name, value in fields.items()}
    version_4 = tuple(rules.header(name) for name in ("algorithm", "credential", "date", "signature"))
    if any(name in lower for name in version_4):
        return _version_4(lower, accounts, rules)
    if "signature" in lower or "awsaccesskeyid" in lower:
        return _version_2(lower, accounts, rules)
    if "policy" in lower:
        raise ACCESS_DENIED.error(explanation="the form has a policy, but no fields that sign it")
    return None


def _version_2(fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Account:
    policy = _field(fields, "policy")
    access_key_id = _field(fields, "AWSAccessKeyId")
    signature = _field(fields, "Signature")
    account = find_account(accounts, access_key_id)
    if rules.verify:
        text = _policy_bytes(policy)
        if not is_same_signature(sign_text(text, account.secret_key), signature):
            raise wrong_signature(account, signature, text)
    return account


def _version_4(fields: Mapping[str, str], accounts: Accounts, rules: AuthRules) -> Account:
    policy = _field(fields, "policy")
    algorithm = _field(fields, rules.parameter("Algorithm"))
    credential = _field(fields, rules.parameter("Credential"))
    timestamp = _field(fields, rules.parameter("Date"))
    signature = _field(fields, rules.parameter("Signature"))
    if algorithm != ALGORITHM:
        name = rules.parameter("Algorithm")
        raise _invalid(name, algorithm, f'{name} only supports "{ALGORITHM}"')
    if parse_timestamp(timestamp) is None:
        name = rules.parameter("Date")
        raise _invalid(name, timestamp, f"{name} must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
    form = query_error_form(rules)
    access_key_id, scope = parse_credential(credential, form)
    account = find_account(accounts, access_key_id)
    if rules.verify:
        check_scope(scope, timestamp, form, rules)
        text = _policy_bytes(policy)
        if not is_same_signature(hmac_sha256(signing_key(account.secret_key, scope), text).hex(), signature):
            raise wrong_signature(account, signature, text)
    return account


def _field(fields: Mapping[str, str], name: str) -> str:
    value = fields.get(name.lower())
    if value is None:
        raise _invalid(
            name,
            "",
            f"Bucket POST must contain a field named '{name}'.  If it is specified, please check the order of the"
            " fields.",
        )
    return value


def _invalid(name: str, value: str, message: str) -> ErrorResponse:
    return INVALID_ARGUMENT.error(
        message,
        explanation=f"the form's field {name} is {value!r}"
        if value
        else f"the form has no field {name} before its file",
        ArgumentName=name,
        ArgumentValue=value,
    )


def _policy_bytes(policy: str) -> bytes:
    return policy.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class FormSigner:
    """What signs policies of forms with signature version 4.

    The fields of :meth:`fields` belong into the policy as conditions, so they are made first.

    Args:
        account: The account that signs.
        now: The date of the signature.
        rules: The rules of the store.
    """

    account: Account
    now: datetime
    rules: AuthRules

    @property
    def scope(self) -> Scope:
        """The scope that the signature is for."""
        return Scope(render_timestamp(self.now)[:8], self.rules.region or DEFAULT_REGION)

    def fields(self) -> dict[str, str]:
        """Return the fields of the form that describe the signature."""
        return {
            self.rules.header("algorithm"): ALGORITHM,
            self.rules.header("credential"): f"{self.account.access_key_id}/{self.scope}",
            self.rules.header("date"): render_timestamp(self.now),
        }

    def sign(self, policy: str) -> dict[str, str]:
        """Return the fields with the policy and its signature.

        Args:
            policy: The policy document, encoded as base64.
        """
        key = signing_key(self.account.secret_key, self.scope)
        return {"policy": policy, self.rules.header("signature"): hmac_sha256(key, _policy_bytes(policy)).hex()}
