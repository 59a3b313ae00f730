"""The XML documents that the application reads, and the one that it writes.

Elements are recognised with and without a namespace. The documents come from a service that the user trusts with the
photos, so the parser of the standard library is sufficient.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from urllib.parse import unquote_plus
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """An object as a listing shows it."""

    key: str
    etag: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """A version of an object. A GET without a version id reads the latest one."""

    key: str
    version_id: str
    is_latest: bool
    etag: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteMarker:
    """A deletion of a key. While it is the latest entry, a GET of the key answers 404."""

    key: str
    version_id: str
    is_latest: bool
    last_modified: datetime


HistoryEntry: TypeAlias = ObjectVersion | DeleteMarker


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission and its grantee, in the form of the grant headers: ``id="..."`` or ``uri="..."``."""

    permission: str
    grantee: str


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """The error document of the service: a code for programs and a message for people."""

    code: str
    message: str


def parse(content: bytes) -> Element:
    """Return the root element of a document.

    Raises:
        ElementTree.ParseError: If the content is not XML.
    """
    return ElementTree.fromstring(content)


def stored_objects(listing: Element) -> Iterator[StoredObject]:
    """Yield the objects on a page of a listing that was requested with ``encoding-type=url``."""
    for contents in listing.iterfind("{*}Contents"):
        yield StoredObject(
            key=url_text(contents, "Key"),
            etag=text(contents, "ETag"),
            size=int(text(contents, "Size")),
            last_modified=datetime.fromisoformat(text(contents, "LastModified")),
        )


def history_entries(listing: Element) -> Iterator[HistoryEntry]:
    """Yield the versions and delete markers on a page: sorted by key, newest first."""
    for element in listing:
        match local_name(element):
            case "Version":
                yield ObjectVersion(
                    key=url_text(element, "Key"),
                    version_id=text(element, "VersionId"),
                    is_latest=text(element, "IsLatest") == "true",
                    etag=text(element, "ETag"),
                    size=int(text(element, "Size")),
                    last_modified=datetime.fromisoformat(text(element, "LastModified")),
                )
            case "DeleteMarker":
                yield DeleteMarker(
                    key=url_text(element, "Key"),
                    version_id=text(element, "VersionId"),
                    is_latest=text(element, "IsLatest") == "true",
                    last_modified=datetime.fromisoformat(text(element, "LastModified")),
                )


def grants(policy: Element) -> list[Grant]:
    """Return the grants of an access control list, in its order."""
    return [
        Grant(text(grant, "Permission"), _grantee(grant)) for grant in policy.iterfind("{*}AccessControlList/{*}Grant")
    ]


def error_response(document: Element) -> ErrorResponse | None:
    """Return the error that the document describes, or None if it is another document."""
    if local_name(document) != "Error":
        return None
    return ErrorResponse(code=text(document, "Code"), message=document.findtext("{*}Message", default=""))


def lifecycle(*, rule_id: str, prefix: str, noncurrent_days: int) -> bytes:
    """Return a lifecycle configuration with one rule for the keys that begin with ``prefix``.

    A version is removed ``noncurrent_days`` days after it was replaced or deleted. A delete marker is removed when no
    version is left below it.
    """
    configuration = Element("LifecycleConfiguration")
    rule = SubElement(configuration, "Rule")
    SubElement(rule, "ID").text = rule_id
    SubElement(SubElement(rule, "Filter"), "Prefix").text = prefix
    SubElement(rule, "Status").text = "Enabled"
    SubElement(SubElement(rule, "Expiration"), "ExpiredObjectDeleteMarker").text = "true"
    SubElement(SubElement(rule, "NoncurrentVersionExpiration"), "NoncurrentDays").text = str(noncurrent_days)
    document: bytes = ElementTree.tostring(configuration, encoding="utf-8", xml_declaration=True)
    return document


def local_name(element: Element) -> str:
    """Return the name of the element without its namespace."""
    return element.tag.rpartition("}")[2]


def text(element: Element, name: str) -> str:
    """Return the text of a required child.

    Raises:
        ValueError: If the child is missing.
    """
    content = element.findtext("{*}" + name)
    if content is None:
        raise ValueError(f"{element.tag!r} in the response has no {name!r}")
    return content


def url_text(element: Element, name: str) -> str:
    """Return the decoded text of a child that the service URL-encoded, as keys are."""
    return unquote_plus(text(element, name))


def _grantee(grant: Element) -> str:
    uri = grant.findtext("{*}Grantee/{*}URI")
    if uri is not None:
        return f'uri="{uri}"'
    account_id = grant.findtext("{*}Grantee/{*}ID")
    if account_id is None:
        raise ValueError("a grantee in the response has neither an ID nor a URI")
    return f'id="{account_id}"'
