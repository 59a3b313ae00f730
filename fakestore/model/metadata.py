"""The metadata of an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fakestore.model.frozen_mapping import FrozenMapping

#: The content type of an object that was stored without one.
DEFAULT_CONTENT_TYPE = "binary/octet-stream"

NO_USER_METADATA = FrozenMapping({})

#: The headers of system metadata, and the attributes of `Metadata` that have their values.
SYSTEM_METADATA = {
    "content-type": "content_type",
    "cache-control": "cache_control",
    "content-disposition": "content_disposition",
    "content-encoding": "content_encoding",
    "content-language": "content_language",
    "expires": "expires",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of an object: system headers and user metadata. A copy of the object keeps it by default.

    Args:
        expires: Expires as the client sent it.
        user: The user metadata. Names are in lower case and without header prefix. The mapping is copied.
    """

    content_type: str = DEFAULT_CONTENT_TYPE
    cache_control: str | None = None
    content_disposition: str | None = None
    content_encoding: str | None = None
    content_language: str | None = None
    expires: str | None = None
    user: Mapping[str, str] = NO_USER_METADATA

    def __post_init__(self) -> None:
        if not isinstance(self.user, FrozenMapping):
            # Most objects have no user metadata, and share one empty mapping.
            object.__setattr__(self, "user", FrozenMapping(self.user) if self.user else NO_USER_METADATA)

    @property
    def system(self) -> dict[str, str]:
        """The system metadata by the names of the headers, such as ``Content-Type``."""
        values = {header.title(): getattr(self, attribute) for header, attribute in SYSTEM_METADATA.items()}
        return {header: value for header, value in values.items() if value is not None}


NO_METADATA = Metadata()
