"""The authenticator: which of a dialect's schemes a request uses, and who sent it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from fakestore.errors import (
    ACCESS_DENIED,
    CONTENT_SHA256_MISMATCH,
    INVALID_TOKEN,
    SIGNATURE_DOES_NOT_MATCH,
    ErrorResponse,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.http.message import Request, with_headers
from fakestore.messages import dialect_option
from fakestore.model.accounts import ANONYMOUS, Accounts
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.metadata import SYSTEM_METADATA
from fakestore.model.semantics import AnonymousRequests
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.payload import check_streaming, unsigned_payload
from fakestore.protocol.auth.scheme import (
    OWN_SCHEME,
    PLAIN,
    Authentication,
    AuthScheme,
    AuthSettings,
    Claim,
    FormScheme,
    Payload,
    QueryScheme,
    headers_in_query,
    is_other_version_4,
    with_comparison,
)

#: The headers for a checksum of the body, without the prefix of the dialect.
_CHECKSUMS = (*(f"checksum-{algorithm.lower()}" for algorithm in ChecksumAlgorithm), "sdk-checksum-algorithm")
#: The headers that version 2 of the AWS SDK for JavaScript repeats in the query when it presigns.
_REPEATED_HEADERS = {*SYSTEM_METADATA, "content-md5"} - {"expires"}

_SIGN = "sign the request, for example with auth=store.auth()"
#: An access key and a signature of version 2.
_CREDENTIALS = re.compile(r"[^\s:]+:\S+")
#: Errors whose explanation always shows what would have been signed.
_ALREADY_EXPLAINED = (SIGNATURE_DOES_NOT_MATCH.code, CONTENT_SHA256_MISMATCH.code)


class Authenticator(NamedTuple):
    """Authenticates the requests to a store with the schemes of its dialect."""

    schemes: tuple[AuthScheme, ...]
    query_schemes: tuple[QueryScheme, ...]
    form_schemes: tuple[FormScheme, ...]
    settings: AuthSettings
    anonymous_requests: AnonymousRequests

    def without_credentials(self, request: Request, address: Address) -> tuple[Request, Address]:
        """Return the request and its address as the operation sees them, without the credentials of a presigned URL.

        The query of a presigned URL may also contain headers of the dialect. They become headers of the request, except
        checksums, which are ignored because some SDKs presign the checksum of an empty body. [checksums-in-the-query]
        A parameter that repeats another header must have its value. [repeated-headers-in-the-query]
        """
        if not address.query or request.method == "OPTIONS":  # the query of a preflight is not read
            return request, address
        used = [scheme for scheme in self.query_schemes if scheme.is_used_by(request, address, self.settings)]
        names = frozenset[str]().union(*(scheme.credential_parameters(self.settings) for scheme in used))
        if not names:
            return request, address
        headers = headers_in_query(address, self.settings, names)
        query = {
            name: value
            for name, value in address.query.items()
            if name not in names and name.lower() not in headers and not _is_repeated_header(name, value, request)
        }
        ignored = {self.settings.header(name) for name in _CHECKSUMS}
        sent = {name: value for name, value in headers.items() if name not in ignored}
        return with_headers(request, {**sent, **request.headers}), address._replace(query=query)

    def authenticate(
        self,
        request: Request,
        address: Address,
        accounts: Accounts,
        now: datetime,
        region: str | None,
        *,
        accepts_chunks: bool = False,
    ) -> Authentication:
        """Return who sent a request, and how its body is decoded.

        Args:
            region: The region that the scope of a signature must name; None for any.
            accepts_chunks: Whether the body may be sent in chunks.
        """
        scheme = self._choose_scheme(request, address)
        if scheme is None:
            self._check_anonymous()
        check_streaming(request, self.settings, is_anonymous=scheme is None, accepts_chunks=accepts_chunks)
        if scheme is None:
            return Authentication(ANONYMOUS, unsigned_payload(request, self.settings, checks_hash=True))
        claim = scheme.read(request, address, self.settings._replace(region=region))
        return self._identify(claim, accounts, now, [*request.headers.by_name, *map(str.lower, address.query)])

    def explain(self, error: ErrorResponse, request: Request, address: Address, accounts: Accounts) -> ErrorResponse:
        """Return the error of a request that has no operation. It says what a wrong signature was made for."""
        try:
            scheme = self._choose_scheme(request, address)
            claim = None if scheme is None else scheme.read(request, address, self.settings)
        except (ErrorResponse, UnsupportedRequest):
            return error
        return error if claim is None else self._explained(error, claim, accounts, only_wrong=True)

    def without_form_credentials(self, fields: Mapping[str, str]) -> dict[str, str]:
        used = self._form_schemes_of(fields)
        names = frozenset[str]().union(*(scheme.credential_fields(self.settings) for scheme in used))
        return {name: value for name, value in fields.items() if name not in names}

    def authenticate_form(
        self,
        request: Request,
        address: Address,
        fields: Mapping[str, str],
        accounts: Accounts,
        now: datetime,
        region: str | None,
    ) -> Authentication:
        """Return who sent a browser form: the account that signed its policy. [credentials-of-a-form]"""
        if not self.form_schemes:
            sender = self.authenticate(request, address, accounts, now, region)
            _check_is_plain(sender.payload)
            return sender
        if "authorization" in request.headers or self._schemes_of(request, address):
            raise UnsupportedRequest(
                "a form that is signed in a header or in the query is not supported; sign its fields, as"
                " generate_presigned_post() of boto3 does, and send it without auth="
            )
        check_streaming(request, self.settings)
        _check_is_plain(unsigned_payload(request, self.settings, checks_hash=True))
        used = self._form_schemes_of(fields)
        if len(used) > 1:
            raise self._only_one_scheme([scheme.name for scheme in used], "")
        if used:
            return self._identify(used[0].read(fields, self.settings._replace(region=region)), accounts, now, fields)
        self._check_anonymous()
        return Authentication(ANONYMOUS, PLAIN)

    def _schemes_of(self, request: Request, address: Address) -> list[AuthScheme]:
        return [scheme for scheme in self.schemes if scheme.is_used_by(request, address, self.settings)]

    def _form_schemes_of(self, fields: Mapping[str, str]) -> list[FormScheme]:
        return [scheme for scheme in self.form_schemes if scheme.is_used_by(fields, self.settings)]

    def _choose_scheme(self, request: Request, address: Address) -> AuthScheme | None:
        """Return the scheme that the request uses, or None if it is anonymous. [authorization-header]"""
        used = self._schemes_of(request, address)
        authorization = request.headers.by_name.get("authorization")
        if not used:
            if authorization is None:
                return None
            description = describe_scheme(authorization, authorization_words(self.schemes, self.settings.scheme_word))
            if is_other_version_4(authorization.partition(" ")[0]):
                raise UnsupportedRequest(description)
            raise ACCESS_DENIED.error(explanation=description)
        word = self.settings.scheme_word
        if len(used) == 1 and (authorization is None or used[0].authorization_word(word) is not None):
            return used[0]
        names = [scheme.name for scheme in used]
        if authorization is not None and not authorization_words(used, word):
            names.append("an Authorization header of another scheme")
        raise self._only_one_scheme(names, authorization or "")

    def _only_one_scheme(self, names: Iterable[str], authorization: str) -> ErrorResponse:
        return invalid_argument(
            "Authorization",
            authorization,
            f"Only one auth mechanism allowed; only the {self.settings.parameter('Algorithm')} query parameter,"
            " Signature query string parameter or the Authorization header should be specified",
            explanation=f"the request carries {' and '.join(names)}; send one of them only",
        )

    def _identify(self, claim: Claim, accounts: Accounts, now: datetime, names: Iterable[str]) -> Authentication:
        """Return who made a claim. The explanation of an error also shows what would have been signed."""
        try:
            return self._check_claim(claim, accounts, now, names)
        except ErrorResponse as error:
            raise self._explained(error, claim, accounts) from None

    def _check_claim(self, claim: Claim, accounts: Accounts, now: datetime, names: Iterable[str]) -> Authentication:
        """Make the checks of a claim. The first one that fails is the error of the request.

        A signed request must not have a session token, unless another mock has issued its key with one: the keys of all
        accounts are permanent. [session-tokens]

        Args:
            names: The names of headers, query parameters or fields, in lower case.
        """
        claim.check_term()
        account = accounts.find(claim.access_key_id, self.settings.key_element)
        claim.check_date(now)
        claim.check_region()
        comparison = None
        if self.settings.verify:
            claim.check_coverage()
            comparison = claim.compare(accounts.with_key(account, claim.access_key_id))
            comparison.check(self.settings.key_element)
        sender = Authentication(account, claim.payload(comparison), claim.properties)
        token = f"{self.settings.header_prefix}security-token"
        if self.settings.verify and token in names:
            issued = accounts.find_issued_key(claim.access_key_id)
            if issued is None or not issued.has_token:
                raise INVALID_TOKEN.error(
                    explanation=f"the request has {token}, but the keys of a store are permanent and have no token;"
                    " remove the session token from the client"
                )
        return sender

    def _explained(
        self, error: ErrorResponse, claim: Claim, accounts: Accounts, *, only_wrong: bool = False
    ) -> ErrorResponse:
        """Return an error. If it is known what would have been signed, the explanation shows it.

        Args:
            only_wrong: Whether the explanation of a right signature is left out.
        """
        if not self.settings.verify or error.code in _ALREADY_EXPLAINED or not claim.explains_errors:
            return error
        try:
            account = accounts.by_access_key(claim.access_key_id)
            if account is None:
                return error
            comparison = claim.compare(accounts.with_key(account, claim.access_key_id))
            return error if only_wrong and comparison.is_right else with_comparison(error, comparison)
        except ErrorResponse:
            return error

    def _check_anonymous(self) -> None:
        if self.anonymous_requests is AnonymousRequests.REFUSED:
            raise ACCESS_DENIED.error(
                explanation="the request has no Authorization header, and anonymous requests are refused."
                " Sign it, for example with auth=store.auth()",
            )


def _is_repeated_header(name: str, value: str, request: Request) -> bool:
    """Return whether a parameter of a presigned URL repeats a header of the request."""
    header = name.lower()
    if header not in _REPEATED_HEADERS:
        return False
    sent = request.headers.get(header)
    if sent == value:
        return True
    raise UnsupportedRequest(
        f"the query of the presigned URL has {name}={value!r}, but the request has"
        f" {'no such header' if sent is None else f'the header {name}: {sent!r}'}, which is not supported;"
        " send the header with the value that was presigned"
    )


def _check_is_plain(payload: Payload) -> None:
    if payload is not PLAIN:
        raise UnsupportedRequest("a form whose body is encoded or signed is not supported; send it unsigned")


def authorization_words(schemes: Iterable[AuthScheme], scheme_word: str) -> list[str]:
    """Return the words with which an Authorization header of one of the schemes can begin."""
    words = [scheme.authorization_word(scheme_word) for scheme in schemes]
    return [word for word in words if word is not None]


def describe_scheme(authorization: str, expected: Sequence[str]) -> str:
    """Return a sentence about an Authorization header with an unexpected scheme."""
    scheme, space, credentials = authorization.partition(" ")
    names = " or ".join(map(repr, expected))
    if not space:  # the only word may be a token, so it is not shown
        return f"the Authorization header has no scheme, but this store expects {names}; {_SIGN}"
    sentence = f"the Authorization scheme is {scheme!r}, but this store expects {names};"
    if is_other_version_4(scheme):
        return f"{sentence} {OWN_SCHEME}"
    if scheme and len(expected) == 1 and _CREDENTIALS.fullmatch(credentials):
        return f"{sentence} use fake_store(auth_scheme={scheme!r}) if the application signs like this"
    if scheme.upper() in expected:
        return f"{sentence} write {scheme.upper()!r} in upper case"
    if scheme == "AWS4-HMAC-SHA256":
        return f"{sentence} use {dialect_option('s3')}, which has signature version 4, or sign with auth=store.auth()"
    return f"{sentence} {_SIGN}; if the application authenticates like this, {OWN_SCHEME}"
