"""POST Object: an upload from a browser form. Its fields are the headers, and its file is the body."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, urlencode, urlsplit

from fakestore.errors import UnsupportedRequest, invalid_argument
from fakestore.http.form import read_form, require_field
from fakestore.http.message import Headers
from fakestore.model.acl import RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.metadata import SYSTEM_METADATA
from fakestore.model.names import is_header_name
from fakestore.operations.acl import parse_acl_headers
from fakestore.operations.form_policy import FormPolicy, parse_form_policy
from fakestore.operations.framework.access import BUCKET_WRITE, Access
from fakestore.operations.framework.allowed_names import SELECTIVE_HEADERS, is_listed, unsupported, unsupported_name
from fakestore.operations.framework.body import ObjectContent, pieces_of_length
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.credentials import Credentials
from fakestore.operations.framework.inputs import value
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import Result
from fakestore.operations.object import store_object
from fakestore.operations.object_headers import ObjectHeaders
from fakestore.operations.tagging import parse_new_tags
from fakestore.protocol.auth.scheme import Authentication
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import Route
from fakestore.protocol.unsupported import describe_foreign_headers, feature_of_field, prefixed_headers
from fakestore.xml.declarations import child, document

#: Form fields that replace the header of the same name. Such a header of the request itself describes the form.
_STANDARD_HEADERS = (*SYSTEM_METADATA, "content-md5")

#: Other fields that the store reads.
_OWN_FIELDS = ("acl", "key", "policy", "redirect", "success_action_redirect", "success_action_status", "tagging")


class FormCredentials(Credentials):
    """The credentials of a request are in fields of a form, and so are the headers of the upload.

    A dialect without signatures in fields has the credentials in the headers of the form.
    """

    headers_in_fields = True

    @staticmethod
    def read_fields(call: Call) -> None:
        """Read the fields, and change the call to the upload of the file."""
        request, dialect = call.request, call.dialect
        if "content-encoding" in request.headers:
            raise UnsupportedRequest("a form with Content-Encoding is not supported; send the encoding as a field")
        content_type = request.headers.get("content-type", "")
        sent, file = read_form(content_type, pieces_of_length(call), call.limits.form_fields)
        fields = call.service.authenticator.without_form_credentials(sent)
        _check_names(call, fields)
        key = require_field(sent, "key")
        if not key:
            raise invalid_argument(
                "key",
                "",
                "User key must have a length greater than 0.",
                explanation="the field 'key' of the form is empty; it names the object",
            )
        kept = [(name, value) for name, value in request.headers.items() if name not in _STANDARD_HEADERS]
        headers = [(name, _header_text(fields[name])) for name in _STANDARD_HEADERS if name in fields]
        path = request.target.partition("?")[0].rstrip("/")
        upload = replace(request, target=f"{path}/{quote(key)}", headers=Headers([*kept, *headers]), body=file)
        call.replace_request(upload, call.address._replace(key=key))
        call.fields = sent
        call.service_headers = {**call.service_headers, **_service_headers(fields, dialect)}
        known, prefix = (*_STANDARD_HEADERS, *_OWN_FIELDS), dialect.header_prefix
        call.ignored += tuple(name for name in fields if name not in known and not name.startswith(prefix))

    @staticmethod
    def authenticate(call: Call, region: str | None) -> Authentication:
        """Return who signed the policy of the form."""
        return call.service.authenticator.authenticate_form(
            call.received, call.received_address, call.fields, call.state.accounts, call.now, region
        )


def _check_names(call: Call, fields: Mapping[str, str]) -> None:
    """Check that the operation knows the fields that mean something. [unknown-fields-of-a-form]

    Args:
        fields: The fields that are not credentials, by lower-case name.
    """
    dialect, known = call.dialect, frozenset((*FormFields.header_names, *FormFile.header_names))
    for name in fields:
        feature = feature_of_field(name, dialect)
        if feature is not None:
            raise unsupported(call, f"the field {name!r} belongs to {feature}")
        bare = name.removeprefix(dialect.header_prefix)
        is_own = bare != name
        if is_own and not is_header_name(bare):
            raise unsupported(call, f"the field {name!r} cannot be the name of a header")
        if name in SELECTIVE_HEADERS or (is_own and not is_listed(bare, known)):
            raise unsupported_name(call, "field", name, map(dialect.header, known))
    headers = Headers(fields)
    _, foreign = prefixed_headers(headers, dialect.header_prefix)
    if foreign:
        raise unsupported(call, describe_foreign_headers(foreign, headers, dialect))


class FormFile(ObjectContent):
    """The file of a browser form. The fields of the form are the headers of the request."""

    standard_header_names = frozenset()
    has_length = False


def _service_headers(fields: Mapping[str, str], dialect: Dialect) -> dict[str, str]:
    """Return the fields that are headers of the dialect, by their names without prefix."""
    prefix = dialect.header_prefix
    headers = {}
    for name, text in fields.items():
        if name.startswith(f"{prefix}meta-"):
            headers[name.removeprefix(prefix)] = _metadata_text(text, dialect)
        elif name.startswith(prefix):
            headers[name.removeprefix(prefix)] = _header_text(text)
    if "acl" in fields:
        headers["acl"] = fields["acl"]
    return headers


def _header_text(value: str) -> str:
    """Return the value of a field as a header value.

    Each character that is invalid in a header becomes a blank: control characters, and those beyond ISO-8859-1.
    """
    return re.sub(r"[^\t -~\x80-\xff]", " ", value)


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


#: The statuses that the field `success_action_status` can choose. Without a valid field, it is 204.
_STATUSES = {"200": 200, "201": 201, "204": 204}


def _parse_policy(call: Call) -> FormPolicy | None:
    text = call.fields.get("policy")
    return None if text is None else parse_form_policy(text)


def _parse_success_redirect(call: Call) -> str | None:
    """Return the URL to which the browser is redirected. Any other text counts as not sent, as documented."""
    redirect = call.fields.get("success_action_redirect", call.fields.get("redirect", ""))
    try:
        parts = urlsplit(redirect)
    except ValueError:
        return None
    return redirect if parts.scheme in ("http", "https") and parts.netloc else None


class FormFields(ObjectHeaders):
    """The fields of a form. `status` is the status of a success without redirection."""

    #: The ACL and the tags are fields without the prefix of the dialect.
    acl: RequestedAcl | None = value(lambda call: parse_acl_headers(call) if "acl" in call.fields else None)
    tags: FrozenMapping | None = value(parse_new_tags)
    policy: FormPolicy | None = value(_parse_policy)
    success_redirect: str | None = value(_parse_success_redirect)
    status: int = value(lambda call: _STATUSES.get(call.fields.get("success_action_status", ""), 204))

    @classmethod
    def check_raw(cls, call: Call) -> None:
        """Check the fields against the policy. The fields have a size limit of their own."""
        policy = _parse_policy(call)
        if policy is not None:
            # A policy cannot contain the credentials that sign it.
            free = frozenset({"policy", "awsaccesskeyid", "signature", call.dialect.header("signature")})
            policy.check({**call.fields, "bucket": call.bucket_name}, free, call.now)


@operation(
    "POST Object",
    Route("POST", "bucket"),
    api_name=None,
    access=Access("s3:PutObject", BUCKET_WRITE),
    credentials=FormCredentials,
    hint="The ACL is in the field acl, and the tags are in the field tagging",
)
def post_object(call: Call, bucket: BucketRecord, form: FormFields, body: FormFile) -> Result:
    if form.policy is not None:
        form.policy.check_size(len(body.content))
    result = store_object(call, bucket, form, body, "ObjectCreated:Post")
    stored = {"bucket": bucket.name, "key": call.key, "etag": result.headers["ETag"]}
    if form.success_redirect is not None:
        location, status = _redirect_url(form.success_redirect, stored), 303
    else:
        location, status = call.request.url, form.status
    document = PostResponse(location=location, **stored) if status == 201 else None
    return result._replace(status=status, headers={**result.headers, "Location": location}, document=document)


def _redirect_url(url: str, stored: Mapping[str, str]) -> str:
    """Return a URL with the stored object in its query. Characters that are invalid in a header are encoded."""
    page, mark, fragment = quote(url, safe=string.punctuation).partition("#")
    return f"{page}{'&' if '?' in page else '?'}{urlencode(stored)}{mark}{fragment}"


OPERATIONS = (post_object,)
