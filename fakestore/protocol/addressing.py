"""Addresses: which bucket and key a request names, by its host and path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

from fakestore.errors import INVALID_URI, UnsupportedRequest
from fakestore.http.message import DEFAULT_PORTS, Request
from fakestore.http.secrets import hide_parameters
from fakestore.http.values import parse_integer
from fakestore.messages import dialect_option, escaped, shortened
from fakestore.model.names import DOTTED_NUMBERS
from fakestore.model.regions import HOME_REGION

Scope: TypeAlias = Literal["service", "bucket", "object"]

#: The end of the message to a client that reaches a served store by another URL, for example in another container.
_PASS_BASE_URL = "or pass the URL that the client uses as the option base_url (--base-url on the command line)"
#: The length of the longest valid host name, with a port. A message shows no more of a host.
_LONGEST_HOST = 260


class Addressing(Enum):
    """How a request names its bucket."""

    #: The host names it: ``http://photos.objects.test/cat.jpg``.
    VIRTUAL_HOST = "virtual host"
    #: The path names it: ``http://objects.test/photos/cat.jpg``.
    PATH = "path"


class Address(NamedTuple):
    """The bucket, the key and the query that a request names.

    The method ``signature`` of a :class:`fakestore.Verifier` gets it as an argument.

    Args:
        bucket: The name of the bucket; None if the request names the service.
        key: The key, percent-decoded once; None if the request names no object.
        query: The query parameters, decoded.
        resource: The path, with the bucket in front and percent-encoded as it was sent, for example
            ``/photos/cat.jpg``. This form is signed, and error documents repeat it.
    """

    bucket: str | None
    key: str | None
    query: Mapping[str, str]
    resource: str

    @property
    def scope(self) -> Scope:
        """What the request names: ``"service"``, ``"bucket"`` or ``"object"``."""
        if self.bucket is None:
            return "service"
        return "bucket" if self.key is None else "object"


class Endpoint(NamedTuple):
    """The hosts at which a store answers.

    Args:
        port: The port of the base URL; None for the default port of the scheme.
        public_hosts: A pattern of the hosts of the public service, with a group ``bucket`` for the part in front and a
            group ``region``; None if the dialect has no public hosts. They answer at the default ports and at the port
            of the base URL.
        aliases: Further network locations, such as ``"127.0.0.1:9000"``, at which a server answers for the store.
    """

    host: str
    port: int | None
    addressing: frozenset[Addressing]
    public_hosts: re.Pattern[str] | None
    aliases: tuple[str, ...] = ()

    @property
    def netloc(self) -> str:
        """The host, with the port if the base URL has one."""
        return join_netloc(self.host, self.port)

    @property
    def uses_path_style(self) -> bool:
        """Whether the URLs of all buckets name them in the path.

        They do if the dialect has no virtual hosts, or if the host is an IP address, which has no hosts below it.
        """
        if Addressing.PATH not in self.addressing:
            return False
        is_address = ":" in self.host or DOTTED_NUMBERS.fullmatch(self.host) is not None
        return is_address or Addressing.VIRTUAL_HOST not in self.addressing

    def names_in_path(self, bucket: str) -> bool:
        """Return whether the URL of a bucket names it in the path.

        If its name has an upper-case letter, only the path can name it, because a host has no upper case.
        """
        return self.uses_path_style or (Addressing.PATH in self.addressing and bucket != bucket.lower())

    def answers_at(self, *, path_style: bool) -> bool:
        """Return whether requests may name their bucket in this style: in the path, or else in the host."""
        if path_style:
            return Addressing.PATH in self.addressing
        return Addressing.VIRTUAL_HOST in self.addressing and ":" not in self.host

    def claims(self, scheme: str, host: str, port: int | None) -> bool:
        """Return whether a URL of these parts leads to the store. Both schemes do."""
        default = DEFAULT_PORTS.get(scheme)
        actual = default if port is None else port
        if actual is None:
            return False
        if self.find_alias(join_netloc(host, actual)) is not None:
            return True
        if host == self.host or host.endswith("." + self.host):
            return actual == (default if self.port is None else self.port)
        return self._match_public_host(host) is not None and actual in (default, self.port)

    def owns(self, host: str) -> bool:
        """Return whether a claimed host belongs to the base URL. A public host belongs only to a public base URL."""
        return self._match_public_host(host) is None or self._match_public_host(self.host) is not None

    def _match_public_host(self, host: str) -> re.Match[str] | None:
        return None if self.public_hosts is None else self.public_hosts.fullmatch(host)

    def find_alias(self, netloc: str) -> str | None:
        """Return the alias that is the end of a network location, or None."""
        return next((alias for alias in self.aliases if f".{netloc}".endswith(f".{alias}")), None)

    def find_region(self, host_header: str, region_of_bucket: str | None) -> str | None:
        """Return the region that answers at a host, or None if the host is not a public host. [regions]

        A public host without a region leads to the bucket in front of it, and otherwise to the home region.
        """
        public = self._match_public_host(_split_netloc(host_header.lower())[0])
        if public is None:
            return None
        return public["region"] or (public["bucket"] and region_of_bucket) or HOME_REGION

    def bucket_of_host(self, request: Request) -> str | None:
        """Return the bucket that the Host header of a request names, or None if it names the service."""
        scheme, host_header = request.scheme, request.host
        netloc = host_header.lower()
        alias = self.find_alias(netloc)
        if alias is not None and (netloc == alias or Addressing.VIRTUAL_HOST in self.addressing):
            return netloc[: -len(alias) - 1] or None
        host, port = _split_netloc(netloc)
        public = self._match_public_host(host)
        number = None if port is None else parse_integer(port)
        if port is not None and (number is None or not self.claims(scheme, host if public else self.host, number)):
            raise self._unknown_host(host_header, "", "a Host header with this port")
        own = join_netloc(self.host, None)
        if host == own:
            return None
        if host.endswith("." + own) and self.answers_at(path_style=False):
            return host[: -len(own) - 1]
        if host.endswith("." + own) and Addressing.VIRTUAL_HOST not in self.addressing:
            bucket, path = shortened(host[: -len(own) - 1], _LONGEST_HOST), request.target.partition("?")[0]
            raise _unsupported_path(
                request,
                f"this dialect has only path style, but the host names the bucket {bucket!r}; name it in the path:"
                f" {scheme}://{self.netloc}/{bucket}{path}, or use Dialect(addressing=frozenset(Addressing)) for both",
            )
        if public is not None:
            return public["bucket"]
        others = "" if self.uses_path_style else f" and at a bucket in front of it, such as 'photos.{self.netloc}'"
        raise self._unknown_host(host_header, others, "such a host")

    def _unknown_host(self, host_header: str, others: str, expected: str) -> UnsupportedRequest:
        served = f" and, by its server, at {self.aliases[0]!r}" if self.aliases else ""
        return UnsupportedRequest(
            f"the Host header is {shortened(host_header, _LONGEST_HOST)!r}, but this store answers at"
            f" {self.netloc!r}{others}{served}; send {expected}, {_PASS_BASE_URL}"
        )


def join_netloc(host: str, port: int | None) -> str:
    """Return the network location of a host at a port, or at the default port if it is None.

    Example:
        >>> join_netloc("::1", 9000)
        '[::1]:9000'
    """
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def _split_netloc(netloc: str) -> tuple[str, str | None]:
    """Return the host and the text of the port. An IPv6 address keeps its brackets."""
    host, colon, port = netloc.rpartition(":")
    if not colon or port.endswith("]"):  # the last colon is inside an IPv6 address
        return netloc, None
    return host, port


def parse_address(request: Request, endpoint: Endpoint) -> Address:
    """Return what `request` names. The path is percent-decoded once and never normalised."""
    bucket = endpoint.bucket_of_host(request)
    path, _, raw_query = request.target.partition("?")
    if not path.startswith("/"):
        raise INVALID_URI.error(
            explanation=f"the request target is {hide_parameters(request.target)!r}, which does not begin with a slash",
            URI=request.target,
        )
    query = _parse_query(raw_query)
    if bucket is not None:
        return Address(bucket, _decode(path[1:]) or None, query, f"/{bucket}{path}")
    name, _, rest = path[1:].partition("/")
    if not name and path != "/":
        raise _unsupported_path(request, "the path begins with two slashes, so it names no bucket; send one slash")
    name, key = _decode(name), _decode(rest)
    if name and Addressing.PATH not in endpoint.addressing:
        raise _unsupported_path(
            request,
            "this dialect does not support path style, with the bucket in the path; name the bucket in the host:"
            f" {request.scheme}://{name}.{endpoint.netloc}/{rest}, or use {dialect_option('s3')} for clients of S3,"
            " or Dialect(addressing=frozenset({Addressing.PATH})) for a service of your own",
        )
    return Address(name or None, key or None, query, path)


def _unsupported_path(request: Request, problem: str) -> UnsupportedRequest:
    return UnsupportedRequest(escaped(f"{request.method} {hide_parameters(request.target)}: {problem}"))


def _parse_query(raw: str) -> dict[str, str]:
    query: dict[str, str] = {}
    for pair in raw.split("&"):
        if not pair:
            continue
        name, _, value = pair.partition("=")
        name = _decode(name.replace("+", " "))
        if name in query:
            raise UnsupportedRequest(
                f"the query has the parameter {name!r} twice, which is not supported; send it once"
            )
        query[name] = _decode(value.replace("+", " "))
    return query


def _decode(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeError:
        raise INVALID_URI.error(explanation=f"{text!r} is not UTF-8 after percent-decoding", URI=text) from None
