"""The service's XML: what the application reads out of it, and the one document it writes.

Elements are found with a namespace or without one. The documents come from the service that the user chose to
trust with the photos, so the standard library's parser will do.
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
    """A key of the bucket, with what is stored under it now."""

    key: str
    etag: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """One of the contents that a key has had; the latest is the one a plain GET reads."""

    key: str
    version_id: str
    is_latest: bool
    etag: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteMarker:
    """A deletion of a key: while it is the latest, the key reads as gone."""

    key: str
    version_id: str
    is_latest: bool
    last_modified: datetime


HistoryEntry: TypeAlias = ObjectVersion | DeleteMarker


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission, and who has it, written as the grant headers write it: ``id="..."`` or ``uri="..."``."""

    permission: str
    grantee: str


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """Why the service did not do it: a code for programs, a message for people."""

    code: str
    message: str


def parse(content: bytes) -> Element:
    """The root element of a document.

    Raises:
        ElementTree.ParseError: the content is not XML.
    """
    return ElementTree.fromstring(content)


def stored_objects(listing: Element) -> Iterator[StoredObject]:
    """The objects on a page of a listing that was asked for with ``encoding-type=url``."""
    for contents in listing.iterfind("{*}Contents"):
        yield StoredObject(
            key=url_text(contents, "Key"),
            etag=text(contents, "ETag"),
            size=int(text(contents, "Size")),
            last_modified=datetime.fromisoformat(text(contents, "LastModified")),
        )


def history_entries(listing: Element) -> Iterator[HistoryEntry]:
    """The versions and delete markers on a page, in its order: by key, the newest of a key first."""
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
    """The grants of an access control list, in its order."""
    return [
        Grant(text(grant, "Permission"), _grantee(grant)) for grant in policy.iterfind("{*}AccessControlList/{*}Grant")
    ]


def refusal(document: Element) -> ErrorResponse | None:
    """What the document says went wrong, or None if it is no ``Error``."""
    if local_name(document) != "Error":
        return None
    return ErrorResponse(code=text(document, "Code"), message=document.findtext("{*}Message", default=""))


def lifecycle(*, rule_id: str, prefix: str, noncurrent_days: int) -> bytes:
    """A configuration of one rule for the keys that begin with ``prefix``.

    A version goes ``noncurrent_days`` days after a newer one or a deletion took its place; a delete marker
    goes when no version is left for it to hide.
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
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def text(element: Element, name: str) -> str:
    """The text of a child that must be there.

    Raises:
        ValueError: it is not.
    """
    found = element.findtext("{*}" + name)
    if found is None:
        raise ValueError(f"the service's {element.tag!r} has no {name!r}")
    return found


def url_text(element: Element, name: str) -> str:
    """The text of a child that the service URL-encoded, because a key may hold what XML cannot."""
    return unquote_plus(text(element, name))


def _grantee(grant: Element) -> str:
    uri = grant.findtext("{*}Grantee/{*}URI")
    if uri is not None:
        return f'uri="{uri}"'
    account_id = grant.findtext("{*}Grantee/{*}ID")
    if account_id is None:
        raise ValueError("the service granted a permission to nobody that has an ID or a URI")
    return f'id="{account_id}"'
