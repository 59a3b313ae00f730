"""Requests for which no operation exists, and which the public service refuses. [requests-without-an-operation]"""

from __future__ import annotations

from collections.abc import Iterable

from fakestore.errors import INVALID_REQUEST, method_not_allowed
from fakestore.http.message import Request
from fakestore.protocol.addressing import Address
from fakestore.protocol.routing import Route

#: The methods in the order of the service's Allow header.
_ORDER = ("DELETE", "POST", "GET", "PUT")

#: Subresources of buckets, with the message that refuses a GET of a key with one of them.
_OF_BUCKETS_ONLY = {
    "versions": "There is no such thing as the ?versions sub-resource for a key",
    "uploads": "Key is not expected for the GET method ?uploads subresource",
}


def refuse(request: Request, address: Address, routes: Iterable[Route]) -> None:
    """Refuse a request as the public service does, if its answer is known.

    Args:
        routes: The routes of all operations.
    """
    method, scope = request.method, address.scope
    selectors = {name for route in routes for name in route.parameters} & address.query.keys()
    if method == "HEAD" and selectors:
        allowed = {route.method for route in routes if route.parameters and route.parameters <= address.query.keys()}
        if allowed:
            raise method_not_allowed(
                scope.upper(),
                ", ".join(each for each in _ORDER if each in allowed),
                f"HEAD is not a method of {' and '.join(sorted(selectors))}",
            )
    if method == "GET" and scope == "object":
        for name in address.query.keys() & _OF_BUCKETS_ONLY.keys():
            raise INVALID_REQUEST.error(
                _OF_BUCKETS_ONLY[name], explanation=f"?{name} belongs to a bucket; omit the key"
            )
    if not address.query and method in ("DELETE", "PATCH", "POST", "PUT"):
        allowed = {route.method for route in routes if route.scope == scope and not route.requirements}
        raise method_not_allowed(
            scope.upper(),
            ", ".join(sorted(allowed)),
            f"{method} is not a method of a {scope} without a subresource",
        )
