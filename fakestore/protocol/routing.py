"""From a request to the operation it asks for, and what it names. There is no default: the unknown is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from fakestore.http.fields import read_integer
from fakestore.http.messages import Request
from fakestore.model.errors import INVALID_URI
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.dialect import Dialect

#: Query parameters that select an operation; at most one may stand in a request.
SUBRESOURCES = ("acl", "delete", "lifecycle", "list-type", "location", "policy", "versioning", "versions")

#: Headers of the dialect, without prefix, that any operation takes.
COMMON_HEADERS = frozenset({"date", "mfa"})


_DEFAULT_PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """What a request names: a bucket and a key, each ``None`` where it names none, and its query, decoded.

    ``resource`` is the path as it is signed and as errors repeat it: not decoded, the bucket in front.
    """

    bucket: str | None
    key: str | None
    query: Mapping[str, str]
    resource: str

    @property
    def scope(self) -> str:
        if self.bucket is None:
            return "service"
        return "bucket" if self.key is None else "object"


class Endpoint(NamedTuple):
    """Where the store answers: the host under which buckets are names, and its port if it has one of its own."""

    host: str
    port: int | None

    @property
    def netloc(self) -> str:
        """The host, and the port if there is one, as a URL has them."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def claims(self, scheme: str, host: str, port: int | None) -> bool:
        """Whether a URL of these parts is the store's: either scheme, the base host or one under it, and its port."""
        if host != self.host and not host.endswith("." + self.host):
            return False
        expected = self.port if self.port is not None else _DEFAULT_PORTS.get(scheme)
        return expected is not None and (port if port is not None else _DEFAULT_PORTS.get(scheme)) == expected

    def bucket_of(self, scheme: str, host: str) -> str | None:
        """The bucket that a Host header names; ``None`` for the service itself.

        Raises:
            UnsupportedRequest: the host is neither the base host nor under it, or its port is not the store's.
        """
        name, colon, port = host.lower().partition(":")
        if colon and ((number := read_integer(port)) is None or not self.claims(scheme, self.host, number)):
            raise UnsupportedRequest(f"the Host header says {host!r}, and {port!r} is not the port of {self.netloc!r}")
        if name == self.host:
            return None
        if name.endswith("." + self.host):
            return name[: -len(self.host) - 1]
        raise UnsupportedRequest(
            f"the Host header says {host!r}, which is neither {self.host!r} nor a bucket under it; a bucket is named"
            f" as in 'photos.{self.host}'"
        )


def address_of(request: Request, endpoint: Endpoint) -> Address:
    """What ``request`` names, percent-decoded once and never normalised.

    Raises:
        ErrorResponse: InvalidURI, where the target does not begin with a slash, or its path or query is not UTF-8.
        UnsupportedRequest: the host is not the store's, or the query repeats a parameter.
    """
    bucket = endpoint.bucket_of(request.scheme, request.host)
    path, _, raw_query = request.target.partition("?")
    if not path.startswith("/"):
        raise INVALID_URI.error(
            explanation=f"the target {request.target!r} does not begin with a slash", URI=request.target
        )
    key = _decoded(path[1:])
    query = _query(raw_query) if raw_query else {}
    resource = path if bucket is None else f"/{bucket}{path}"
    if bucket is None and key:
        first, _, rest = key.partition("/")
        raise UnsupportedRequest(
            f"{request.method} {request.target}: path style, with the bucket in the path, is not modelled;"
            f" the bucket is named in the host: {request.scheme}://{first}.{request.host}/{rest}"
        )
    return Address(bucket, key or None, query, resource)


def _query(raw: str) -> dict[str, str]:
    query: dict[str, str] = {}
    for pair in raw.split("&"):
        if not pair:
            continue
        name, _, value = pair.partition("=")
        name = _decoded(name.replace("+", " "))
        if name in query:
            raise UnsupportedRequest(f"the query has the parameter {name!r} twice; what that means is not modelled")
        query[name] = _decoded(value.replace("+", " "))
    return query


def _decoded(text: str) -> str:
    if "%" not in text and text.isascii():
        return text
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeError:
        raise INVALID_URI.error(explanation=f"{text!r} is not UTF-8 once it is percent-decoded", URI=text) from None


def route_of(request: Request, address: Address, dialect: Dialect) -> str:
    """The route that a request takes: its verb, its scope and the one subresource, or that it is a copy.

    HEAD takes a route of its own. A subresource is written behind ``?``: ``PUT object?acl``.

    Raises:
        UnsupportedRequest: two subresources in one request, or one with a value; ``list-type`` alone has one.
    """
    route = f"{request.method} {address.scope}"
    if address.query:
        named = [name for name in SUBRESOURCES if name in address.query]
        if len(named) > 1:
            raise UnsupportedRequest(f"the query names two subresources, {named[0]!r} and {named[1]!r}, in one request")
        if named:
            value = address.query[named[0]]
            if value and named[0] != "list-type":  # [values-of-subresources]
                raise UnsupportedRequest(f"the subresource {named[0]!r} takes no value, and {value!r} is one")
            return f"{route}?{named[0]}"
    if route == "PUT object" and f"{dialect.header_prefix}copy-source" in request.headers:
        return "PUT object from copy-source"
    return route
