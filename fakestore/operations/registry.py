"""The one registry: which route is which operation, and what a request of it may carry."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fakestore.model.errors import UnsupportedRequest
from fakestore.operations.authorization import Access
from fakestore.operations.call import Call
from fakestore.wire.dialect import Dialect
from fakestore.wire.messages import Reply, Request
from fakestore.wire.routes import COMMON_HEADERS, SUBRESOURCES, Address

#: Conditional headers mean something to operations that name them; elsewhere they are not modelled.
CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range")
_CONDITIONS = frozenset(CONDITIONS)


class Operation(NamedTuple):
    """One row: what runs, who may, and which query parameters and headers mean something to it.

    ``headers`` are the dialect's, without prefix; a trailing ``*`` stands for any ending. ``takes_body`` says that
    the function reads the request's body, so it runs without the store's lock and takes it where it writes.
    """

    name: str
    route: str
    run: Callable[[Call], Reply]
    access: Access
    version_access: Access | None
    query: frozenset[str]
    headers: frozenset[str]
    header_families: tuple[str, ...]
    conditions: frozenset[str]
    takes_body: bool

    def check(self, request: Request, address: Address, dialect: Dialect) -> None:
        """Refuse what this row does not name.

        Raises:
            UnsupportedRequest: a query parameter, a header of the dialect or a condition that is not modelled here.
        """
        for parameter in address.query:
            if parameter not in self.query:
                raise self._unsupported("the query parameter", parameter, sorted(self.query))
        for bare in request.headers.under(dialect.header_prefix):
            if bare not in self.headers and not bare.startswith(self.header_families):
                name, known = dialect.header_prefix + bare, sorted(self.headers)
                known += [f"{family}*" for family in self.header_families]
                raise self._unsupported("the header", name, [dialect.header_prefix + each for each in known])
        if not request.headers.has_any(_CONDITIONS):
            return
        for name in CONDITIONS:
            if name in request.headers and name not in self.conditions:
                raise self._unsupported("the header", name, sorted(self.conditions))

    def _unsupported(self, kind: str, name: str, known: list[str]) -> UnsupportedRequest:
        return UnsupportedRequest(
            f"{self.name}: {kind} {name!r} is not modelled; there is {', '.join(known) or 'none'}"
        )


_BY_ROUTE: dict[str, Operation] = {}

#: The names of all operations, as a test's author writes them, in order of registration.
OPERATION_NAMES: list[str] = []


def operation(
    name: str,
    *,
    route: str,
    access: Access,
    version_access: Access | None = None,
    query: tuple[str, ...] = (),
    headers: tuple[str, ...] = (),
    conditions: tuple[str, ...] = (),
    takes_body: bool = False,
) -> Callable[[Callable[[Call], Reply]], Callable[[Call], Reply]]:
    """Register the decorated function for ``route``.

    Args:
        version_access: who may, where the request names a version; ``access`` otherwise.

    Raises:
        ValueError: the route or the name is taken.
    """
    if route in _BY_ROUTE or name in OPERATION_NAMES:
        raise ValueError(f"operation {name!r} with route {route!r} stands in the registry already")
    subresource = route.partition("?")[2]

    def register(run: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
        _BY_ROUTE[route] = Operation(
            name=name,
            route=route,
            run=run,
            access=access,
            version_access=version_access,
            query=frozenset((*query, subresource) if subresource else query),
            headers=COMMON_HEADERS.union(each for each in headers if not each.endswith("*")),
            header_families=tuple(each[:-1] for each in headers if each.endswith("*")),
            conditions=frozenset(conditions),
            takes_body=takes_body,
        )
        OPERATION_NAMES.append(name)
        return run

    return register


def find_operation(route: str, request: Request) -> Operation:
    """The operation of a route.

    Raises:
        UnsupportedRequest: there is none; it names those there are for the same scope.
    """
    found = _BY_ROUTE.get(route)
    if found is None:
        scope = route.partition(" ")[2].partition("?")[0].split(" ")[0]
        there = [each.name for each in _BY_ROUTE.values() if each.route.split(" ")[1].partition("?")[0] == scope]
        raise UnsupportedRequest(
            f"{request.method} {request.target} is not modelled; of {scope} operations there is {', '.join(there)}."
            f" Subresources: {', '.join(SUBRESOURCES)}"
        )
    return found
