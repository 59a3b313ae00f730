"""What tests of authentication share: stores, requests as botocore signs them, and readers for replies."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from botocore.auth import HmacV1Auth, HmacV1QueryAuth, S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from fakestore import S3, Account, FakeStore
from fakestore.http import Headers, Request
from tests.support import wire

# The credentials that the public documentation uses in its examples.
KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
CREDENTIALS = Credentials(KEY, SECRET)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://s3.amazonaws.com/photos/cat.jpg"

#: The dialect S3 with signature version 2 only, so that the store signs with it as well.
S3_WITH_VERSION_2 = replace(S3, auth=S3.auth[:2])

V4_HEADER, V4_QUERY, V2_HEADER, V2_QUERY = FORMS = ("v4 header", "v4 query", "v2 header", "v2 query")
SIGNERS = {
    V4_HEADER: partial(S3SigV4Auth, service_name="s3", region_name="us-east-1"),
    V4_QUERY: partial(S3SigV4QueryAuth, service_name="s3", region_name="us-east-1", expires=60),
    V2_HEADER: HmacV1Auth,
    V2_QUERY: partial(HmacV1QueryAuth, expires=60),
}


def new_store(**options) -> FakeStore:
    """Return a store with the published credentials and one bucket, which verifies signatures."""
    defaults = {
        "dialect": "s3",
        "buckets": ["photos"],
        "signatures": "verify",
        "access_key_id": KEY,
        "secret_key": SECRET,
    }
    return FakeStore(**defaults | options)


class Answer(NamedTuple):
    """The answer to a request, and the account that the store identified as its sender."""

    status: int
    code: str | None
    message: str
    elements: dict[str, str]
    explanation: str
    account: Account | None


def answer_to(store: FakeStore, request: Request) -> Answer:
    """Send a request to a store and return the answer."""
    reply = store.handle(request)
    texts = wire.elements(reply) if b"<Error>" in reply.body else {}
    standard = ("Code", "Message", "Resource", "RequestId", "HostId")
    elements = {name: text for name, text in texts.items() if name not in standard}
    exchange = store.exchanges[-1]
    return Answer(
        reply.status,
        exchange.error_code,
        texts.get("Message", ""),
        elements,
        exchange.explanation or "",
        exchange.account,
    )


def from_wire(method: str, url: str, headers, body: bytes | str | None) -> Request:
    """Return a request with the headers and the body that a client library prepared."""
    fields = [(name, value.decode() if isinstance(value, bytes) else value) for name, value in headers.items()]
    return Request.to_url(method, url, Headers(fields), body.encode() if isinstance(body, str) else body or b"")


def sign_by(signer, method: str, url: str = URL, headers=(), body: bytes = b"") -> Request:
    """Return a request as a signer of botocore signs it."""
    in_query = isinstance(signer, S3SigV4QueryAuth | HmacV1QueryAuth)
    request = AWSRequest(method=method, url=url, headers=dict(headers), data=b"" if in_query else body)
    signer.add_auth(request)
    sent = request.prepare()
    fields = dict(sent.headers)
    if in_query:  # the client that has the URL sends the body and dates the request
        fields = {name: value for name, value in fields.items() if name.lower() not in ("content-length", "date")}
        fields["Content-Length"] = str(len(body))
    return from_wire(method, sent.url, fields, body)


def signed(form: str, method: str = "PUT", url: str = URL, headers=(), body: bytes = b"", **options) -> Request:
    """Return a request that is signed in one of the `FORMS`; `options` replace the arguments of the signer."""
    return sign_by(SIGNERS[form](**{"credentials": CREDENTIALS} | options), method, url, headers, body)


def with_headers(request: Request, headers: dict[str, str | None]) -> Request:
    """Return the request with these headers in place of those of the same names; None removes one."""
    kept = [field for field in request.headers.fields if field[0].lower() not in map(str.lower, headers)]
    added = [(name, value) for name, value in headers.items() if value is not None]
    return replace(request, headers=Headers([*kept, *added]))


def with_target(request: Request, old: str, new: str) -> Request:
    """Return the request with `new` in place of `old` in its path and query."""
    assert old in request.target
    return replace(request, target=request.target.replace(old, new, 1))
