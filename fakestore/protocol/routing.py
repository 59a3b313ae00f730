"""Routes: they select the operation of a request. No route is the default, so an unknown request is never mistaken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Generic, NamedTuple, TypeVar

from fakestore.errors import UnsupportedRequest
from fakestore.protocol.addressing import Address, Scope

T = TypeVar("T")


class Route(NamedTuple):
    """The requirements of an operation on a request.

    Example:
        >>> str(Route("PUT", "object", header="copy-source"))
        'PUT object with copy-source'

    Args:
        method: The method.
        scope: What the request names.
        subresource: A query parameter without a value, for example ``acl``.
        query: Query parameters that have a value, for example ``uploadId``.
        header: A header of the dialect, without its prefix.
        any_query: Whether the query may contain anything, because it is not read.
        names_version: Whether the query may name a version of the object.
    """

    method: str
    scope: Scope
    subresource: str | None = None
    query: frozenset[str] = frozenset()
    header: str | None = None
    any_query: bool = False
    names_version: bool = False

    @property
    def parameters(self) -> frozenset[str]:
        """The query parameters that the request must have, with and without a value."""
        return self.query if self.subresource is None else self.query | {self.subresource}

    @property
    def optional_parameters(self) -> frozenset[str]:
        return frozenset({"versionId"}) if self.names_version else frozenset()

    @property
    def requirements(self) -> frozenset[str]:
        """What a request must have, beyond method and scope. A route with more requirements is more specific."""
        return self.parameters if self.header is None else self.parameters | {f"header {self.header}"}

    def __str__(self) -> str:
        query = f"?{'&'.join(sorted(self.parameters))}" if self.parameters else ""
        return f"{self.method} {self.scope}{query}" + ("" if self.header is None else f" with {self.header}")


class Router(Generic[T]):
    """The routes of all operations. The most specific route that matches a request wins."""

    def __init__(self) -> None:
        #: The routes of each method and scope, by subresource. The most specific route is the first.
        self._by_scope: dict[tuple[str, Scope], dict[str | None, list[tuple[Route, T]]]] = {}
        self._with_any_query: set[tuple[str, Scope]] = set()
        self._subresources: set[str] = set()
        #: Subresources. Also query parameters with a value, if they select a route without a subresource.
        self._selectors: set[str] = set()

    def add(self, route: Route, target: T) -> None:
        place = route.method, route.scope
        by_subresource = self._by_scope.setdefault(place, {})
        routes = by_subresource.setdefault(route.subresource, [])
        is_taken = any(other.requirements == route.requirements for other, _ in routes)
        if is_taken or place in self._with_any_query or (route.any_query and by_subresource != {None: []}):
            raise ValueError(f"the route {route} is already registered")
        routes.append((route, target))
        routes.sort(key=lambda each: -len(each[0].requirements))
        if route.any_query:
            self._with_any_query.add(place)
        if route.subresource is not None:
            self._subresources.add(route.subresource)
            self._selectors.add(route.subresource)
        else:
            self._selectors |= route.query

    def find(self, method: str, address: Address, service_headers: Mapping[str, str]) -> T | None:
        """Return the target of the most specific route that matches, or None if no route does."""
        place, query = (method, address.scope), address.query.keys()
        has_none = not query or place in self._with_any_query
        subresource = None if has_none else self._find_subresource(address.query)
        for route, target in self._by_scope.get(place, {}).get(subresource, ()):
            if route.query <= query and (route.header is None or route.header in service_headers):
                return target
        return None

    def _find_subresource(self, query: Mapping[str, str]) -> str | None:
        selectors = [name for name in query if name in self._selectors]
        named = next((name for name in selectors if name in self._subresources), None)
        if named is None:
            return None
        if len(selectors) > 1:
            raise UnsupportedRequest(
                f"the query names two subresources, {selectors[0]!r} and {selectors[1]!r}; send one of them"
            )
        if query[named]:
            raise UnsupportedRequest(f"subresource {named!r} does not take a value (got {query[named]!r})")
        return named

    def check_unambiguous(self) -> None:
        """Check that no request can match two routes that are equally specific."""
        for by_subresource in self._by_scope.values():
            for routes in by_subresource.values():
                _check_overlaps([route for route, _ in routes])

    def subresources(self, scope: Scope) -> list[str]:
        return sorted({route.subresource for route, _ in self._routes(scope) if route.subresource is not None})

    def targets(self, scope: Scope) -> list[T]:
        return [target for _, target in self._routes(scope)]

    def _routes(self, scope: Scope) -> Iterable[tuple[Route, T]]:
        by_subresource = [each for (_, of), each in self._by_scope.items() if of == scope]
        return (route for each in by_subresource for routes in each.values() for route in routes)


def _check_overlaps(routes: Collection[Route]) -> None:
    requirements = {route.requirements for route in routes}
    for route, other in combinations(routes, 2):
        one, two = route.requirements, other.requirements
        if not (one <= two or two <= one or one | two in requirements):
            raise ValueError(f"the routes {route} and {other} are ambiguous: add a route that requires both")
