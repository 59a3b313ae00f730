"""Where services of this kind differ in meaning: one field for each decision."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantics:
    """What a service means by its operations, as far as services differ.

    Each field is named like its decision in docs/semantics.md.

    Args:
        delete_removes_null_version: Whether a simple DELETE in a bucket that is versioned removes the null version.
        copy_ignores_future_modified_since: Whether a copy ignores a ``copy-source-if-modified-since`` that lies in the
            future. If not, the copy is refused, because the source was not modified since then.
    """

    delete_removes_null_version: bool = True
    copy_ignores_future_modified_since: bool = False


#: What the specification says.
DOCUMENT_SEMANTICS = Semantics()
