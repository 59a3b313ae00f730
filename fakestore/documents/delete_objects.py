"""The Delete document: many objects to be deleted in one request."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.documents.xml import children, content, parse, texts
from fakestore.model.errors import MALFORMED_XML

MOST_OBJECTS = 1000
_CONDITIONS = ("ETag", "LastModifiedTime", "Size")


class Named(NamedTuple):
    """One object, or one version of it."""

    key: str
    version_id: str | None


class DeleteDocument(NamedTuple):
    """What is to be deleted, in order; ``quiet`` leaves what went well out of the answer."""

    objects: tuple[Named, ...]
    quiet: bool


def parse_delete(body: bytes) -> DeleteDocument:
    """Read the document.

    Raises:
        ErrorResponse: MalformedXML; also for none or more than 1,000 objects.
        UnsupportedRequest: an object is to be deleted on a condition.
    """
    delete = children(parse(body, "Delete"), one=("Quiet",), many=("Object",))
    if not 1 <= len(delete["Object"]) <= MOST_OBJECTS:
        raise MALFORMED_XML.error(
            explanation=f"{len(delete['Object']):,} objects to delete; it takes 1 to {MOST_OBJECTS:,}"
        )
    quiet = content(delete["Quiet"][0]) if delete["Quiet"] else "false"
    if quiet not in ("true", "false"):
        raise MALFORMED_XML.error(explanation=f"Quiet is {quiet!r}; there are true and false")
    objects = []
    for each in delete["Object"]:
        named = texts(each, "Key", "VersionId", unmodelled=_CONDITIONS)
        if not named.get("Key"):
            raise MALFORMED_XML.error(explanation="an Object to delete has a Key that is not empty")
        objects.append(Named(named["Key"], named.get("VersionId")))
    return DeleteDocument(tuple(objects), quiet == "true")
