"""The requests that the application makes, each a method, and the ways in which a service says no."""

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
    """The service refused, and said why.

    ``status`` is that of HTTP; a copy that fails half-way says so under a 200.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.message = message


class NotAllowed(ServiceError):
    """The account may not do this; another one might."""


class NotThere(ServiceError):
    """There is no such object, version or bucket."""


class Damaged(Exception):
    """What arrived is not what is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Where the service is, who asks it, and how it spells what is its own."""

    base_url: str
    access_key_id: str
    secret_key: str
    auth_scheme: str = "SVC"
    header_prefix: str = "x-svc-"


class BucketClient:
    """Signed requests to one bucket, addressed as ``<scheme>://<bucket>.<host>/<key>``.

    Every method raises ``NotAllowed``, ``NotThere`` or their base ``ServiceError`` when the service refuses,
    and ``requests.RequestException`` when it cannot be reached.
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
        """Store ``content`` under ``key``; the service checks what it got against the digest sent along."""
        self._send("PUT", key, headers={"Content-Type": content_type(key)}, body=content)

    def get(self, key: str, *, unless: str | None = None) -> bytes | None:
        """The content stored under ``key``, or None if its ETag is ``unless``.

        Raises:
            Damaged: the content's MD5 is not its ETag. This application stores objects in one piece each, and
                the ETag of such an object is its MD5.
        """
        response = self._send("GET", key, headers={"If-None-Match": unless} if unless else {})
        if response.status_code == requests.codes.not_modified:
            return None
        if etag_of(response.content) != response.headers["ETag"]:
            raise Damaged(f"{key!r} did not arrive as it is stored")
        return response.content

    def exists(self, key: str) -> bool:
        """Whether something is stored under ``key`` now."""
        try:
            self._send("HEAD", key)
        except NotThere:
            return False
        return True

    def copy(self, source: str, target: str, *, version_id: str | None = None, grants: Iterable[Grant] = ()) -> None:
        """Store what is, or in version ``version_id`` was, under ``source`` also under ``target``.

        The copy has the grants given; without any it is private to the account that asks.
        """
        wanted = f"?versionId={quote(version_id, safe='')}" if version_id else ""
        copy_source = {"copy-source": f"/{self.name}/{encoded(source)}{wanted}"}
        response = self._send("PUT", target, headers=self._own_headers(copy_source | grant_headers(grants)))
        if error := documents.refusal(documents.parse(response.content)):
            raise refused(response.status_code, error)

    def delete(self, key: str, *, version_id: str | None = None) -> None:
        """Delete ``key``, or one version or delete marker of it for good."""
        self._send("DELETE", key, query={"versionId": version_id} if version_id else {})

    def objects(self, prefix: str = "", *, page_size: int = PAGE_SIZE) -> Iterator[StoredObject]:
        """What is stored now under keys that begin with ``prefix``, by key.

        A page of at most ``page_size`` is asked for when its first object is needed.
        """
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(page_size), "prefix": prefix}
        while True:
            page = self._listing(query)
            yield from documents.stored_objects(page)
            if documents.text(page, "IsTruncated") != "true":
                return
            query["continuation-token"] = documents.text(page, "NextContinuationToken")

    def history(self, prefix: str = "", *, page_size: int = PAGE_SIZE) -> Iterator[HistoryEntry]:
        """Versions and delete markers of keys that begin with ``prefix``, by key, the newest of a key first.

        A page of at most ``page_size`` is asked for when its first entry is needed.
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
        """Who may do what with the object under ``key``."""
        return documents.grants(documents.parse(self._send("GET", key, query={"acl": None}).content))

    def set_grants(self, key: str, grants: Iterable[Grant]) -> None:
        """Replace all grants on the object under ``key``: also its owner's, unless they are among the new."""
        self._send("PUT", key, query={"acl": None}, headers=self._own_headers(grant_headers(grants)))

    def set_canned_acl(self, key: str, canned_acl: str) -> None:
        """Replace all grants on the object under ``key`` by a set that the service has a name for."""
        self._send("PUT", key, query={"acl": None}, headers=self._own_headers({"acl": canned_acl}))

    def set_lifecycle(self, configuration: bytes) -> None:
        """Replace the bucket's lifecycle rules by those of an XML document."""
        headers = {"Content-Type": "application/xml"}
        self._send("PUT", query={"lifecycle": None}, headers=headers, body=configuration)

    def _listing(self, query: Query) -> Element:
        return documents.parse(self._send("GET", query=query).content)

    def _own_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
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
            # A signature names its host's bucket, so it would be worth nothing where a redirect leads.
            allow_redirects=False,
        )
        if response.status_code >= 300 and response.status_code != requests.codes.not_modified:
            raise refused(response.status_code, explanation(response))
        return response

    def _url(self, key: str, query: Query) -> str:
        base = urlsplit(self._service.base_url)
        parameters = "&".join(
            name if value is None else f"{name}={quote(value, safe='')}" for name, value in query.items()
        )
        url = f"{base.scheme}://{self.name}.{base.netloc}/{encoded(key)}"
        return f"{url}?{parameters}" if parameters else url


def encoded(key: str) -> str:
    """``key`` as the path of a URL, in a spelling that no client or proxy takes for a shorter path."""
    segments = [
        segment.replace(".", "%2E") if segment in {".", ".."} else quote(segment, safe="") for segment in key.split("/")
    ]
    path = "/".join(segments)
    return "%2F" + path[1:] if path.startswith("/") else path


def md5(content: bytes) -> bytes:
    """The digest by which the service checks and names a content; nobody's secret hangs on it."""
    return hashlib.md5(content, usedforsecurity=False).digest()


def etag_of(content: bytes) -> str:
    """The ETag that the service gives to ``content``: its MD5 in hex, in double quotes."""
    return f'"{md5(content).hex()}"'


def content_type(key: str) -> str:
    """The MIME type that the name promises; a compressed file is sent as the bytes it is."""
    guessed, compression = mimetypes.guess_type(key)
    return guessed if guessed and not compression else "application/octet-stream"


def grant_headers(grants: Iterable[Grant]) -> dict[str, str]:
    """Grants as the service wants them in headers, whose names lack the prefix: one for each permission."""
    grantees: defaultdict[str, list[str]] = defaultdict(list)
    for grant in grants:
        grantees["grant-" + grant.permission.lower().replace("_", "-")].append(grant.grantee)
    return {name: ", ".join(names) for name, names in grantees.items()}


def explanation(response: requests.Response) -> ErrorResponse:
    """Why the service said no, as far as it told: an answer to HEAD has no body, and a proxy's is no XML."""
    try:
        told = documents.refusal(documents.parse(response.content))
    except ParseError:
        told = None
    return told or ErrorResponse(f"HTTP {response.status_code}", "the service gave no reason")


def refused(status: int, why: ErrorResponse) -> ServiceError:
    """The exception for an answer of this status."""
    kinds = {requests.codes.forbidden: NotAllowed, requests.codes.not_found: NotThere}
    return kinds.get(status, ServiceError)(status, why.code, why.message)
