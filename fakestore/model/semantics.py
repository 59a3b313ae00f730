"""The decisions in which services differ: one field for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class AnonymousRequests(Enum):
    """What becomes of a request without credentials."""

    REFUSED = "refused"
    #: ACLs and policies decide: ``AllUsers`` and the principal ``*`` include anonymous requesters.
    AUTHORIZED = "authorized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantics:
    """The meaning of a service's operations, where services differ.

    Each field is named like its decision in docs/semantics.md.

    Example:
        >>> from fakestore import Dialect
        >>> dialect = Dialect(semantics=Semantics(delete_removes_null_version=False))

    Args:
        delete_removes_null_version: Whether a simple DELETE removes the null version of the key, if versioning is
            enabled or suspended.
        copy_ignores_future_modified_since: Whether a copy ignores a ``copy-source-if-modified-since`` that lies in the
            future. If not, the copy is refused, because the source was not modified since then.
        anonymous_requests: What becomes of a request without credentials.
    """

    delete_removes_null_version: bool = True
    copy_ignores_future_modified_since: bool = False
    anonymous_requests: AnonymousRequests = AnonymousRequests.REFUSED


#: The semantics of the specification.
DOCUMENT_SEMANTICS = Semantics()
