"""CORS: which scripts of other origins may use a bucket, and what answers say to the browser."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

#: The maximum number of rules that a bucket can have.
MOST_RULES = 100


class CorsMethod(StrEnum):
    """A method that a rule can allow."""

    GET = "GET"
    PUT = "PUT"
    POST = "POST"
    DELETE = "DELETE"
    HEAD = "HEAD"


class CrossOriginRequest(NamedTuple):
    """A request of a script.

    Args:
        origin: The origin of the script, for example ``https://app.test``.
        method: The method that it wants to use.
        headers: The names of the headers that it wants to send. Only a preflight names them.
    """

    origin: str
    method: str
    headers: tuple[str, ...] = ()


class CorsRule(NamedTuple):
    """A rule. It allows a request if it matches the origin, the method and each of the headers.

    Example:
        >>> rule = CorsRule(origins=("https://*.app.test",), methods=(CorsMethod.GET,))
        >>> rule.find_mismatch(CrossOriginRequest("https://www.app.test", "PUT"))
        "the method 'PUT' is not one of GET"

    Args:
        origins: The origins. Each can contain one ``*``, which stands for any characters.
        methods: The methods.
        headers: The names of headers, without regard to case. Each can contain one ``*``.
        exposed: The names of the headers of a reply that the script may read.
        max_age: For how many seconds the browser may remember a preflight; None if the rule does not say it.
        id: The name of the rule.
    """

    origins: tuple[str, ...]
    methods: tuple[CorsMethod, ...]
    headers: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    max_age: int | None = None
    id: str | None = None

    @property
    def allows_every_origin(self) -> bool:
        """Whether one of the origins is ``*``."""
        return "*" in self.origins

    def find_mismatch(self, request: CrossOriginRequest) -> str | None:
        """Return why the rule does not allow a request, or None if it does."""
        if not any(_matches(pattern, request.origin) for pattern in self.origins):
            return f"the origin {request.origin!r} is not one of {', '.join(self.origins)}"
        if request.method not in self.methods:
            return f"the method {request.method!r} is not one of {', '.join(self.methods)}"
        for name in request.headers:
            if not any(_matches(pattern.lower(), name.lower()) for pattern in self.headers):
                return f"the header {name!r} is not allowed; the rule allows {', '.join(self.headers) or 'none'}"
        return None


def _matches(pattern: str, text: str) -> bool:
    before, wildcard, after = pattern.partition("*")
    if not wildcard:
        return text == pattern
    return len(text) >= len(before) + len(after) and text.startswith(before) and text.endswith(after)


class Cors(NamedTuple):
    """The rules of a bucket, in order. The first one that allows a request applies to it."""

    rules: tuple[CorsRule, ...] = ()

    def find_rule(self, request: CrossOriginRequest) -> CorsRule | None:
        """Return the rule that applies to a request, or None."""
        return next((rule for rule in self.rules if rule.find_mismatch(request) is None), None)

    def explain(self, request: CrossOriginRequest) -> str:
        """Return why no rule allows a request."""
        return "; ".join(
            f"rule {number} does not apply: {rule.find_mismatch(request)}" for number, rule in enumerate(self.rules, 1)
        )
