"""The one registry: which route is which operation, and what a request of it may carry."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, NoReturn

from fakestore.http.fields import split_by_prefix
from fakestore.http.messages import Reply, Request
from fakestore.messages import did_you_mean
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.authorization import Access
from fakestore.operations.core.context import Call
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import COMMON_HEADERS, Address
from fakestore.protocol.unsupported import (
    FORM_POST,
    feature_of_header,
    feature_of_parameter,
    foreign_headers_sentence,
    foreign_prefixes,
)

#: Headers that mean something to operations that name them; elsewhere they are not modelled: conditions, Content-Range,
#: which makes of a body a part of an object, and digests other than Content-MD5, which nothing here would check.
_SELECTIVE = (
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "if-range",
    "content-range",
    "digest",
    "content-digest",
    "repr-digest",
)


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

    @property
    def scope(self) -> str:
        """``service``, ``bucket`` or ``object``."""
        return self.route.split(" ")[1].partition("?")[0]

    @property
    def subresource(self) -> str:
        """The query parameter that selects this operation; empty where none does."""
        return self.route.partition("?")[2]

    def check(self, request: Request, address: Address, dialect: Dialect) -> dict[str, str]:
        """The dialect's headers of the request, without prefix, all of which this row names.

        Raises:
            UnsupportedRequest: a query parameter, a header of the dialect or a condition that is not modelled here,
                or a header of another service's prefix.
        """
        for parameter in address.query:
            if parameter not in self.query:
                raise self._unsupported_parameter(parameter, address.scope)
        headers = request.headers
        own, foreign = split_by_prefix(headers, dialect.header_prefix, foreign_prefixes(dialect.header_prefix))
        for bare in own:
            if bare not in self.headers and not bare.startswith(self.header_families):
                raise self._unsupported_header(bare, dialect)
        if foreign:
            raise UnsupportedRequest(f"{self.name}: {foreign_headers_sentence(foreign, headers, dialect)}")
        if any(name in headers for name in _SELECTIVE):
            for name in _SELECTIVE:
                if name in headers and name not in self.conditions:
                    raise self._unsupported("the header", name, sorted(self.conditions))
        return own

    def _unsupported_parameter(self, name: str, scope: str) -> UnsupportedRequest:
        feature = feature_of_parameter(name)
        if feature is not None:
            return UnsupportedRequest(f"{self.name}: the query parameter {name!r} belongs to {feature}")
        return self._unsupported("the query parameter", name, sorted(self.query), f". {_subresources(scope)}")

    def _unsupported_header(self, bare: str, dialect: Dialect) -> UnsupportedRequest:
        feature, name = feature_of_header(bare), dialect.header_prefix + bare
        if feature is not None:
            return UnsupportedRequest(f"{self.name}: the header {name!r} belongs to {feature}")
        known = sorted(self.headers) + [f"{family}*" for family in self.header_families]
        return self._unsupported("the header", name, [dialect.header_prefix + each for each in known])

    def _unsupported(self, kind: str, name: str, known: list[str], more: str = "") -> UnsupportedRequest:
        there = f"there is {', '.join(known)}" if known else "it takes none"
        return UnsupportedRequest(f"{self.name}: {kind} {name!r} is not modelled; {there}{more}")


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


def check_operation_name(name: str) -> None:
    """Refuse what is no operation's name.

    Raises:
        ValueError: it names the operations there are, and at its end the one that may have been meant.
    """
    if name not in OPERATION_NAMES:
        there = f"there are {', '.join(OPERATION_NAMES)}."
        raise ValueError(f"there is no operation {name!r}; {there}{did_you_mean(name, OPERATION_NAMES)}")


def find_operation(route: str, request: Request, address: Address) -> Operation:
    """The operation of a route.

    Raises:
        UnsupportedRequest: there is none; it names those there are for the same scope.
    """
    found = _BY_ROUTE.get(route)
    return _raise_unsupported(route, request, address) if found is None else found


def _raise_unsupported(route: str, request: Request, address: Address) -> NoReturn:
    asked = f"{request.method} {request.target}"
    for parameter in address.query:
        feature = feature_of_parameter(parameter)
        if feature is not None:
            raise UnsupportedRequest(f"{asked}: the query parameter {parameter!r} belongs to {feature}")
    if route == "POST bucket" and not address.query:
        raise UnsupportedRequest(f"{asked}: {FORM_POST}")
    there = [each.name for each in _of_scope(address.scope)]
    raise UnsupportedRequest(
        f"{asked} is not modelled; of {address.scope} operations there is {', '.join(there)}."
        f" {_subresources(address.scope)}"
    )


def _of_scope(scope: str) -> list[Operation]:
    return [each for each in _BY_ROUTE.values() if each.scope == scope]


def _subresources(scope: str) -> str:
    there = sorted({each.subresource for each in _of_scope(scope)} - {""})
    return f"{scope.capitalize()} subresources: {', '.join(there) or 'none'}"
