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
        subresource: A query parameter without a value, for example ``acl``.
        query: Query parameters that have a value, for example ``uploadId``.
        value: The only value of `query` that selects the operation; None for any value.
        header: A header of the dialect, without its prefix.
        any_query: Whether the query may contain anything, because it is not read.
        names_version: Whether the query may name a version of the object.
    """

    method: str
    scope: Scope
    subresource: str | None = None
    query: frozenset[str] = frozenset()
    value: str | None = None
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
        query += "" if self.value is None else f"={self.value}"
        return f"{self.method} {self.scope}{query}" + ("" if self.header is None else f" with {self.header}")


class Router(Generic[T]):
    """The routes of all operations. The most specific route that matches a request wins."""

    def __init__(self, targets: Iterable[tuple[Route, T]]) -> None:
        #: The routes of each method and scope. The most specific route is the first.
        self._routes: dict[tuple[str, Scope], list[tuple[Route, T]]] = {}
        self._subresources: set[str] = set()
        #: Subresources. Also query parameters with a value, if they select a route without a subresource.
        self._selectors: set[str] = set()
        for route, target in targets:
            self._routes.setdefault((route.method, route.scope), []).append((route, target))
            if route.subresource is None:
                self._selectors |= route.query
            else:
                self._subresources.add(route.subresource)
        self._selectors |= self._subresources
        for routes in self._routes.values():
            routes.sort(key=lambda each: -len(each[0].requirements))
            _check_overlaps([route for route, _ in routes])

    def find(self, method: str, address: Address, service_headers: Mapping[str, str]) -> T | None:
        """Return the target of the most specific route that matches, or None if no route does."""
        routes = self._routes.get((method, address.scope), [])
        if routes and routes[0][0].any_query:
            return routes[0][1]
        subresource = self._find_subresource(address.query)
        for route, target in routes:
            if (
                route.subresource == subresource
                and route.query <= address.query.keys()
                and (route.value is None or all(address.query[name] == route.value for name in route.query))
                and (route.header is None or route.header in service_headers)
            ):
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


def _check_overlaps(routes: Collection[Route]) -> None:
    """Check that no request can match two routes of a method and scope that are equally specific."""
    requirements = {route.requirements for route in routes}
    for route, other in combinations(routes, 2):
        one, two = route.requirements, other.requirements
        if one == two or route.any_query or other.any_query:
            raise ValueError(f"the route {other} is already registered")
        if route.subresource == other.subresource and not (one <= two or two <= one or one | two in requirements):
            raise ValueError(f"the routes {route} and {other} are ambiguous: add a route that requires both")
