"""POST Object: an upload from a browser form. Its fields are the headers, and its file is the body."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import quote, urlencode, urlsplit

from fakestore.errors import UnsupportedRequest, invalid_argument
from fakestore.http.form import Form, read_form, require_field
from fakestore.http.message import Headers, Request
from fakestore.model.acl import RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import content_size
from fakestore.model.form_policy import FormPolicy
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.metadata import SYSTEM_METADATA
from fakestore.model.semantics import Limits
from fakestore.operations.acl import parse_acl_headers
from fakestore.operations.form_policy import parse_form_policy
from fakestore.operations.framework.access import BUCKET_WRITE, Access
from fakestore.operations.framework.body import CONTENT, BodyFields, ReceivedBody, pieces_of_length
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import value
from fakestore.operations.framework.parameters import parameters
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.object import store_object
from fakestore.operations.object_headers import ObjectHeaders
from fakestore.operations.tagging import parse_new_tags
from fakestore.protocol.addressing import Address
from fakestore.protocol.auth.scheme import Authentication
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document

#: Form fields that replace the header of the same name. Such a header of the request itself describes the form.
_STANDARD_HEADERS = (*SYSTEM_METADATA, "content-md5")

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

    def open(self, call: Call) -> None:
        """Read the fields, and change the call to the upload of the file."""
        form = open_form(call.request, call.limits)
        fields = call.authenticator.without_form_credentials(form.fields)
        call.entry.acceptance.check_fields(fields, call.dialect)  # [unknown-fields-of-a-form]
        call.request, call.address, call.service_headers = as_upload(
            call.request, call.address, form, fields, call.dialect
        )
        call.headers, call.fields = call.request.headers.by_name, form.fields
        call.ignored += ignored_fields(fields, call.dialect)

    def authenticate(self, call: Call) -> Authentication:
        """Return who signed the policy of the form."""
        assert call.named is not None
        assert call.fields is not None
        accounts = call.state.accounts
        return call.authenticator.authenticate_form(call.received, call.named, call.fields, accounts, call.now)


#: A browser form. Its fields are the headers of the request, and the function receives its file as a `ReceivedBody`.
FORM = replace(CONTENT, stores_headers=False, fields=BrowserForm())


def open_form(request: Request, limits: Limits) -> Form:
    """Read the fields of the form in the body of a request."""
    if "content-encoding" in request.headers:
        raise UnsupportedRequest("a form with Content-Encoding is not supported; send the encoding as a field")
    return read_form(request.headers.get("content-type", ""), pieces_of_length(request), limits.form_fields)


def as_upload(
    request: Request, address: Address, form: Form, fields: Mapping[str, str], dialect: Dialect
) -> tuple[Request, Address, dict[str, str]]:
    """Return the request that a form stands for: its fields as headers, and its file as the body.

    Args:
        request: The request with the form.
        address: The address of the request, a bucket.
        form: The form.
        fields: The fields that are not credentials.
        dialect: The names of the service.

    Returns:
        The request, its address, and the dialect's headers by their names without prefix.
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
    """Return the fields without credentials that the store ignores. [unknown-fields-of-a-form]"""
    known = (*_STANDARD_HEADERS, *_OWN_FIELDS)
    return tuple(name for name in fields if name not in known and not name.startswith(dialect.header_prefix))


def _header_text(value: str) -> str:
    """Return the value of a field as a header value. Each character that is invalid in a header becomes a blank."""
    return re.sub(_NOT_IN_HEADERS, " ", value)


def _metadata_text(value: str, dialect: Dialect) -> str:
    """Return the value of a field as user metadata: unchanged if replies encode it, otherwise as bytes of UTF-8."""
    if dialect.semantics.metadata_is_decoded:
        return value
    return _header_text(value.encode().decode("latin-1"))


@document("PostResponse", has_namespace=False)
class PostResponse:
    """The object that was stored; ``etag`` has its quotes."""

    location: str = child("Location")
    bucket: str = child("Bucket")
    key: str = child("Key")
    etag: str = child("ETag")


_POLICY = "policy"

#: The default status, without a field `success_action_status`.
_NO_CONTENT = 204

_CREATED = 201

_STATUSES = {"200": 200, "201": _CREATED, "204": _NO_CONTENT}


def _fields(call: Call) -> Mapping[str, str]:
    assert call.fields is not None
    return call.fields


def _parse_policy(fields: Mapping[str, str]) -> FormPolicy | None:
    return parse_form_policy(fields[_POLICY]) if _POLICY in fields else None


def _parse_redirect(fields: Mapping[str, str]) -> str | None:
    redirect = fields.get("success_action_redirect", fields.get("redirect"))
    return redirect if redirect is not None and _is_url(redirect) else None


@parameters
class FormFields(ObjectHeaders):
    """The fields of a form.

    Args:
        policy: The policy; None if the form has none.
        success_redirect: The URL to which a success redirects; None for no redirection.
        status: The status of a success without redirection.
    """

    #: The ACL and the tags are fields without the prefix of the dialect.
    acl: RequestedAcl | None = value(lambda call: parse_acl_headers(call) if "acl" in _fields(call) else None)
    tags: FrozenMapping | None = value(parse_new_tags)
    policy: FormPolicy | None = value(lambda call: _parse_policy(_fields(call)))
    success_redirect: str | None = value(lambda call: _parse_redirect(_fields(call)))
    status: int = value(lambda call: _STATUSES.get(_fields(call).get("success_action_status", ""), _NO_CONTENT))

    @classmethod
    def check_request(cls, call: Call) -> None:
        """Check the fields against the policy. The fields have a size limit of their own."""
        fields = _fields(call)
        policy = _parse_policy(fields)
        if policy is not None:
            # A policy cannot contain the credentials that sign it.
            free = frozenset({_POLICY, "awsaccesskeyid", "signature", call.dialect.header("signature")})
            policy.check({**fields, "bucket": call.bucket_name}, free, call.now)


def _is_url(text: str) -> bool:
    """Return whether a browser can be redirected to `text`. Any other text counts as not sent, as documented."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _check_post(call: Call, bucket: BucketRecord, fields: FormFields) -> None:
    fields.check(call, bucket)


@operation(
    "POST Object",
    Route("POST", "bucket"),
    api_name=None,
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=FormFields,
    body=FORM,
    check=_check_post,
    hint="The ACL is in the field acl, and the tags are in the field tagging",
)
def post_object(call: Call, bucket: BucketRecord, fields: FormFields, body: ReceivedBody) -> Result:
    """Store the file of a form as an object."""
    if fields.policy is not None:
        fields.policy.check_size(content_size(body.content))
    result = store_object(call, bucket, fields, body)
    stored = {"bucket": bucket.name, "key": call.key, "etag": result.headers["ETag"]}
    if fields.success_redirect is not None:
        location, status = _redirect_url(fields.success_redirect, stored), 303
    else:
        location, status = call.request.url, fields.status
    document = PostResponse(location=location, **stored) if status == _CREATED else None
    return result._replace(status=status, headers={**result.headers, "Location": location}, document=document)


def _redirect_url(url: str, stored: Mapping[str, str]) -> str:
    """Return a URL with the stored object in its query. Characters that are invalid in a header are encoded."""
    page, mark, fragment = quote(url, safe=string.punctuation).partition("#")
    return f"{page}{'&' if '?' in page else '?'}{urlencode(stored)}{mark}{fragment}"
