"""The errors of authentication. They show what the store would have signed, and never a secret."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from fakestore.errors import ACCESS_DENIED, REQUEST_TIME_TOO_SKEWED, SIGNATURE_DOES_NOT_MATCH, ErrorResponse
from fakestore.http.secrets import hide_signed
from fakestore.http.values import http_date, wire_bytes
from fakestore.messages import iso_date, shortened
from fakestore.model.accounts import Account

#: The advice for a signature that no dialect has.
OWN_SCHEME = "give the dialect a signature scheme of your own (docs/reference/signature-schemes.md)"
#: The words for signature version 4 of other services, for example ``TOS4-HMAC-SHA256``.
_OTHER_VERSION_4 = re.compile("(?!AWS4-)[A-Z0-9]+4-(HMAC|RSA)-SHA256")
_SIGN = "sign the request with auth=store.auth() or send it through store.session()"


def is_other_version_4(word: str) -> bool:
    return _OTHER_VERSION_4.fullmatch(word) is not None


def parse_credentials(text: str) -> tuple[str, str] | None:
    """Return access key and signature of ``<access key>:<signature>``, or None if the text has another form."""
    access_key_id, _, signature = text.partition(":")
    if not access_key_id or not signature or text.split() != [text]:
        return None
    return access_key_id, signature


def describe_scheme(authorization: str, expected: Sequence[str]) -> str:
    """Return a sentence about an Authorization header with an unexpected scheme."""
    scheme, space, credentials = authorization.partition(" ")
    names = " or ".join(map(repr, expected))
    if not space:  # the only word may be a token, so it is not shown
        return f"the Authorization header has no scheme, but this store expects {names}; {_SIGN}"
    sentence = f"the Authorization scheme is {scheme!r}, but this store expects {names};"
    if is_other_version_4(scheme):
        return f"{sentence} {OWN_SCHEME}"
    if scheme and len(expected) == 1 and parse_credentials(credentials) is not None:
        return f"{sentence} use fake_store(auth_scheme={scheme!r}) if the application signs like this"
    if scheme.upper() in expected:
        return f"{sentence} write {scheme.upper()!r} in upper case"
    if scheme == "AWS4-HMAC-SHA256":
        return f"{sentence} use fake_store(dialect='s3'), which has signature version 4, or sign with auth=store.auth()"
    return f"{sentence} {_SIGN}"


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
    """

    account: Account
    received: str
    expected: str
    string_to_sign: bytes | None
    canonical_request: bytes | None = None
    not_sent: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether the account made the received signature."""
        return hmac.compare_digest(wire_bytes(self.expected), wire_bytes(self.received))

    def check(self) -> None:
        """Check that the account made the received signature.

        Raises:
            ErrorResponse: SignatureDoesNotMatch. It shows the text that the store would have signed. It never shows the
                right signature, a token or a key.
        """
        if self.is_right:
            return
        elements = {
            "AWSAccessKeyId": self.account.access_key_id,
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
        beginning = repr(shortened(self.received))
        if self.is_right:
            text = f"the signature {beginning} itself is right"
        else:
            text = (
                f"the signature {beginning} is wrong: the store computed another one for this request, with the secret"
                f" key of account {self.account}"
            )
        if self.not_sent:
            text += f". The signature that was sent covers headers that were not sent: {', '.join(self.not_sent)}"
        if self.string_to_sign is not None:
            text += f". The string to sign is {_readable(self.string_to_sign)!r}"
        if self.canonical_request is not None:
            text += f", and the canonical request is {_readable(self.canonical_request)!r}"
        return text


def with_comparison(error: ErrorResponse, comparison: SignatureComparison) -> ErrorResponse:
    """Return an error whose explanation also says whether the signature is right, and what is signed."""
    description = comparison.describe()
    explanation = f"{error.explanation.rstrip('.')}. {description[0].upper()}{description[1:]}"
    return error.replace(explanation=explanation)


def _readable(text: bytes | None) -> str | None:
    return None if text is None else hide_signed(text).decode("utf-8", "replace")


def _hexadecimal(text: bytes | None) -> str | None:
    return None if text is None else hide_signed(text).hex(" ")
