"""Credentials in headers, query parameters and form fields, and how texts hide them."""

from __future__ import annotations

import re
from typing import Final

#: The last words of the names of headers, query parameters and form fields that carry credentials, with any prefix.
_NAMES: Final = ("authorization", "cookie", "customer-key", "mfa", "security-token", "signature")
#: What is shown instead of credentials.
HIDDEN: Final = "<hidden>"

_ANY_NAME: Final = f"(?:{'|'.join(_NAMES)})"
#: ``token`` is a whole name, because other names end with it without being credentials: ``continuation-token``.
_PARAMETER: Final = rf"(?i)([?&\s;](?:[^=&\s;]*{_ANY_NAME}|token)=)[^&\s]*"
#: The password in a URL.
_PASSWORD: Final = r"(//[^/?#@\s:]*:)[^/?#@\s]*(?=@)"
_SIGNED: Final = rf"(?im)((?:^|-){_ANY_NAME}[:=])[^\n&]+".encode()
_BODY: Final = re.compile(
    (
        rf'(name="[^"]*{_ANY_NAME}"\r\n(?:[^\r\n]+\r\n)*\r\n'  # a form
        rf"|<ArgumentName>[^<]*{_ANY_NAME}</ArgumentName><ArgumentValue>|<SignatureProvided>)[^<\r]+"  # an error
    ).encode(),
    re.IGNORECASE,
)
#: The URI in an error document.
_URI: Final = re.compile(rb"<URI>[^<]*")


def hide_header(name: str, value: str) -> str:
    """Return the value of a header, or ``<hidden>`` if the header carries credentials."""
    return HIDDEN if name.lower().endswith(_NAMES) else value


def hide_parameters(text: str) -> str:
    """Return a URL, or a sentence with one, without its password and the query parameters that carry credentials.

    Example:
        >>> hide_parameters("GET http://photos.objects.test/cat.jpg?acl&Signature=c2VjcmV0 -> 200")
        'GET http://photos.objects.test/cat.jpg?acl&Signature=<hidden> -> 200'
    """
    return re.sub(_PASSWORD, rf"\1{HIDDEN}", re.sub(_PARAMETER, rf"\1{HIDDEN}", text))


def hide_signed(text: bytes) -> bytes:
    """Return a signed text without the credentials in its headers and parameters."""
    return re.sub(_SIGNED, rb"\1" + HIDDEN.encode(), text)


def hide_in_body(body: bytes) -> bytes:
    """Return a form or an error document without the credentials in its fields, headers and parameters."""
    body = _BODY.sub(rb"\1" + HIDDEN.encode(), body)
    return _URI.sub(lambda uri: hide_parameters(uri[0].decode("latin-1")).encode("latin-1"), body)
