"""The Delete document of a request to delete many objects, and the DeleteResult that answers it."""

from __future__ import annotations

from fakestore.model.errors import MALFORMED_XML
from fakestore.model.shape import child, children, document, element

#: The maximum number of objects in one request.
MOST_OBJECTS = 1000


@element(unsupported=("LastModifiedTime", "Size"))
class ObjectIdentifier:
    """An object, or one version of it. It is deleted only if it has the entity tag ``etag``, unless that is None."""

    key: str = child("Key")
    version_id: str | None = child("VersionId", default=None)
    etag: str | None = child("ETag", default=None)

    def validate(self) -> None:
        """Refuse an empty key.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if not self.key:
            raise MALFORMED_XML.error(explanation="<Key> in <Object> is empty; expected the key of an object")


@document("Delete")
class Delete:
    """The objects to delete, in this order. If ``quiet`` is true, the reply contains only errors."""

    quiet: bool = child("Quiet", default=False)
    objects: tuple[ObjectIdentifier, ...] = children("Object", least=1, most=MOST_OBJECTS)


@element()
class Deleted:
    """An object that was deleted, and the delete marker that was added or removed."""

    key: str = child("Key")
    version_id: str | None = child("VersionId", default=None)
    delete_marker: bool | None = child("DeleteMarker", default=None)
    delete_marker_version_id: str | None = child("DeleteMarkerVersionId", default=None)


@element()
class DeleteError:
    """An object that was not deleted, and the error."""

    key: str = child("Key")
    version_id: str | None = child("VersionId", default=None)
    code: str = child("Code")
    message: str = child("Message")


@document("DeleteResult")
class DeleteResult:
    """The result for each object, in the order of the request."""

    results: tuple[Deleted | DeleteError, ...] = children("Deleted", "Error")
