"""POST Object: an object that a browser uploads in a form."""

from __future__ import annotations

import string
from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

from fakestore.documents.form_policy import parse_form_policy
from fakestore.model.acl import RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import content_size
from fakestore.model.form_policy import FormPolicy
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.shape import child, document
from fakestore.operations.core.authorization import BUCKET_WRITE, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.fields import value
from fakestore.operations.core.form import FORM
from fakestore.operations.core.parameters import parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.core.tagging import parse_new_tags
from fakestore.operations.object.object import put_object
from fakestore.operations.object.put_headers import ObjectHeaders
from fakestore.operations.shared.acl import parse_acl_headers
from fakestore.protocol.routing import Route


@document("PostResponse", has_namespace=False)
class PostResponse:
    """The object that was stored; ``etag`` has its quotes."""

    location: str = child("Location")
    bucket: str = child("Bucket")
    key: str = child("Key")
    etag: str = child("ETag")


_POLICY = "policy"
#: The status if the field `success_action_status` has no other one.
_NO_CONTENT = 204
_CREATED = 201
_STATUSES = {"200": 200, "201": _CREATED, "204": _NO_CONTENT}


def _fields(context: RequestContext) -> Mapping[str, str]:
    assert context.fields is not None
    return context.fields


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
    acl: RequestedAcl | None = value(lambda context: parse_acl_headers(context) if "acl" in _fields(context) else None)
    tags: FrozenMapping | None = value(parse_new_tags)
    policy: FormPolicy | None = value(lambda context: _parse_policy(_fields(context)))
    success_redirect: str | None = value(lambda context: _parse_redirect(_fields(context)))
    status: int = value(lambda context: _STATUSES.get(_fields(context).get("success_action_status", ""), _NO_CONTENT))

    @classmethod
    def check_request(cls, context: RequestContext) -> None:
        """Check the fields against the policy. They have a limit of their own, beside that of the header section.

        Raises:
            ErrorResponse: AccessDenied or InvalidPolicyDocument.
        """
        fields = _fields(context)
        policy = _parse_policy(fields)
        if policy is not None:
            # Credentials that sign the policy cannot be in it.
            free = frozenset({_POLICY, "awsaccesskeyid", "signature", context.dialect.header("signature")})
            policy.check({**fields, "bucket": context.bucket_name}, free, context.now)


def _is_url(text: str) -> bool:
    """Return whether a browser can be redirected to `text`. Any other text counts as not sent, as documented."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _check_post(context: RequestContext, bucket: BucketRecord, fields: FormFields) -> None:
    fields.check(context, bucket)


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
def post_object(context: RequestContext, bucket: BucketRecord, fields: FormFields, body: ReceivedBody) -> Result:
    """Store the file of a form as an object."""
    if fields.policy is not None:
        fields.policy.check_size(content_size(body.content))
    result = put_object.run(context, bucket, fields, body)
    stored = {"bucket": bucket.name, "key": context.key, "etag": result.headers["ETag"]}
    if fields.success_redirect is not None:
        location, status = _redirect_url(fields.success_redirect, stored), 303
    else:
        location, status = context.request.url, fields.status
    document = PostResponse(location=location, **stored) if status == _CREATED else None
    return result._replace(status=status, headers={**result.headers, "Location": location}, document=document)


def _redirect_url(url: str, stored: Mapping[str, str]) -> str:
    """Return a URL with the object that was stored in its query. Characters that no header can have are encoded."""
    page, mark, fragment = quote(url, safe=string.punctuation).partition("#")
    return f"{page}{'&' if '?' in page else '?'}{urlencode(stored)}{mark}{fragment}"
