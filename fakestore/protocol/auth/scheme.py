"""The interface of signature schemes, and what the schemes share.

A scheme is one signature version in one place of a request. It reads a claim from the request.
"""

from __future__ import annotations

import hmac
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from typing import NamedTuple, Protocol

from fakestore.errors import ACCESS_DENIED, REQUEST_TIME_TOO_SKEWED, SIGNATURE_DOES_NOT_MATCH, ErrorResponse
from fakestore.http.message import Body, Headers, Request
from fakestore.http.secrets import hide_signed
from fakestore.http.values import http_date, wire_bytes
from fakestore.messages import iso_date, shortened
from fakestore.model.accounts import Account, Requester
from fakestore.protocol.addressing import Address

#: The advice for a signature that no dialect has.
OWN_SCHEME = "give the dialect a signature scheme of your own (docs/reference/signature-schemes.md)"
#: The methods for which a signature may have been made.
_METHODS = ("GET", "PUT", "HEAD", "DELETE", "POST")
#: The words for signature version 4 of other services, for example ``TOS4-HMAC-SHA256``.
_OTHER_VERSION_4 = re.compile("(?!AWS4-)[A-Z0-9]+4-(HMAC|RSA)-SHA256")


class Verifier(Protocol):
    """A signature algorithm of your own. Pass it as the option ``signatures``.

    It replaces signature version 2 (HMAC-SHA1) in the Authorization header. All other signatures are checked as with
    ``signatures="verify"``. ``store.auth()`` signs with this algorithm, but in the dialect ``S3`` with version 4.

    Example:
        >>> class Reversed:
        ...     def signature(self, request, address, secret_key):
        ...         return secret_key[::-1]
    """

    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        """Return the signature of `request` with `secret_key`, as text without blanks.

        Args:
            request: The request. Its body may be a stream, which this method must not read.
            address: The bucket, the key and the query that the request names.
            secret_key: The secret key of the account that the access key belongs to.
        """


class AuthSettings(NamedTuple):
    """The settings of a store and its dialect that the schemes follow.

    Args:
        header_prefix: The prefix of the dialect's headers, for example ``"x-amz-"``. The query parameters of
            signature version 4 have the same prefix, capitalised.
        scheme_word: The first word of the Authorization header with signature version 2.
        verify: Whether signatures are checked. If not, credentials only select the account.
        verifier: The algorithm that replaces HMAC-SHA1 in the Authorization header.
        max_clock_skew: The largest difference between the date of a request and the store's clock. ``None`` accepts
            any date. A presigned URL expires in either case.
        region: The region that the scope of a signature must name, for one request; ``None`` accepts every region.
        aws_chunked: Whether a body may be sent with ``Content-Encoding: aws-chunked`` under any scheme.
    """

    header_prefix: str
    scheme_word: str
    verify: bool
    verifier: Verifier | None
    max_clock_skew: timedelta | None
    region: str | None
    aws_chunked: bool

    @property
    def key_element(self) -> str:
        """The element of an error that repeats an access key, for example ``AWSAccessKeyId``."""
        return f"{self.scheme_word}AccessKeyId"

    def header(self, name: str) -> str:
        """Return the dialect's header `name`, for example ``x-amz-date`` for ``date``."""
        return self.header_prefix + name

    def parameter(self, name: str) -> str:
        """Return the query parameter `name` of signature version 4, for example ``X-Amz-Date`` for ``Date``."""
        return self.header_prefix.title() + name


class SignatureProperties(NamedTuple):
    """The values of a signature for conditions of policies.

    Args:
        version: ``AWS`` for signature version 2, or ``AWS4-HMAC-SHA256`` for version 4.
        auth_type: ``REST-HEADER``, ``REST-QUERY-STRING`` or ``POST``.
        signed_at: The date of a presigned URL with signature version 4; None for others.
    """

    version: str
    auth_type: str
    signed_at: datetime | None = None


class Payload(Protocol):
    """How a body is decoded and checked."""

    @property
    def decoded_length(self) -> int | None:
        """The size of the decoded body in bytes, or None if Content-Length states it."""

    def decode(self, body: Body) -> Body:
        """Return the content of the body.

        If trailing headers follow the content, the result has them in its attribute `trailers` after it was read.

        If the body is malformed or differs from the signed body, the result raises ErrorResponse, at the latest when it
        is read to its end. So nothing may be stored before the end.
        """


class PlainPayload(NamedTuple):
    """A body that is neither encoded nor signed."""

    decoded_length: None = None

    def decode(self, body: Body) -> Body:
        return body


PLAIN = PlainPayload()


class Authentication(NamedTuple):
    """The result of authentication.

    Example:
        >>> Authentication(FakeStore().default_account).signature is None
        True

    Args:
        requester: Who sent the request.
        payload: How the body is decoded and checked. By default it is read as it was sent.
        signature: The values of the signature for conditions of policies; None if the requester is anonymous, or the
            signature has no such values.
    """

    requester: Requester
    payload: Payload = PLAIN
    signature: SignatureProperties | None = None


class SigningContext(NamedTuple):
    """The account, clock and settings with which a scheme signs requests.

    Args:
        account: The account that signs.
        now: The store's clock.
        settings: The settings that the scheme follows.
        region: The region that answers the request.
    """

    account: Account
    now: datetime
    settings: AuthSettings
    region: str


class SignatureComparison(NamedTuple):
    """A received signature, and what the store would have signed.

    Example:
        >>> account = FakeStore().default_account
        >>> SignatureComparison(account, "0a1b", "0a1b", b"GET /cat.jpg").is_right
        True

    Args:
        account: The account that the access key belongs to.
        received: The signature in the request.
        expected: The signature that the account makes. It is never shown.
        string_to_sign: The text that the store would have signed; None if it is not known, because a Verifier signs.
        canonical_request: In signature version 4, the text whose hash is in `string_to_sign`.
        not_sent: In signature version 4, the names of the signed headers that were not sent.
        signed_for: What the received signature was made for instead, for a person to read; empty if it is not known.
    """

    account: Account
    received: str
    expected: str
    string_to_sign: bytes | None
    canonical_request: bytes | None = None
    not_sent: tuple[str, ...] = ()
    signed_for: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the account made the received signature."""
        return hmac.compare_digest(wire_bytes(self.expected), wire_bytes(self.received))

    def check(self, key_element: str = "AWSAccessKeyId") -> None:
        """Check that the account made the received signature.

        Args:
            key_element: The name of the element in which an error repeats the access key.

        Raises:
            ErrorResponse: SignatureDoesNotMatch. It shows the text that the store would have signed. It never shows the
                right signature, a token or a key.
        """
        if self.is_right:
            return
        elements = {
            key_element: self.account.access_key_id,
            "StringToSign": _readable(self.string_to_sign),
            "SignatureProvided": self.received,
            "StringToSignBytes": _hexadecimal(self.string_to_sign),
            "CanonicalRequest": _readable(self.canonical_request),
            "CanonicalRequestBytes": _hexadecimal(self.canonical_request),
        }
        known = {name: text for name, text in elements.items() if text is not None}
        raise ErrorResponse(SIGNATURE_DOES_NOT_MATCH, explanation=self.describe(), elements=known)

    def describe(self) -> str:
        """Return whether the signature is right, and the texts that are signed.

        Only the beginning of the received signature is shown, because another service may accept it.
        """
        text = f"the signature {shortened(self.received)!r} itself is right"
        if not self.is_right:
            reason = self.signed_for or (
                f"the store computed another one for this request, with the secret key of account {self.account}"
            )
            text = f"the signature {shortened(self.received)!r} is wrong: {reason}"
        if self.not_sent:
            text += (
                f". The signature that was sent covers headers that were not sent: {', '.join(self.not_sent)}; without"
                " them the signed method is unknown"
            )
        if self.string_to_sign is not None:
            text += f". The string to sign is {_readable(self.string_to_sign)!r}"
        if self.canonical_request is not None:
            text += f", and the canonical request is {_readable(self.canonical_request)!r}"
        return text


@dataclass(frozen=True)
class Claim(ABC):
    """What the credentials of a request say. A scheme reads it, and the store verifies it.

    The store calls the methods of a claim in the order in which they are listed here. If a method raises an
    ErrorResponse, it is the error of the request. A subclass has at least the method `compare`.

    Example:
        >>> class Reversed(Claim):
        ...     def compare(self, account):
        ...         return SignatureComparison(account, self.received, account.secret_key[::-1], None)
        >>> account = FakeStore().default_account
        >>> Reversed(account.access_key_id, "guess").compare(account).is_right
        False

    Args:
        access_key_id: The access key.
        received: The signature in the request.
    """

    access_key_id: str
    received: str

    def check_term(self) -> None:  # noqa: B027  (only a presigned URL has a term)
        """Check the term of a presigned URL, before its account is known."""

    def check_date(self, now: datetime) -> None:  # noqa: B027  (a form has no date to check)
        """Check the date of the signature against the store's clock."""

    def check_region(self) -> None:  # noqa: B027  (only version 4 names a region)
        """Check that the signature is for the region that answers the request."""

    def check_coverage(self) -> None:  # noqa: B027  (version 2 always covers the same)
        """Check that the signature is for this store, and covers every header that it must cover.

        This method and `compare` are only called if signatures are verified.
        """

    @abstractmethod
    def compare(self, account: Account) -> SignatureComparison:
        """Return the received signature and what the store would have signed for `account`.

        The store verifies the signature with it, and explains the error of any other check with it.
        """

    @property
    def properties(self) -> SignatureProperties | None:
        """The values of the signature for conditions of policies; None if the signature has no such values."""
        return None

    @property
    def explains_errors(self) -> bool:
        """Whether `compare` can explain the error of another check.

        It cannot if the request lacks what is signed, or if a Verifier signs, because a Verifier expects only otherwise
        valid requests.
        """
        return True

    def payload(self, comparison: SignatureComparison | None) -> Payload:
        """Return how the body is decoded and checked. By default it is read as it was sent.

        Args:
            comparison: The verified signature; None if signatures are not verified.
        """
        return PLAIN


class AuthScheme(Protocol):
    """A scheme in headers or in the query. Pass it to :class:`fakestore.Dialect` as one of `auth`."""

    @property
    def name(self) -> str:
        """A name for people, for example ``"signature version 4 in the query"``."""

    def authorization_word(self, scheme_word: str) -> str | None:
        """Return the first word of the Authorization header, or None if the credentials are in the query.

        Args:
            scheme_word: The first word of the dialect with signature version 2.
        """

    def is_used_by(self, request: Request, address: Address, settings: AuthSettings) -> bool:
        """Return whether the request has credentials of this scheme, well-formed or not."""

    def read(self, request: Request, address: Address, settings: AuthSettings) -> Claim:
        """Return what the credentials of the request say.

        Raises:
            ErrorResponse: If the credentials are malformed.
        """


class HeaderScheme(AuthScheme, Protocol):
    """A scheme in the Authorization header. By default, the first word of the header selects it."""

    def is_used_by(self, request: Request, address: Address, settings: AuthSettings) -> bool:
        word = request.headers.by_name.get("authorization", "").partition(" ")[0]
        return word == self.authorization_word(settings.scheme_word)

    def sign(self, request: Request, address: Address, context: SigningContext) -> dict[str, str]:
        """Return the headers that sign the request. They replace headers of the same name."""


class QueryScheme(AuthScheme, Protocol):
    """A scheme in the query, which makes a presigned URL."""

    def credential_parameters(self, settings: AuthSettings) -> frozenset[str]:
        """Return the query parameters that belong to the credentials and not to the operation."""

    def authorization_word(self, scheme_word: str) -> None:
        return None

    def presign(
        self, request: Request, address: Address, context: SigningContext, expires_in: timedelta
    ) -> dict[str, str]:
        """Return the query parameters that sign the request until `expires_in` from now. They end its URL.

        Raises:
            ValueError: If the scheme does not allow `expires_in`.
        """


class FormScheme(Protocol):
    """A scheme in the fields of a browser form. They sign its policy.

    Pass it to :class:`fakestore.Dialect` as one of `form_auth`.
    """

    @property
    def name(self) -> str:
        """A name for people, for example ``"form fields with signature version 4"``."""

    def credential_fields(self, settings: AuthSettings) -> frozenset[str]:
        """Return the lower-case names of the fields that belong to the credentials and not to the object."""

    def is_used_by(self, fields: Mapping[str, str], settings: AuthSettings) -> bool:
        """Return whether the form has credentials of this scheme, well-formed or not."""

    def read(self, fields: Mapping[str, str], settings: AuthSettings) -> Claim:
        """Return what the credentials of the form say.

        Args:
            fields: The fields by lower-case name.

        Raises:
            ErrorResponse: If the credentials are incomplete or malformed.
        """


def is_other_version_4(word: str) -> bool:
    return _OTHER_VERSION_4.fullmatch(word) is not None


def with_signed_for(
    comparison: SignatureComparison, request: Request, changes: Iterable[Headers], sign: Callable[[Request], str]
) -> SignatureComparison:
    """Return the comparison of a wrong signature. It says which other method or headers the signature was made for.

    Args:
        changes: The headers that may have been signed instead of those of the request.
        sign: Returns the signature of a request.
    """
    for headers, method in product((request.headers, *changes), (request.method, *_METHODS)):
        if sign(replace(request, method=method, headers=headers)) == comparison.received:
            return comparison._replace(signed_for=_describe_signed(request, method, headers))
    return comparison


def with_presigned_for(
    comparison: SignatureComparison,
    query: Mapping[str, str],
    credentials: Set[str],
    sign: Callable[[Mapping[str, str]], str],
    headers: Set[str] = frozenset(),
) -> SignatureComparison:
    """Return the comparison of a wrong signature in a URL. It says what may have been presigned instead.

    Args:
        query: The query, whose end a client may have added to the presigned URL.
        credentials: The names of the parameters of the credentials.
        sign: Returns the signature of the request with another query.
        headers: The names of the signed headers.
    """
    if comparison.is_right or comparison.signed_for or comparison.not_sent:
        return comparison
    names = list(query)
    end = 1 + max(place for place, name in enumerate(names) if name in credentials)
    if sign({name: query[name] for name in names[:end]}) == comparison.received:
        reason = f"it was presigned without {', '.join(names[end:])} in the query"
    else:
        host = "host, " if "host" in headers else ""
        values = "".join(f", with another value of the header {name}" for name in sorted(headers - {"host"}))
        reason = (
            f"it was presigned for another {host}bucket, key or query than this{values}, or with another secret key"
            f" than that of account {comparison.account}"
        )
    return comparison._replace(signed_for=reason)


def _describe_signed(request: Request, method: str, headers: Headers) -> str:
    """Return a sentence about the method and the headers that were signed."""
    parts = [f"it was signed for {method}, but the request is a {request.method}"] if method != request.method else []
    changed = {name for name in (*request.headers, *headers) if request.headers.get(name) != headers.get(name)}
    for name in sorted(changed):
        signed, sent = (_describe_header(name, each) for each in (headers, request.headers))
        parts.append(f"it was signed {signed}, but the request was sent {sent}")
    return " and ".join(parts)


def _describe_header(name: str, headers: Headers) -> str:
    """Return ``with the header <name>: <value>`` without secrets, or ``without the header <name>``."""
    if name not in headers:
        return f"without the header {name}"
    (field,) = Headers({name: headers[name]}).fields_to_show
    return f"with the header {': '.join(field)}"


def headers_in_query(address: Address, settings: AuthSettings, without: Set[str]) -> Headers:
    """Return the headers of the dialect that are in the query, except parameters in `without`."""
    return Headers(
        (name, value)
        for name, value in address.query.items()
        if name not in without and name.lower().startswith(settings.header_prefix)
    )


def with_comparison(error: ErrorResponse, comparison: SignatureComparison) -> ErrorResponse:
    """Return an error whose explanation also says whether the signature is right, and what is signed."""
    description = comparison.describe()
    explanation = f"{error.explanation.rstrip('.')}. {description[0].upper()}{description[1:]}"
    return error.replace(explanation=explanation)


def expired(received: str, moment: datetime, now: datetime, **elements: str) -> ErrorResponse:
    """Return the error for a presigned URL that expired at `moment`, according to the parameters `received`."""
    return ErrorResponse(
        ACCESS_DENIED,
        "Request has expired",
        explanation=f"the presigned URL expired at {iso_date(moment)} ({received}) and the store's clock says"
        f" {iso_date(now)}; presign it with a larger expires_in, or check the clocks",
        elements={**elements, "Expires": iso_date(moment), "ServerTime": iso_date(now)},
    )


def check_clock_skew(
    moment: datetime, sent: str, now: datetime, show: Callable[[datetime], str], limit: timedelta | None
) -> None:
    """Check that the date of a request is near enough to the store's clock.

    Args:
        moment: The date of the request.
        sent: The same date as it was sent.
        show: Returns the text of a date as the error document shows it.
        limit: The largest difference; None accepts any date.
    """
    if limit is not None and abs(now - moment) > limit:
        raise REQUEST_TIME_TOO_SKEWED.error(
            explanation=f"the request is dated {http_date(moment)} and the store's clock says {http_date(now)};"
            f" the difference is more than {limit}. fake_store(max_clock_skew=None) accepts any date",
            RequestTime=sent,
            ServerTime=show(now),
            MaxAllowedSkewMilliseconds=str(int(limit.total_seconds() * 1000)),
        )


def _readable(text: bytes | None) -> str | None:
    return None if text is None else hide_signed(text).decode("utf-8", "replace")


def _hexadecimal(text: bytes | None) -> str | None:
    return None if text is None else hide_signed(text).hex(" ")
