"""CORS: which scripts of other origins may use a bucket, and what replies tell the browser."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.errors import INVALID_REQUEST
from fakestore.model.names import check_rule_id, is_header_name
from fakestore.xml.declarations import child, children, document, element

#: The maximum number of rules of a bucket.
MOST_RULES = 100

#: The methods that rules and preflights can name.
METHODS = ("GET", "PUT", "POST", "DELETE", "HEAD")


class CrossOriginRequest(NamedTuple):
    """A request of a script.

    Args:
        origin: The origin of the script, for example ``https://app.test``.
        headers: The names of the headers that it wants to send, in lower case. Only a preflight names them.
    """

    origin: str
    method: str
    headers: tuple[str, ...] = ()


@element()
class CorsRule:
    """A rule. It allows a request if it matches the origin, the method and each of the headers.

    Example:
        >>> rule = CorsRule(origins=("https://*.app.test",), methods=("GET",))
        >>> rule.find_mismatch(CrossOriginRequest("https://www.app.test", "PUT"))
        "the method 'PUT' is not one of GET"

    Args:
        headers: The names of headers, without regard to case. Each can contain one ``*``.
        origins: The origins. Each can contain one ``*``, which stands for any characters.
        exposed: The names of the headers of a reply that the script may read.
        max_age: For how many seconds the browser may remember a preflight; None if the rule does not limit it.
    """

    id: str | None = child("ID", default=None)
    headers: tuple[str, ...] = children("AllowedHeader", default=())
    methods: tuple[str, ...] = children("AllowedMethod", least=1)
    origins: tuple[str, ...] = children("AllowedOrigin", least=1)
    exposed: tuple[str, ...] = children("ExposeHeader", default=())
    max_age: int | None = child("MaxAgeSeconds", default=None)

    def validate(self) -> None:
        check_rule_id(self.id)
        for method in self.methods:
            if method not in METHODS:
                raise INVALID_REQUEST.error(
                    f"Found unsupported HTTP method in CORS config. Unsupported method is {method}",
                    explanation=f"<AllowedMethod> is {method!r}; expected one of {', '.join(METHODS)}",
                )
        for tag, patterns in (("AllowedOrigin", self.origins), ("AllowedHeader", self.headers)):
            for pattern in patterns:
                if pattern.count("*") > 1:
                    raise INVALID_REQUEST.error(f'{tag} "{pattern}" can not have more than one wildcard.')
        for name in self.headers:
            _check_header_name("AllowedHeader", name)
        for name in self.exposed:
            if "*" in name:
                raise INVALID_REQUEST.error(
                    f'ExposeHeader "{name}" contains wildcard. We currently do not support wildcard for ExposeHeader.'
                )
            _check_header_name("ExposeHeader", name)

    @property
    def allows_every_origin(self) -> bool:
        return "*" in self.origins

    def find_mismatch(self, request: CrossOriginRequest) -> str | None:
        """Return why the rule does not allow a request, or None if it does."""
        if not any(_matches(pattern, request.origin) for pattern in self.origins):
            return f"the origin {request.origin!r} is not one of {', '.join(self.origins)}"
        if request.method not in self.methods:
            return f"the method {request.method!r} is not one of {', '.join(self.methods)}"
        for name in request.headers:
            if not any(_matches(pattern.lower(), name) for pattern in self.headers):
                return f"the header {name!r} is not allowed; the rule allows {', '.join(self.headers) or 'none'}"
        return None


def _check_header_name(tag: str, name: str) -> None:
    if not is_header_name(name):
        raise INVALID_REQUEST.error(
            f'{tag} "{name}" contains invalid character.',
            explanation=f"<{tag}> is {name!r}, which cannot be the name of a header",
        )


def _matches(pattern: str, text: str) -> bool:
    before, wildcard, after = pattern.partition("*")
    if not wildcard:
        return text == pattern
    return len(text) >= len(before) + len(after) and text.startswith(before) and text.endswith(after)


@document("CORSConfiguration")
class Cors:
    """The rules of a bucket, in order. The first one that allows a request applies to it."""

    rules: tuple[CorsRule, ...] = children("CORSRule", least=1, most=MOST_RULES)

    def find_rule(self, request: CrossOriginRequest) -> CorsRule | None:
        return next((rule for rule in self.rules if rule.find_mismatch(request) is None), None)

    def explain(self, request: CrossOriginRequest) -> str:
        return "; ".join(
            f"rule {number} does not apply: {rule.find_mismatch(request)}" for number, rule in enumerate(self.rules, 1)
        )
