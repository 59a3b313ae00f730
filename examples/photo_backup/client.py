"""The requests that the application sends, one method each, and the errors of the service."""

import base64
import hashlib
import mimetypes
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit
from xml.etree.ElementTree import Element, ParseError

import requests

from . import documents
from .documents import ErrorResponse, Grant, HistoryEntry, StoredObject
from .signing import Signature

TIMEOUT_SECONDS = 60
PAGE_SIZE = 1000

Query = Mapping[str, str | None]


class ServiceError(Exception):
    """The service answered with an error.

    ``status`` is the status of the response. A copy that fails halfway reports its error with status 200.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.message = message


class NotAllowed(ServiceError):
    """The account does not have the permission."""


class NotFound(ServiceError):
    """The object, the version or the bucket does not exist."""


class Damaged(Exception):
    """The received content differs from the stored content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The address of the service, the credentials, and the vendor's spellings."""

    base_url: str
    access_key_id: str
    secret_key: str
    auth_scheme: str = "SVC"
    header_prefix: str = "x-svc-"


class BucketClient:
    """Signed requests to one bucket, addressed as ``<scheme>://<bucket>.<host>/<key>``.

    Every method raises ``NotAllowed``, ``NotFound`` or their base class ``ServiceError`` if the service answers with
    an error, and ``requests.RequestException`` if it cannot be reached.
    """

    def __init__(self, service: Service, name: str, *, session: requests.Session | None = None) -> None:
        self.name = name
        self._service = service
        self._session = session or requests.Session()
        self._auth = Signature(
            name,
            service.access_key_id,
            service.secret_key,
            scheme=service.auth_scheme,
            header_prefix=service.header_prefix,
        )

    def put(self, key: str, content: bytes) -> None:
        """Store ``content`` under ``key``. The service compares the content with the MD5 that is sent."""
        self._send("PUT", key, headers={"Content-Type": content_type(key)}, body=content)

    def get(self, key: str, *, if_none_match: str | None = None) -> bytes | None:
        """Return the content stored under ``key``, or None if its ETag is ``if_none_match``.

        Raises:
            Damaged: If the MD5 of the content differs from its ETag. They are equal for objects that were uploaded
                in one request, as this application does.
        """
        response = self._send("GET", key, headers={"If-None-Match": if_none_match} if if_none_match else {})
        if response.status_code == requests.codes.not_modified:
            return None
        if etag_of(response.content) != response.headers["ETag"]:
            raise Damaged(f"the received content of {key!r} differs from the stored content")
        return response.content

    def exists(self, key: str) -> bool:
        """Return whether an object is stored under ``key``."""
        try:
            self._send("HEAD", key)
        except NotFound:
            return False
        return True

    def copy(self, source: str, target: str, *, version_id: str | None = None, grants: Iterable[Grant] = ()) -> None:
        """Copy ``source``, or its version ``version_id``, to ``target``.

        The copy has these grants; without any it is private to the requester.
        """
        version = f"?versionId={quote(version_id, safe='')}" if version_id else ""
        copy_source = {"copy-source": f"/{self.name}/{encoded(source)}{version}"}
        response = self._send("PUT", target, headers=self._vendor_headers(copy_source | grant_headers(grants)))
        if error := documents.error_response(documents.parse(response.content)):
            raise service_error(response.status_code, error)

    def delete(self, key: str, *, version_id: str | None = None) -> None:
        """Delete ``key``, or permanently delete one version or delete marker of it."""
        self._send("DELETE", key, query={"versionId": version_id} if version_id else {})

    def objects(self, prefix: str = "", *, page_size: int = PAGE_SIZE) -> Iterator[StoredObject]:
        """Yield the objects whose keys begin with ``prefix``, sorted by key.

        A page of at most ``page_size`` objects is requested when its first object is needed.
        """
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(page_size), "prefix": prefix}
        while True:
            page = self._listing(query)
            yield from documents.stored_objects(page)
            if documents.text(page, "IsTruncated") != "true":
                return
            query["continuation-token"] = documents.text(page, "NextContinuationToken")

    def history(self, prefix: str = "", *, page_size: int = PAGE_SIZE) -> Iterator[HistoryEntry]:
        """Yield versions and delete markers of keys that begin with ``prefix``, sorted by key, newest first.

        A page of at most ``page_size`` entries is requested when its first entry is needed.
        """
        query: dict[str, str | None] = {
            "versions": None,
            "encoding-type": "url",
            "max-keys": str(page_size),
            "prefix": prefix,
        }
        while True:
            page = self._listing(query)
            yield from documents.history_entries(page)
            if documents.text(page, "IsTruncated") != "true":
                return
            query["key-marker"] = documents.url_text(page, "NextKeyMarker")
            query["version-id-marker"] = documents.text(page, "NextVersionIdMarker")

    def grants(self, key: str) -> list[Grant]:
        """Return the access control list of the object under ``key``."""
        return documents.grants(documents.parse(self._send("GET", key, query={"acl": None}).content))

    def set_grants(self, key: str, grants: Iterable[Grant]) -> None:
        """Replace all grants on the object under ``key``, including those of its owner."""
        self._send("PUT", key, query={"acl": None}, headers=self._vendor_headers(grant_headers(grants)))

    def set_canned_acl(self, key: str, canned_acl: str) -> None:
        """Replace all grants on the object under ``key`` by a predefined (canned) ACL."""
        self._send("PUT", key, query={"acl": None}, headers=self._vendor_headers({"acl": canned_acl}))

    def set_lifecycle(self, configuration: bytes) -> None:
        """Replace the lifecycle rules of the bucket by those of an XML document."""
        headers = {"Content-Type": "application/xml"}
        self._send("PUT", query={"lifecycle": None}, headers=headers, body=configuration)

    def _listing(self, query: Query) -> Element:
        return documents.parse(self._send("GET", query=query).content)

    def _vendor_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {self._service.header_prefix + name: value for name, value in headers.items()}

    def _send(
        self,
        method: str,
        key: str = "",
        *,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> requests.Response:
        digest = {} if body is None else {"Content-MD5": base64.b64encode(md5(body)).decode()}
        response = self._session.request(
            method,
            self._url(key, query or {}),
            headers={**(headers or {}), **digest},
            data=body,
            auth=self._auth,
            timeout=TIMEOUT_SECONDS,
            # The signature is for this bucket, so it would be invalid after a redirect.
            allow_redirects=False,
        )
        if response.status_code >= 300 and response.status_code != requests.codes.not_modified:
            raise service_error(response.status_code, error_of(response))
        return response

    def _url(self, key: str, query: Query) -> str:
        base = urlsplit(self._service.base_url)
        parameters = "&".join(
            name if value is None else f"{name}={quote(value, safe='')}" for name, value in query.items()
        )
        url = f"{base.scheme}://{self.name}.{base.netloc}/{encoded(key)}"
        return f"{url}?{parameters}" if parameters else url


def encoded(key: str) -> str:
    """Percent-encode ``key`` as the path of a URL, so that no client or proxy normalises it to another path."""
    segments = [
        segment.replace(".", "%2E") if segment in {".", ".."} else quote(segment, safe="") for segment in key.split("/")
    ]
    path = "/".join(segments)
    return "%2F" + path[1:] if path.startswith("/") else path


def md5(content: bytes) -> bytes:
    """Return the MD5 of ``content``. It detects changes and is not used for security."""
    return hashlib.md5(content, usedforsecurity=False).digest()


def etag_of(content: bytes) -> str:
    """Return the ETag of ``content``: its MD5 in hexadecimal, in double quotes."""
    return f'"{md5(content).hex()}"'


def content_type(key: str) -> str:
    """Return the MIME type for the file name. Compressed files are plain bytes."""
    guessed, compression = mimetypes.guess_type(key)
    return guessed if guessed and not compression else "application/octet-stream"


def grant_headers(grants: Iterable[Grant]) -> dict[str, str]:
    """Return grants as headers, one for each permission, without the prefix of their names."""
    grantees: defaultdict[str, list[str]] = defaultdict(list)
    for grant in grants:
        grantees["grant-" + grant.permission.lower().replace("_", "-")].append(grant.grantee)
    return {name: ", ".join(names) for name, names in grantees.items()}


def error_of(response: requests.Response) -> ErrorResponse:
    """Return the error in a response. A response to HEAD has no body, and that of a proxy may not be XML."""
    try:
        error = documents.error_response(documents.parse(response.content))
    except ParseError:
        error = None
    return error or ErrorResponse(f"HTTP {response.status_code}", "the response contains no error document")


def service_error(status: int, error: ErrorResponse) -> ServiceError:
    """Return the exception for an error response with this status."""
    kinds = {requests.codes.forbidden: NotAllowed, requests.codes.not_found: NotFound}
    return kinds.get(status, ServiceError)(status, error.code, error.message)
