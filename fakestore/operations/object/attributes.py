"""GET Object attributes: what is known of an object, without its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from fakestore.documents.attributes import GetObjectAttributesResponse
from fakestore.documents.checksums import ChecksumElements, checksum_elements
from fakestore.http.dates import http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST, invalid_argument
from fakestore.operations.core.authorization import OBJECT_READ, READ_OBJECT, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import CUSTOMER_KEY_HEADERS, check_customer_key
from fakestore.operations.core.parameters import Parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.object.headers import version_headers
from fakestore.protocol.routing import Route

_ATTRIBUTES = ("ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize")


@dataclass(frozen=True, slots=True)
class AttributesParameters(Parameters):
    """The attributes that are requested."""

    query: ClassVar[tuple[str, ...]] = ("versionId",)
    service_headers: ClassVar[tuple[str, ...]] = (
        "object-attributes",
        "max-parts",
        "part-number-marker",
        *CUSTOMER_KEY_HEADERS,
    )

    names: frozenset[str]

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the header. Blanks around the names are ignored.

        Raises:
            ErrorResponse: InvalidRequest, if no attribute is requested; InvalidArgument, if one is unknown.
        """
        header, text = context.dialect.header("object-attributes"), context.service_headers.get("object-attributes", "")
        names = [name.strip() for name in text.split(",") if name.strip()]
        if not names:
            raise INVALID_REQUEST.error(
                f"The {header} header specifying the attributes to be retrieved is either missing or empty",
                explanation=f"send the header {header} with some of {', '.join(_ATTRIBUTES)}",
            )
        for name in names:
            if name not in _ATTRIBUTES:
                raise invalid_argument(
                    header,
                    text,
                    "Invalid attribute name specified.",
                    explanation=f"unknown attribute {name!r} in {header}; expected some of {', '.join(_ATTRIBUTES)}",
                )
        return cls(frozenset(names))

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The access to read the object."""
        return (READ_OBJECT,)


@operation(
    "GET Object attributes",
    Route("GET", "object", "attributes"),
    access=Access("s3:GetObjectAttributes", OBJECT_READ, version=Access("s3:GetObjectVersionAttributes", OBJECT_READ)),
    parameters=AttributesParameters,
)
def get_object_attributes(context: RequestContext, bucket: BucketRecord, parameters: AttributesParameters) -> Result:
    """Return the requested attributes. The document has them in a fixed order."""
    version = bucket.get_version(context.key, context.version_id)
    check_customer_key(context, version)
    names, checksum = parameters.names, None
    if version.checksum is not None and "Checksum" in names:
        checksum = ChecksumElements(**checksum_elements(version.checksum))
    return Result(
        headers={"Last-Modified": http_date(version.last_modified)},
        service_headers=version_headers(bucket, version),
        document=GetObjectAttributesResponse(
            etag=version.digest if "ETag" in names else None,
            checksum=checksum,
            storage_class=version.storage_class if "StorageClass" in names else None,
            size=version.size if "ObjectSize" in names else None,
        ),
        version_id=version.version_id,
    )
