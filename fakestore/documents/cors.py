"""The CORSConfiguration document."""

from __future__ import annotations

from collections.abc import Iterable

from fakestore.documents.shape import child, children, document, element
from fakestore.http.headers import is_header_name
from fakestore.model import cors as model
from fakestore.model.cors import MOST_RULES, Cors, CorsMethod
from fakestore.model.errors import INVALID_REQUEST


@element()
class CorsRule:
    """A rule."""

    id: str | None = child("ID", default=None)
    headers: tuple[str, ...] = children("AllowedHeader")
    methods: tuple[str, ...] = children("AllowedMethod", least=1)
    origins: tuple[str, ...] = children("AllowedOrigin", least=1)
    exposed: tuple[str, ...] = children("ExposeHeader")
    max_age: int | None = child("MaxAgeSeconds", default=None)

    def validate(self) -> None:
        """Refuse an unknown method, a second wildcard, and an exposed name that is not the name of a header.

        Raises:
            ErrorResponse: InvalidRequest.
        """
        for method in self.methods:
            if method not in list(CorsMethod):
                raise INVALID_REQUEST.error(
                    f"Found unsupported HTTP method in CORS config. Unsupported method is {method}",
                    explanation=f"<AllowedMethod> is {method!r}; expected one of {', '.join(CorsMethod)}",
                )
        _check_wildcards("AllowedOrigin", self.origins)
        _check_wildcards("AllowedHeader", self.headers)
        for name in self.exposed:
            if "*" in name:
                raise INVALID_REQUEST.error(
                    f'ExposeHeader "{name}" contains wildcard. We currently do not support wildcard for ExposeHeader.'
                )
            if not is_header_name(name):
                raise INVALID_REQUEST.error(
                    f'ExposeHeader "{name}" contains invalid character.',
                    explanation=f"<ExposeHeader> is {name!r}, which cannot be the name of a header",
                )


def _check_wildcards(tag: str, patterns: Iterable[str]) -> None:
    for pattern in patterns:
        if pattern.count("*") > 1:
            raise INVALID_REQUEST.error(f'{tag} "{pattern}" can not have more than one wildcard.')


@document("CORSConfiguration")
class CorsConfiguration:
    """The rules of a bucket."""

    rules: tuple[CorsRule, ...] = children("CORSRule", least=1, most=MOST_RULES)

    @classmethod
    def from_cors(cls, cors: Cors) -> CorsConfiguration:
        """Return the document of the rules."""
        return cls(rules=tuple(CorsRule(**rule._asdict()) for rule in cors.rules))

    def to_cors(self) -> Cors:
        """Return the rules."""
        return Cors(
            tuple(
                model.CorsRule(
                    id=rule.id,
                    headers=rule.headers,
                    methods=tuple(map(CorsMethod, rule.methods)),
                    origins=rule.origins,
                    exposed=rule.exposed,
                    max_age=rule.max_age,
                )
                for rule in self.rules
            )
        )
