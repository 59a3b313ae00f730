"""POST Object: an object that a browser uploads in a form."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import ClassVar, Self
from urllib.parse import quote, urlencode, urlsplit

from fakestore.documents.form import PostResponse
from fakestore.documents.form_policy import parse_form_policy
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import content_size
from fakestore.model.form_policy import FormPolicy
from fakestore.operations.core.authorization import BUCKET_WRITE, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import ENCRYPTION_HEADERS
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.registry import BodyKind, operation
from fakestore.operations.core.result import Result
from fakestore.operations.object.object import put_object
from fakestore.operations.object.put_headers import PutHeaders
from fakestore.protocol.routing import Route

_POLICY = "policy"
#: The status if the field `success_action_status` has no other one.
_NO_CONTENT = 204
_CREATED = 201
_STATUSES = {"200": 200, "201": _CREATED, "204": _NO_CONTENT}


@parameters
class FormFields(Parameters):
    """The fields of a form.

    Args:
        headers: What they say about the new object.
        policy: The policy; None if the form has none.
        redirect: The URL to which a success redirects; None for no redirection.
        status: The status of a success without redirection.
    """

    service_headers: ClassVar[tuple[str, ...]] = (
        "meta-*",
        "storage-class",
        "website-redirect-location",
        *ENCRYPTION_HEADERS,
    )

    headers: PutHeaders
    policy: FormPolicy | None
    redirect: str | None
    status: int

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the fields, and check them against the policy.

        Raises:
            ErrorResponse: AccessDenied or InvalidPolicyDocument, because of the policy; as :meth:`PutHeaders.parse`;
                MalformedXML or InvalidTag, because of the tags.
        """
        assert context.form is not None
        fields = context.form.fields
        policy = None
        if _POLICY in fields:
            policy = parse_form_policy(fields[_POLICY])
            # Credentials that sign the policy cannot be in it.
            free = frozenset({_POLICY, "awsaccesskeyid", "signature", context.dialect.header("signature")})
            policy.check({**fields, "bucket": context.bucket_name}, free, context.now)
        redirect = fields.get("success_action_redirect", fields.get("redirect"))
        return cls(
            PutHeaders.parse(context),
            policy,
            redirect if redirect is not None and _is_url(redirect) else None,
            _STATUSES.get(fields.get("success_action_status", ""), _NO_CONTENT),
        )

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The accesses to set an ACL and tags, each if the form has some."""
        return self.headers.required_access


def _is_url(text: str) -> bool:
    """Return whether a browser can be redirected to `text`. Any other text counts as not sent, as documented."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _check_post(context: RequestContext, bucket: BucketRecord, fields: FormFields) -> None:
    fields.headers.check(context, bucket)


@operation(
    "POST Object",
    Route("POST", "bucket"),
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=FormFields,
    body=BodyKind.FORM,
    check=_check_post,
    hint="The ACL is in the field acl, and the tags are in the field tagging",
)
def post_object(context: RequestContext, bucket: BucketRecord, fields: FormFields, body: ReceivedBody) -> Result:
    """Store the file of a form as an object."""
    if fields.policy is not None:
        fields.policy.check_size(content_size(body.content))
    result = put_object(context, bucket, fields.headers, body)
    stored = {"key": context.key, "bucket": bucket.name, "etag": result.headers["ETag"]}
    if fields.redirect is not None:
        location, status = _redirect_url(fields.redirect, stored), 303
    else:
        location, status = context.request.url, fields.status
    document = PostResponse(location=location, **stored) if status == _CREATED else None
    return result._replace(status=status, headers={**result.headers, "Location": location}, document=document)


def _redirect_url(url: str, stored: Mapping[str, str]) -> str:
    """Return a URL with the object that was stored in its query. Characters that no header can have are encoded."""
    page, mark, fragment = quote(url, safe=string.punctuation).partition("#")
    return f"{page}{'&' if '?' in page else '?'}{urlencode(stored)}{mark}{fragment}"
