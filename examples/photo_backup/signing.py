"""Signing of requests, by the public rules of the S3 REST authentication of 2006."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from requests import PreparedRequest
from requests.auth import AuthBase

SIGNED_SUBRESOURCES = frozenset(
    {
        "acl",
        "lifecycle",
        "location",
        "logging",
        "notification",
        "partNumber",
        "policy",
        "requestPayment",
        "uploadId",
        "uploads",
        "versionId",
        "versioning",
        "versions",
        "website",
    }
)


class Signature(AuthBase):
    """Adds a date and a signature to each request to one bucket.

    Adds ``Date``, unless the request has one, and ``Authorization: <scheme> <access key id>:<signature>``.
    The signature covers the method, Content-MD5, Content-Type, Date, the vendor's headers and the resource.
    """

    def __init__(
        self,
        bucket: str,
        access_key_id: str,
        secret_key: str,
        *,
        scheme: str = "SVC",
        header_prefix: str = "x-svc-",
    ) -> None:
        self._bucket = bucket
        self._access_key_id = access_key_id
        self._secret_key = secret_key
        self._scheme = scheme
        self._header_prefix = header_prefix

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers.setdefault("Date", formatdate(usegmt=True))
        digest = hmac.digest(self._secret_key.encode(), self.string_to_sign(request).encode(), hashlib.sha1)
        signature = base64.b64encode(digest).decode()
        request.headers["Authorization"] = f"{self._scheme} {self._access_key_id}:{signature}"
        return request

    def string_to_sign(self, request: PreparedRequest) -> str:
        """Return the text that is signed. A service shows its own if it computed another signature."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        return "\n".join(
            [
                request.method or "",
                headers.get("content-md5", ""),
                headers.get("content-type", ""),
                headers["date"],
                *self._vendor_headers(headers),
                self._resource(request.url or ""),
            ]
        )

    def _vendor_headers(self, headers: Mapping[str, str]) -> list[str]:
        return [f"{name}:{headers[name].strip()}" for name in sorted(headers) if name.startswith(self._header_prefix)]

    def _resource(self, url: str) -> str:
        """Return ``/<bucket>/<key>`` as it is sent, with the signed parameters of the query in order of names."""
        parts = urlsplit(url)
        parameters = [parameter.partition("=") for parameter in parts.query.split("&")]
        signed = "&".join(
            name + equals + unquote(value) for name, equals, value in sorted(parameters) if name in SIGNED_SUBRESOURCES
        )
        return f"/{self._bucket}{parts.path or '/'}" + (f"?{signed}" if signed else "")
