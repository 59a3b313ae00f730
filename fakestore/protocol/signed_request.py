"""The parts of a signature of version 4: a scope and its key, a date, and the canonical request."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from fakestore.errors import ACCESS_DENIED, ErrorCode, ErrorResponse
from fakestore.http.message import DEFAULT_PORTS, Request
from fakestore.http.values import wire_bytes
from fakestore.messages import counted, iso_date
from fakestore.model.accounts import Account
from fakestore.protocol.scheme import AuthSettings
from fakestore.protocol.signature_errors import SignatureComparison

ALGORITHM = "AWS4-HMAC-SHA256"
_TERMINAL = "aws4_request"
_SERVICE = "s3"

_BLANKS = re.compile(r"[ \t]{2,}|\t")
_TIMESTAMP = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z")


def parse_timestamp(text: str) -> datetime | None:
    """Return the moment of a text such as ``20130524T000000Z``, or None if it is not valid."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime(*map(int, match.groups()), tzinfo=UTC)  # type: ignore[arg-type,misc]  # six integers
    except ValueError:
        return None


def render_timestamp(moment: datetime) -> str:
    """Return a moment in UTC as ``20130524T000000Z``."""
    return iso_date(moment).replace("-", "").replace(":", "")


class SigningScope(NamedTuple):
    """The day, the region and the service that a signature is for.

    Example:
        >>> str(SigningScope("20130524", "us-east-1"))
        '20130524/us-east-1/s3/aws4_request'
    """

    date: str
    region: str
    service: str = _SERVICE
    terminal: str = _TERMINAL

    def __str__(self) -> str:
        return f"{self.date}/{self.region}/{self.service}/{self.terminal}"


class ErrorWording(NamedTuple):
    """The row and the beginning of the message of the errors of one scheme."""

    row: ErrorCode
    beginning: str

    def error(self, text: str, *, explanation: str, **elements: str) -> ErrorResponse:
        """Return an error whose message ends in `text`."""
        return ErrorResponse(self.row, f"{self.beginning}{text}", explanation=explanation, elements=elements)


class Credential(NamedTuple):
    """The credential ``<access key>/YYYYMMDD/REGION/SERVICE/aws4_request``, and the wording of its errors."""

    access_key_id: str
    scope: SigningScope
    wording: ErrorWording

    @classmethod
    def parse(cls, text: str, wording: ErrorWording) -> Credential:
        parts = text.rsplit("/", 4)
        if len(parts) != 5 or not parts[0]:
            reason = f"the credential has {counted(len(parts), 'part')}"
            if len(parts) == 5:
                reason = "the access key in the credential is empty"
            raise wording.error(
                'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
                explanation=f"{reason}; expected five parts separated by slashes: access key, date, region, service"
                " and aws4_request",
            )
        return cls(parts[0], SigningScope(*parts[1:]), wording)

    def check_scope(self, timestamp: str, settings: AuthSettings) -> None:
        """Check the scope against the request's date and the store's region."""
        scope = self.scope
        expected = SigningScope(timestamp[:8], settings.region or scope.region)
        if scope == expected:
            return
        explanation = f"the scope of the signature is '{scope}', but this request of {timestamp} needs '{expected}'"
        if parse_timestamp(f"{scope.date}T000000Z") is None:
            problem = (
                f'incorrect date format "{scope.date}". This date in the credential must be in the format "yyyyMMdd".'
            )
        elif scope.date != expected.date:
            problem = (
                f'Invalid credential date "{scope.date}". This date is not the same as {settings.parameter("Date")}:'
                f' "{expected.date}".'
            )
        elif scope.region != expected.region:
            raise self.wording.error(
                f"the region '{scope.region}' is wrong; expecting '{expected.region}'",
                explanation=f"{explanation}; configure the client with the region {expected.region!r}",
                Region=expected.region,
            )
        elif scope.service != _SERVICE:
            problem = f'incorrect service "{scope.service}". This endpoint belongs to "{_SERVICE}".'
        else:
            problem = f'incorrect terminal "{scope.terminal}". This endpoint uses "{_TERMINAL}".'
        raise self.wording.error(problem, explanation=explanation)


@lru_cache(maxsize=256)
def signing_key(secret_key: str, scope: SigningScope) -> bytes:
    key = b"AWS4" + secret_key.encode("utf-8", "surrogatepass")
    for part in (scope.date, scope.region, scope.service, scope.terminal):
        key = hmac.digest(key, part.encode("utf-8", "surrogatepass"), "sha256")
    return key


class SignedRequest(NamedTuple):
    """The parts of a request that its signature covers.

    Args:
        query: The decoded query, without the signature.
        signed_headers: The names of the signed headers, in lower case.
        payload_hash: The last line of the canonical request.
        timestamp: The date of the request, for example ``20130524T000000Z``.
    """

    request: Request
    query: Mapping[str, str]
    signed_headers: frozenset[str]
    payload_hash: str
    timestamp: str
    scope: SigningScope

    def canonical_request(self) -> bytes:
        query = sorted((_encode(name), _encode(value)) for name, value in self.query.items())
        names = sorted(self.signed_headers)
        lines = [
            self.request.method,
            _encode_path(self.request.target),
            "&".join(f"{name}={value}" for name, value in query),
            *(f"{name}:{self._header(name)}" for name in names),
            "",
            ";".join(names),
            self.payload_hash,
        ]
        return b"\n".join(map(wire_bytes, lines))

    def _header(self, name: str) -> str:
        value = self.request.headers.get(name)
        if value is None and name == "host":  # clients send it without a default port
            value = self.request.host.removesuffix(f":{DEFAULT_PORTS.get(self.request.scheme)}")
        # A signed header that was not sent changes the signature (fact presigned-006).
        return _BLANKS.sub(" ", value or "")

    def compare(self, account: Account, received: str) -> SignatureComparison:
        """Return the received signature and what the store would have signed for `account`."""
        canonical = self.canonical_request()
        digest = hashlib.sha256(canonical).hexdigest()
        text = wire_bytes(f"{ALGORITHM}\n{self.timestamp}\n{self.scope}\n{digest}")
        expected = hmac.digest(signing_key(account.secret_key, self.scope), text, "sha256").hex()
        not_sent = tuple(sorted(self.signed_headers.difference(self.request.headers, {"host"})))
        return SignatureComparison(account, received, expected, text, canonical, not_sent)

    def signature(self, account: Account) -> str:
        return self.compare(account, "").expected


def _encode(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _encode_path(target: str) -> str:
    """Return the path of a request target, decoded and encoded again as signatures require."""
    path = target.partition("?")[0] or "/"
    return quote(unquote_to_bytes(path.encode("utf-8", "surrogatepass")))


def names_to_sign(request: Request, settings: AuthSettings) -> frozenset[str]:
    """Return the names of the headers that the store signs: the required headers, Content-Type and Content-MD5."""
    optional = {"content-md5", "content-type"}
    return frozenset(
        ["host", *(name for name in request.headers if name in optional or name.startswith(settings.header_prefix))]
    )


def check_signed_headers(request: Request, signed_headers: frozenset[str], settings: AuthSettings) -> None:
    """Check that Host and every header of the dialect is signed.

    The header with the hash of the body may be unsigned, because its value is signed in any case (fact presigned-011).
    """
    exempt = settings.header("content-sha256")
    unsigned = [
        name
        for name in request.headers
        if name.startswith(settings.header_prefix) and name not in signed_headers and name != exempt
    ]
    if "host" not in signed_headers:
        unsigned.append("host")
    if unsigned:
        names = ", ".join(sorted(unsigned))
        covered = ", ".join(sorted(filter(None, signed_headers))) or "no header"
        raise ACCESS_DENIED.error(
            "There were headers present in the request which were not signed",
            explanation=f"the request was sent with headers that its signature does not cover: {names}. It covers"
            f" {covered}. Host and every header that begins with {settings.header_prefix!r} must"
            " be signed",
            HeadersNotSigned=names,
        )
