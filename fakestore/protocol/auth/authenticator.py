"""The authenticator: which of a dialect's schemes a request uses, and who sent it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from fakestore.http.request import Request
from fakestore.model.accounts import ANONYMOUS, Accounts
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.semantics import AnonymousRequests
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.base import (
    Authentication,
    AuthRules,
    AuthScheme,
    choose_scheme,
    headers_in_query,
    unsigned_payload,
)
from fakestore.protocol.auth.encoding import with_headers
from fakestore.protocol.auth.errors import no_credentials

#: The headers about a checksum of the body, without the prefix of the dialect.
_CHECKSUMS = (*(f"checksum-{algorithm.lower()}" for algorithm in ChecksumAlgorithm), "sdk-checksum-algorithm")


class Authenticator(NamedTuple):
    """Authenticates the requests to a store.

    Args:
        schemes: The forms of credentials that the dialect has.
        rules: What the schemes follow.
        anonymous_requests: How a request without credentials is answered.
    """

    schemes: tuple[AuthScheme, ...]
    rules: AuthRules
    anonymous_requests: AnonymousRequests

    def without_credentials(self, request: Request, address: Address) -> tuple[Request, Address]:
        """Return the request and its address as the operation sees them, without the credentials of a presigned URL.

        The query of a presigned URL may also contain headers of the dialect. They become headers of the request, except
        checksums, which are ignored because some SDKs presign the checksum of an empty body. [checksums-in-the-query]
        """
        if not address.query:
            return request, address
        names = frozenset[str]().union(
            *(
                scheme.credential_parameters(self.rules)
                for scheme in self.schemes
                if scheme.is_used_by(request, address, self.rules)
            )
        )
        if not names:
            return request, address
        headers = headers_in_query(address, self.rules, names)
        query = {
            name: value for name, value in address.query.items() if name not in names and name.lower() not in headers
        }
        ignored = {self.rules.header(name) for name in _CHECKSUMS}
        sent = {name: value for name, value in headers.items() if name not in ignored}
        return with_headers(request, {**sent, **request.headers}), replace(address, query=query)

    def authenticate(self, request: Request, address: Address, accounts: Accounts, now: datetime) -> Authentication:
        """Return who sent a request, and how its body is decoded.

        Raises:
            ErrorResponse: If the credentials are missing, malformed, unknown or out of date, or the signature is wrong.
        """
        scheme = choose_scheme(self.schemes, request, address, self.rules)
        if scheme is not None:
            return scheme.authenticate(request, address, accounts, now, self.rules)
        if self.anonymous_requests is AnonymousRequests.REFUSED:
            raise no_credentials()
        return Authentication(ANONYMOUS, unsigned_payload(request, self.rules))
