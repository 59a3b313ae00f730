"""Requests for other services, which a general variable such as AWS_ENDPOINT_URL leads to the store."""

from __future__ import annotations

import re

from fakestore.errors import UnsupportedRequest
from fakestore.http.message import Request
from fakestore.messages import escaped

#: The service in the Authorization header of signature version 4.
_SIGNED_FOR = re.compile(r"Credential=[^,]*/(?P<service>[^/,]+)/aws4_request")
#: What an SDK or command says of itself. Other programs may sign for any service.
_SDK = re.compile(r"aws-|boto", re.IGNORECASE)


def refuse_other_services(request: Request, header_prefix: str) -> None:
    """Raise UnsupportedRequest if the request is for another service than the object storage."""
    service = _other_service(request, header_prefix)
    if service is not None:
        raise UnsupportedRequest(
            f"{request.method} {escaped(request.target.partition('?')[0])} is a request for {service}, which fakestore"
            " does not support. The variable AWS_ENDPOINT_URL, or the endpoint_url of its client, leads it to this"
            " store; use AWS_ENDPOINT_URL_S3, which is for S3 alone, and let another mock answer, such as moto"
        )


def _other_service(request: Request, header_prefix: str) -> str | None:
    """Return the name of the service for a message."""
    headers = request.headers.by_name
    if request.target.startswith("/v20180820/") and f"{header_prefix}account-id" in headers:
        return "S3 Control"
    signed_for = _SIGNED_FOR.search(headers.get("authorization", ""))
    service = None if signed_for is None else signed_for["service"]
    if service in (None, "s3", "s3express") or not _SDK.search(headers.get("user-agent", "")):
        target = headers.get(f"{header_prefix}target")  # the form of services that speak JSON
        return None if target is None else repr(target.partition(".")[0])
    return f"the service {service!r}"
