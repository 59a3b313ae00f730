"""Messages in the words of the command line."""

from __future__ import annotations

import re

from fakestore.http.request import Request
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.dialects import DIALECT_NAMES, get_dialect

_OPTIONS = "base_url|access_key_id|secret_key|any_access_key|acls|dialect|signatures|region"
_VALUE = r"(?:'([\w.:/-]+)'|\.\.\.|True)"
_SETTING = rf"\b({_OPTIONS})={_VALUE}"
#: A call whose arguments are all options of the command.
_CALL = re.compile(rf"fake_store\(({_SETTING}(?:, {_SETTING})*)\)")
#: What only a test in Python can do, and what a client of the server does instead.
_ADVICE = (
    ("auth=store.auth() dates a request and signs it", "the client must date the request and sign it"),
    ("auth=store.auth(), or send it through store.session()", "the keys of the server"),
    ("auth=store.auth() or send it through store.session()", "the keys of the server"),
    ("auth=store.auth(), store.session() or the application's own signer", "the keys of the server"),
    ("auth=store.auth()", "the keys of the server"),
    ("as the option base_url (--base-url on the command line)", "as --base-url"),
    (", or --acls on the command line,", ","),
    (". On the command line, use --access-key-id and --secret-key, or --any-access-key", ""),
)


def in_options(text: str) -> str:
    """Return a message with the options of the command in place of those of Python.

    Example:
        >>> in_options("use fake_store(dialect='s3') if the application speaks 'x-amz-'")
        "use --dialect s3 if the application speaks 'x-amz-'"
    """
    for advice, instead in _ADVICE:
        text = text.replace(advice, instead)
    text = _CALL.sub(lambda call: call[1].replace(", ", " and "), text)
    return re.sub(_SETTING, lambda setting: f"{_option(setting[1])} {setting[2] or ''}".rstrip(), text)


def explain_option(message: str) -> str:
    """Return the message about an invalid option of a store."""
    text = in_options(message).replace("an access key must", "--access-key-id must")
    text = text.replace("a secret key must", "--secret-key must")
    return re.sub(rf"^(invalid|unknown) ({_OPTIONS})\b", lambda found: f"{found[1]} {_option(found[2])}", text)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def explain_refusal(request: Request, message: str, dialect: str) -> str:
    """Return the message to a client whose request the store does not support.

    If the request has the words of another dialect, the message names the option for it.

    Args:
        request: The request.
        message: The message of the store.
        dialect: The name of the store's dialect.
    """
    text = in_options(message)
    for other in DIALECT_NAMES:
        option = f"--dialect {other}"
        if other != dialect and option not in text and _speaks(request, get_dialect(other)):
            return f"{text}. The client sends a request of another dialect; start the server with {option}"
    return text


def _speaks(request: Request, dialect: Dialect) -> bool:
    prefix, query = dialect.header_prefix, request.target.partition("?")[2].lower()
    if request.headers.get("authorization", "").startswith(dialect.auth_scheme):
        return True
    return any(name.startswith(prefix) for name in request.headers.by_name) or f"&{prefix}" in f"&{query}"
