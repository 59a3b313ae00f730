"""Routes: which operation a request is for. No route is the default, so an unknown request is never mistaken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.addressing import Address, Scope

Target = TypeVar("Target")


class Route(NamedTuple):
    """What a request must have to be for an operation.

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
    """

    method: str
    scope: Scope
    subresource: str | None = None
    query: frozenset[str] = frozenset()
    header: str | None = None
    any_query: bool = False

    @property
    def parameters(self) -> frozenset[str]:
        """The query parameters that the request must have, with and without a value."""
        return self.query if self.subresource is None else self.query | {self.subresource}

    @property
    def requirements(self) -> frozenset[str]:
        """What the request must have beside method and scope; the more, the more specific is the route."""
        return self.parameters if self.header is None else self.parameters | {f"header {self.header}"}

    def matches(self, address: Address, service_headers: Mapping[str, str]) -> bool:
        """Return whether a request of this method, scope and subresource takes this route."""
        return self.query <= address.query.keys() and (self.header is None or self.header in service_headers)

    def __str__(self) -> str:
        parameters = sorted(self.query) if self.subresource is None else [self.subresource, *sorted(self.query)]
        query = f"?{'&'.join(parameters)}" if parameters else ""
        return f"{self.method} {self.scope}{query}" + ("" if self.header is None else f" with {self.header}")


class Router(Generic[Target]):
    """The routes of all operations. The most specific route that matches a request wins."""

    def __init__(self) -> None:
        self._by_scope: dict[tuple[str, str], list[tuple[Route, Target]]] = {}
        self._subresources: set[str] = set()
        #: Subresources, and the query parameters with a value that select a route.
        self._selectors: set[str] = set()

    def add(self, route: Route, target: Target) -> None:
        """Add a route.

        Raises:
            ValueError: If the route is already registered.
        """
        routes = self._by_scope.setdefault((route.method, route.scope), [])
        if any(other.any_query or route.any_query or other.requirements == route.requirements for other, _ in routes):
            raise ValueError(f"the route {route} is already registered")
        routes.append((route, target))
        routes.sort(key=lambda each: -len(each[0].requirements))
        if route.subresource is not None:
            self._subresources.add(route.subresource)
            self._selectors.add(route.subresource)
        self._selectors |= route.query

    def find(self, method: str, address: Address, service_headers: Mapping[str, str]) -> Target | None:
        """Return the target of the most specific route that matches, or None if no route does.

        Raises:
            UnsupportedRequest: If the query names two subresources, or a subresource has a value.
        """
        routes = self._by_scope.get((method, address.scope), ())
        if routes and routes[0][0].any_query:
            return routes[0][1]
        subresource = self._find_subresource(address.query) if address.query else None
        for route, target in routes:
            if route.subresource == subresource and route.matches(address, service_headers):
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
        """Check that no request can match two routes that are equally specific.

        Raises:
            ValueError: If two routes overlap, neither requires all that the other does, and no route requires both.
        """
        for routes in self._by_scope.values():
            _check_overlaps([route for route, _ in routes])

    def subresources(self, scope: Scope) -> list[str]:
        """Return the subresources of a scope, sorted."""
        return sorted({route.subresource for route, _ in self._routes(scope) if route.subresource is not None})

    def targets(self, scope: Scope) -> list[Target]:
        """Return the targets of all routes of a scope."""
        return [target for _, target in self._routes(scope)]

    def _routes(self, scope: Scope) -> Iterable[tuple[Route, Target]]:
        return (route for (_, of), routes in self._by_scope.items() if of == scope for route in routes)


def _check_overlaps(routes: Collection[Route]) -> None:
    requirements = {route.requirements for route in routes}
    for route in routes:
        for other in routes:
            one, two = route.requirements, other.requirements
            if route.subresource != other.subresource or one <= two or two <= one:
                continue
            if one | two not in requirements:
                raise ValueError(f"the routes {route} and {other} are ambiguous: add a route that requires both")
