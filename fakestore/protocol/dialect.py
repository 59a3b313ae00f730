"""What differs between services of this kind: names on the wire, and where the specification and the facts part."""

from __future__ import annotations

from dataclasses import dataclass

from fakestore.model.semantics import DOCUMENT_SEMANTICS, Semantics


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one service names and words things.

    ``header_prefix`` is lower case and ends in a hyphen. ``xml_namespace`` goes on the root of every document that
    is sent, ``None`` for none. ``semantics`` are the
    decisions in which services differ.

    Raises:
        ValueError: a prefix or a scheme that cannot be.
    """

    header_prefix: str = "x-svc-"
    auth_scheme: str = "SVC"
    xml_namespace: str | None = None
    semantics: Semantics = DOCUMENT_SEMANTICS

    def __post_init__(self) -> None:
        prefix, scheme = self.header_prefix, self.auth_scheme
        if prefix != prefix.lower() or not prefix.endswith("-") or prefix == "-":
            raise ValueError(f"header_prefix is lower case and ends in a hyphen, as 'x-amz-' does, not {prefix!r}")
        if not scheme or " " in scheme:
            raise ValueError(f"auth_scheme is one word, such as 'SVC' or 'AWS', not {scheme!r}")


#: The dialect of the specification.
DOCUMENT = Dialect()
