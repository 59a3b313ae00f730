"""The errors of authentication. They show what the store would have signed, and never a secret."""

from __future__ import annotations

from datetime import datetime

from fakestore.http.secrets import hide_signed
from fakestore.model.accounts import Account
from fakestore.model.errors import ACCESS_DENIED, SIGNATURE_DOES_NOT_MATCH, ErrorResponse
from fakestore.protocol.auth.authorization_header import describe_scheme

#: How many characters of a received signature an explanation has.
_SHOWN = 8


def no_credentials() -> ErrorResponse:
    """Return the error for a request without credentials."""
    return ACCESS_DENIED.error(
        explanation="the request has no Authorization header, and anonymous requests are refused."
        " Sign it with auth=store.auth(), or send it through store.session()",
    )


def unknown_scheme(authorization: str, scheme_word: str) -> ErrorResponse:
    """Return the error for an Authorization header of another scheme. It never repeats a token."""
    return ACCESS_DENIED.error(explanation=describe_scheme(authorization, scheme_word))


def expired(moment: datetime, now: datetime, **elements: str) -> ErrorResponse:
    """Return the error for a presigned URL that was valid until `moment`."""
    return ErrorResponse(
        ACCESS_DENIED,
        "Request has expired",
        explanation=f"the presigned URL expired at {iso_date(moment)} and the store's clock says {iso_date(now)};"
        " presign it with a larger expires_in, or check the clocks",
        elements={**elements, "Expires": iso_date(moment), "ServerTime": iso_date(now)},
    )


def iso_date(moment: datetime) -> str:
    """Return a moment in UTC as ``2013-05-24T00:00:00Z``."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def wrong_signature(
    account: Account,
    received: str,
    string_to_sign: bytes | None,
    canonical_request: bytes | None = None,
    *,
    in_document: bool = True,
) -> ErrorResponse:
    """Return the error for a signature that is not the account's.

    It shows what the store would have signed, and never the signature of it, a token or a key. The explanation has only
    the beginning of the received signature, because another service may accept it.

    Args:
        account: The account that the access key belongs to.
        received: The signature in the request.
        string_to_sign: The text that the store would have signed, if it is known.
        canonical_request: The text whose hash is in `string_to_sign`, in signature version 4.
        in_document: Whether the error document has these texts, too.
    """
    explanation = (
        f"the signature {_beginning(received)!r} is not the one that {account} makes for this request, as it arrived,"
        " with the secret key that the store has"
    )
    if string_to_sign is not None:
        explanation += f". The string to sign is {_readable(string_to_sign)!r}"
    if canonical_request is not None:
        explanation += f", and the canonical request is {_readable(canonical_request)!r}"
    elements = _signature_elements(account, received, string_to_sign if in_document else None, canonical_request)
    return ErrorResponse(SIGNATURE_DOES_NOT_MATCH, explanation=explanation, elements=elements)


def _signature_elements(
    account: Account, received: str, string_to_sign: bytes | None, canonical_request: bytes | None
) -> dict[str, str]:
    elements = {
        "AWSAccessKeyId": account.access_key_id,
        "StringToSign": _readable(string_to_sign),
        "SignatureProvided": received,
        "StringToSignBytes": _hexadecimal(string_to_sign),
        "CanonicalRequest": _readable(canonical_request),
        "CanonicalRequestBytes": _hexadecimal(canonical_request),
    }
    return {name: text for name, text in elements.items() if text is not None}


def _beginning(signature: str) -> str:
    return signature if len(signature) <= _SHOWN else f"{signature[:_SHOWN]}..."


def _readable(text: bytes | None) -> str | None:
    return None if text is None else hide_signed(text).decode("utf-8", "replace")


def _hexadecimal(text: bytes | None) -> str | None:
    return None if text is None else hide_signed(text).hex(" ")
