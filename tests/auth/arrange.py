"""What tests of authentication share: accounts, requests as botocore signs them, and how a request is authenticated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import unquote_plus

from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from fakestore.http import Headers, Request
from fakestore.model.accounts import Accounts
from fakestore.model.errors import ErrorResponse
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.base import Authentication, AuthRules, choose_scheme
from fakestore.protocol.auth.schemes import HMAC_SHA1_HEADER, HMAC_SHA1_QUERY, VERSION_4_HEADER, VERSION_4_QUERY

# The credentials that the public documentation uses in its examples.
KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
CREDENTIALS = Credentials(KEY, SECRET)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
PUBLISHED = datetime(2013, 5, 24, tzinfo=UTC)
HOST = "s3.amazonaws.com"

VERIFY = AuthRules(header_prefix="x-amz-", scheme_word="AWS", verify=True, region="us-east-1", aws_chunked=True)
ACCEPT = AuthRules(header_prefix="x-amz-", scheme_word="AWS", verify=False, region="us-east-1", aws_chunked=True)
SCHEMES = (VERSION_4_HEADER, VERSION_4_QUERY, HMAC_SHA1_HEADER, HMAC_SHA1_QUERY)


def accounts() -> Accounts:
    known = Accounts()
    known.create("amy", access_key_id=KEY, secret_key=SECRET)
    return known


def read_address(request: Request, host: str = HOST) -> Address:
    """Return what a request names, in path style or as a virtual host."""
    path, _, raw = request.target.partition("?")
    name = request.host.partition(":")[0]
    bucket = None if name == host else name.removesuffix("." + host)
    resource = path if bucket is None else f"/{bucket}{path}"
    query = {}
    for pair in raw.split("&") if raw else ():
        key, _, value = pair.partition("=")
        query[unquote_plus(key)] = unquote_plus(value)
    first, _, rest = resource[1:].partition("/")
    return Address(first or None, rest or None, query, resource)


def authenticate(request: Request, rules: AuthRules = VERIFY, now: datetime = NOW, host: str = HOST) -> Authentication:
    """Authenticate with the scheme that the request uses."""
    address = read_address(request, host)
    scheme = choose_scheme(SCHEMES, request, address, rules)
    assert scheme is not None
    return scheme.authenticate(request, address, accounts(), now, rules)


def status_of(action: Callable[[], object]) -> int:
    """Return 200, or the status of the error that the service answers."""
    try:
        action()
    except ErrorResponse as error:
        return error.error.status
    return 200


def signed_by_botocore(signer, method: str, url: str, headers=(), body: bytes = b"") -> Request:
    """Return the request as botocore puts it on the wire."""
    prepared = AWSRequest(
        method=method, url=url, headers=dict(headers), data=body if "Query" not in type(signer).__name__ else b""
    )
    signer.add_auth(prepared)
    sent = prepared.prepare()
    fields = [(name, value.decode() if isinstance(value, bytes) else value) for name, value in sent.headers.items()]
    return Request.to_url(method, sent.url, Headers(fields), body)
