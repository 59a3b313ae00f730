"""Browser forms as requests: fields play the part of headers, and the file that of the body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import quote

from fakestore.http.form import Form, read_form, require_field
from fakestore.http.headers import Headers
from fakestore.http.request import Request
from fakestore.model.errors import invalid_argument
from fakestore.model.limits import Limits
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.body import BodyFields, BodyKind, longest_upload, pieces_of_length
from fakestore.operations.core.checksums import ContentHeaders
from fakestore.operations.core.context import RequestContext
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.scheme import Authentication
from fakestore.protocol.dialect import Dialect

#: Fields that are the headers of the same name. Those of the request itself are about the form.
_STANDARD_HEADERS = (
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-md5",
    "content-type",
    "expires",
)
#: Other fields that the store reads.
_OWN_FIELDS = (
    "acl",
    "key",
    "policy",
    "redirect",
    "success_action_redirect",
    "success_action_status",
    "tagging",
)
#: Characters that no header can have: control characters, and those beyond ISO-8859-1.
_NOT_IN_HEADERS = r"[^\t -~\x80-\xff]"


class BrowserForm(BodyFields):
    """The fields of a browser form, and the request that the form stands for."""

    def open(self, context: RequestContext) -> None:
        """Read the fields, and make the call one for the upload of the file."""
        form = open_form(context.request, context.limits)
        fields = context.authenticator.without_form_credentials(form.fields)
        context.entry.acceptance.check_fields(fields, context.dialect)
        context.request, context.address, context.service_headers = as_upload(
            context.request, context.address, form, fields, context.dialect
        )
        context.headers, context.fields = context.request.headers.by_name, form.fields
        context.ignored += ignored_fields(fields, context.dialect)

    def authenticate(self, context: RequestContext) -> Authentication:
        """Return who signed the policy of the form."""
        assert context.named is not None
        assert context.fields is not None
        accounts = context.state.accounts
        return context.authenticator.authenticate_form(
            context.received, context.named, context.fields, accounts, context.now
        )


#: A browser form. Its fields are the headers of the request, and the function receives its file as a `ReceivedBody`.
FORM = BodyKind(headers=ContentHeaders, max_length=longest_upload, has_default_checksum=True, fields=BrowserForm())


def open_form(request: Request, limits: Limits) -> Form:
    """Read the fields of the form in the body of a request.

    Raises:
        ErrorResponse: As :func:`read_form`; MissingContentLength or InvalidArgument; IncompleteBody, at the latest
            when the file is read.
        UnsupportedRequest: As :func:`read_form`; if the body is encoded.
        Exception: Whatever reading the body raises.
    """
    if "content-encoding" in request.headers:
        raise UnsupportedRequest("a form with Content-Encoding is not supported; send the encoding as a field")
    return read_form(request.headers.get("content-type", ""), pieces_of_length(request), limits.form_fields)


def as_upload(
    request: Request, address: Address, form: Form, fields: Mapping[str, str], dialect: Dialect
) -> tuple[Request, Address, dict[str, str]]:
    """Return the request that a form stands for: its fields as headers, and its file as the body.

    Args:
        request: The request with the form.
        address: What it names, a bucket.
        form: The form.
        fields: The fields that are not credentials.
        dialect: How the service names things.

    Returns:
        The request, what it names, and the dialect's headers by their names without prefix.

    Raises:
        ErrorResponse: InvalidArgument, if the form has no key.
    """
    key = require_field(form.fields, "key")
    if not key:
        raise invalid_argument(
            "key",
            "",
            "User key must have a length greater than 0.",
            explanation="the field 'key' of the form is empty; it names the object",
        )
    prefix = dialect.header_prefix
    kept = [(name, value) for name, value in request.headers.items() if name not in _STANDARD_HEADERS]
    headers = [(name, _header_text(fields[name])) for name in _STANDARD_HEADERS if name in fields]
    service_headers = {
        name.removeprefix(prefix): value for name, value in request.headers.items() if name.startswith(prefix)
    }
    for name, text in fields.items():
        if name.startswith(f"{prefix}meta-"):
            service_headers[name.removeprefix(prefix)] = _metadata_text(text, dialect)
        elif name.startswith(prefix):
            service_headers[name.removeprefix(prefix)] = _header_text(text)
    if "acl" in fields:
        service_headers["acl"] = fields["acl"]
    path = request.target.partition("?")[0].rstrip("/")
    upload = replace(request, target=f"{path}/{quote(key)}", headers=Headers([*kept, *headers]), body=form.file)
    return upload, address._replace(key=key), service_headers


def ignored_fields(fields: Iterable[str], dialect: Dialect) -> tuple[str, ...]:
    """Return the fields without credentials that mean nothing to the store. [unknown-fields-of-a-form]"""
    known = (*_STANDARD_HEADERS, *_OWN_FIELDS)
    return tuple(name for name in fields if name not in known and not name.startswith(dialect.header_prefix))


def _header_text(value: str) -> str:
    """Return the value of a field as that of a header: with a blank for each character that no header can have."""
    return re.sub(_NOT_IN_HEADERS, " ", value)


def _metadata_text(value: str, dialect: Dialect) -> str:
    """Return the value of a field as user metadata: as it is if replies encode it, otherwise as its bytes of UTF-8."""
    if dialect.semantics.metadata_is_decoded:
        return value
    return _header_text(value.encode().decode("latin-1"))
