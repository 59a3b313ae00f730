"""The scheme of an Authorization header, and the credentials in it with signature version 2."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fakestore.http.headers import Headers

#: What to do about a signature that no dialect has.
OWN_SCHEME = "give the dialect a signature scheme of your own (docs/reference/signature-schemes.md)"
_OTHER_VERSION_4 = re.compile("(?!AWS4-)[A-Z0-9]+4-(HMAC|RSA)-SHA256")
_SIGN = "sign the request with auth=store.auth() or send it through store.session()"


def authorization_scheme(headers: Headers) -> str | None:
    """Return the first word of the Authorization header, or None if the header was not sent."""
    authorization = headers.by_name.get("authorization")
    return None if authorization is None else authorization.partition(" ")[0]


def is_other_version_4(word: str) -> bool:
    """Return whether a word names signature version 4 of another service, for example ``TOS4-HMAC-SHA256``."""
    return _OTHER_VERSION_4.fullmatch(word) is not None


def describe_scheme(authorization: str, expected: Sequence[str]) -> str:
    """Return a sentence about an Authorization header whose scheme is not one of the expected ones."""
    scheme, space, credentials = authorization.partition(" ")
    names = " or ".join(map(repr, expected))
    if not space:  # the one word may be a token, so it is not shown
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


def parse_credentials(text: str) -> tuple[str, str] | None:
    """Return access key and signature of ``<access key>:<signature>``, or None if the text has another form."""
    access_key_id, _, signature = text.partition(":")
    if not access_key_id or not signature or text.split() != [text]:
        return None
    return access_key_id, signature
