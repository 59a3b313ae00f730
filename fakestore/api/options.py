"""The options of a store, their defaults, and the checks of their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import timedelta
from inspect import iscoroutinefunction
from ipaddress import ip_address
from types import EllipsisType
from typing import Any, Literal, TypedDict, TypeVar
from urllib.parse import urlsplit

from fakestore.api import default_options
from fakestore.api.arguments import CannedAclName, DialectName, VersioningName, parse_bucket_settings
from fakestore.errors import ErrorResponse
from fakestore.messages import dialect_option, did_you_mean
from fakestore.model.names import check_bucket_name
from fakestore.model.regions import HOME_REGION, REGIONS
from fakestore.model.semantics import Limits
from fakestore.operations import TABLE
from fakestore.protocol.addressing import Addressing, Endpoint
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.auth.scheme import AuthSettings, Verifier
from fakestore.protocol.dialect import DOCUMENT, Dialect, get_dialect
from fakestore.service.service import Service

_Service = TypeVar("_Service", bound=Service)


class BucketSettings(TypedDict, total=False):
    """The settings of a bucket to begin with, as for :meth:`fakestore.FakeStore.create_bucket`."""

    acl: CannedAclName
    versioning: VersioningName | None
    object_lock: bool


#: This is not `Collection[str]`, because a type checker would then also accept a mapping to invalid versioning.
Buckets = Sequence[str] | Set[str] | Mapping[str, VersioningName | BucketSettings | None]

#: Whether a server runs while a store is entered, and in which process.
Serve = bool | Literal["process"]


class StoreOptions(TypedDict, total=False):
    """The options of :func:`fakestore.fake_store`, as a type for functions that pass them on.

    Example:
        >>> from typing import Unpack
        >>> def photo_store(**options: Unpack[StoreOptions]) -> FakeStore:
        ...     options.setdefault("buckets", ["photos"])
        ...     return FakeStore(**options)
    """

    base_url: str | None
    access_key_id: str | None
    secret_key: str | None
    any_access_key: bool
    acls: bool
    auth_scheme: str | None
    buckets: Buckets
    dialect: Dialect | DialectName
    limits: Limits
    signatures: Literal["accept", "verify"] | Verifier
    max_clock_skew: timedelta | float | None
    region: str | None
    allow_network: bool | Collection[str]
    seed: int
    journal_size: int
    source_ip: str | None
    set_environment: bool
    sleep: Callable[[float], object] | None
    serve: Serve


#: The default of the largest difference between the date of a request and the clock.
_USUAL_CLOCK_SKEW = timedelta(minutes=15)
#: A host, or a host and a port. An IPv6 address with a port is in brackets.
_ALLOWED = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-f:.]+\](:\d+)?|[0-9a-f:.]+", re.ASCII | re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")

_TEXTS = ("base_url", "access_key_id", "secret_key", "auth_scheme", "region", "source_ip")
_FLAGS = ("any_access_key", "acls", "set_environment")
#: Arguments of FakeStore.serve(), which are not options of a store.
_OF_SERVE = ("host", "port", "timeout")
#: Options with another name in boto3.
_NAMES_OF_BOTO3 = {"endpoint_url": "base_url"}
#: The type of each option, and its name in messages; `buckets` and `signatures` have checks of their own.
_TYPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(_TEXTS, (str | None, "a text")),
    **dict.fromkeys(_FLAGS, (bool, "True or False")),
    **dict.fromkeys(("seed", "journal_size"), (int, "a whole number")),
    "dialect": (str | Dialect, "a name or a fakestore.Dialect"),
    "limits": (Limits, "a fakestore.Limits"),
    "max_clock_skew": (timedelta | float | int | None, "a timedelta or a number of seconds"),
    "sleep": (Callable | None, "a function"),
}


class OptionError(ValueError):
    """An option has an invalid value."""

    def __init__(self, option: str, value: object, problem: str) -> None:
        self.option, self._value, self._problem = option, value, problem
        super().__init__(self.describe(option))

    def describe(self, option: str) -> str:
        """Return the message with this name of the option."""
        return f"invalid {option} {self._value!r}: {self._problem}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Options:
    """Options that were checked; see :func:`fakestore.fake_store`."""

    base_url: str | None = None
    access_key_id: str | None = None
    secret_key: str | None = None
    any_access_key: bool = False
    acls: bool = False
    auth_scheme: str | None = None
    buckets: Buckets = ()
    dialect: Dialect | DialectName = DOCUMENT
    limits: Limits = field(default_factory=Limits)
    signatures: Literal["accept", "verify"] | Verifier = "accept"
    max_clock_skew: timedelta | float | EllipsisType | None = ...  # not set
    region: str | None = None
    allow_network: bool | Collection[str] = False
    seed: int = 0
    journal_size: int = 2000
    source_ip: str | None = None
    set_environment: bool = True
    sleep: Callable[[float], object] | None = None
    serve: Serve = False

    @classmethod
    def from_kwargs(cls, options: Mapping[str, Any]) -> Options:
        for name, value in options.items():
            if name not in cls.__slots__:
                expected = f"expected {', '.join(cls.__slots__)}."
                similar = did_you_mean(_NAMES_OF_BOTO3.get(name, name), cls.__slots__)
                if name in _OF_SERVE:
                    similar = f" A server has it: with store.serve({name}={value!r}) as url"
                raise TypeError(f"unknown option {name!r}: {expected}{similar}")
            kind, expected = _TYPES.get(name, (object, ""))
            if not isinstance(value, kind):
                raise TypeError(f"invalid {name}: expected {expected}, not {type(value).__name__}")
        return cls(**{**default_options, **options})

    def __post_init__(self) -> None:
        self._endpoint()
        self.initial_buckets()
        if isinstance(self.signatures, str) and self.signatures not in ("accept", "verify"):
            raise OptionError("signatures", self.signatures, "expected 'accept', 'verify' or a Verifier")
        self.allowed_hosts()
        if self.serve not in (True, False, "process"):
            raise OptionError("serve", self.serve, "expected True, False or 'process'")
        if not isinstance(self.signatures, str) and not callable(getattr(self.signatures, "signature", None)):
            raise TypeError(
                f"invalid signatures {self.signatures!r}: expected 'accept', 'verify' or a Verifier, which is an object"
                " with a method signature()"
            )
        if self.any_access_key and self.signatures != "accept":
            raise OptionError(
                "any_access_key",
                True,
                "the signatures must be 'accept', because the secret key of an unknown access key is not known",
            )
        if iscoroutinefunction(self.sleep):
            raise TypeError(f"invalid sleep {self.sleep!r}: expected a function that is not a coroutine function")
        skew = self._clock_skew()
        seconds = skew.total_seconds() if isinstance(skew, timedelta) else skew
        if seconds is not None and not 0 <= seconds <= timedelta.max.total_seconds():
            raise OptionError("max_clock_skew", skew, "expected 0 or more; None accepts every date")
        if self.region is not None and self.region not in REGIONS:
            raise OptionError("region", self.region, f"expected one of {', '.join(sorted(REGIONS))}")
        if self.journal_size < 0:
            raise OptionError("journal_size", self.journal_size, "expected 0 or more")
        if self.source_ip is not None:
            try:
                ip_address(self.source_ip)
            except ValueError:
                raise OptionError("source_ip", self.source_ip, "expected an IP address") from None

    def _endpoint(self) -> Endpoint:
        """Return the endpoint at which the store answers."""
        dialect, base_url = self._effective_dialect(), self._base_url
        try:
            url = urlsplit(base_url)
            port = url.port
        except ValueError:
            raise OptionError("base_url", base_url, "it is not a URL") from None
        if not base_url.isprintable() or " " in base_url:  # urlsplit removes line ends
            raise OptionError("base_url", base_url, "it is not a URL")
        if url.scheme not in ("http", "https") or not url.hostname:
            raise OptionError("base_url", base_url, "it must begin with http:// or https:// and a host")
        if base_url.rstrip("/").partition("://")[2] != url.netloc or "@" in url.netloc:
            raise OptionError("base_url", base_url, "expected a scheme, a host and at most a port")
        if port == 0:
            raise OptionError("base_url", base_url, "the port 0 is not possible; expected 1 to 65535")
        if not _HOST.fullmatch(url.hostname):
            raise OptionError(
                "base_url",
                base_url,
                "its host must be a name of letters, digits, '-', '_' and '.' (an international one in its form with"
                " xn--), or an IP address without a zone",
            )
        if ":" in url.hostname and Addressing.PATH not in dialect.addressing:
            raise OptionError(
                "base_url",
                base_url,
                "in this dialect a bucket is a name in front of the host, and an IPv6 address cannot have a name in"
                f" front of it; use a host name or an IPv4 address, or {dialect_option('s3')}, in which the path can"
                " name the bucket",
            )
        return Endpoint(host=url.hostname, port=port, addressing=dialect.addressing, public_hosts=dialect.public_hosts)

    @property
    def _base_url(self) -> str:
        return self._effective_dialect().default_base_url if self.base_url is None else self.base_url

    def allowed_hosts(self) -> bool | frozenset[str]:
        """Return whether requests to other hosts may reach the network, or the hosts that they may reach."""
        hosts = self.allow_network
        if isinstance(hosts, bool):
            return hosts
        if not isinstance(hosts, Collection) or isinstance(hosts, str):
            raise TypeError(
                f"invalid allow_network {hosts!r}: expected True, False or a list of hosts such as ['localhost',"
                " 'api.example.com:8443']"
            )
        for host in hosts:
            if not isinstance(host, str) or not _ALLOWED.fullmatch(host):
                raise ValueError(
                    f"invalid host {host!r} in allow_network: expected a host, or a host and a port, such as"
                    " 'localhost' or 'api.example.com:8443'"
                )
        return frozenset(host.lower()[1:-1] if host.endswith("]") else host.lower() for host in hosts)

    def initial_buckets(self) -> dict[str, BucketSettings]:
        """Return the buckets to begin with, and the settings of each."""
        # A string would be a bucket for each letter, and an iterator would be empty when it is read again.
        is_collection = isinstance(self.buckets, Collection) and not isinstance(self.buckets, str)
        if not is_collection or not all(isinstance(each, str) for each in self.buckets):
            raise TypeError(f"invalid buckets {self.buckets!r}: expected a list of names, or a mapping to settings")
        options: Mapping[str, Any] = self.buckets if isinstance(self.buckets, Mapping) else dict.fromkeys(self.buckets)
        buckets: dict[str, Any] = {}
        semantics = self._effective_dialect().semantics
        for name, option in options.items():
            settings = buckets[name] = option if isinstance(option, dict) else {"versioning": option}
            try:
                check_bucket_name(name, reserves_names=semantics.reserves_bucket_names)
            except ErrorResponse as error:
                raise ValueError(error.explanation) from None
            known = BucketSettings.__annotations__
            for unknown in settings.keys() - known:
                raise TypeError(
                    f"invalid buckets: unknown setting {unknown!r} of {name!r}; expected {', '.join(known)}."
                    f"{did_you_mean(str(unknown), known)}"
                )
            parse_bucket_settings(semantics, **settings)
        return buckets

    def _effective_dialect(self) -> Dialect:
        """Return the dialect with the changes of the options: its authentication scheme, and its new buckets."""
        dialect = get_dialect(self.dialect) if isinstance(self.dialect, str) else self.dialect
        if self.acls:
            open_to_acls = replace(dialect.semantics, default_object_ownership=None, default_public_access_block=None)
            dialect = replace(dialect, semantics=open_to_acls)
        return dialect if self.auth_scheme is None else replace(dialect, auth_scheme=self.auth_scheme)

    def _clock_skew(self) -> timedelta | float | None:
        if self.max_clock_skew is not ...:
            return self.max_clock_skew
        compares = self.signatures != "accept" or self._effective_dialect().semantics.compares_unverified_dates
        return _USUAL_CLOCK_SKEW if compares else None

    def new_service(self) -> Service:
        return self.new_service_as(Service)

    def new_service_as(self, kind: type[_Service]) -> _Service:
        """Return a new service of this class."""
        skew, dialect = self._clock_skew(), self._effective_dialect()
        endpoint = self._endpoint()
        home_region = self.region or endpoint.find_region(endpoint.host, None) or HOME_REGION
        settings = AuthSettings(
            header_prefix=dialect.header_prefix,
            scheme_word=dialect.auth_scheme,
            verify=self.signatures != "accept",
            verifier=None if isinstance(self.signatures, str) else self.signatures,
            max_clock_skew=timedelta(seconds=skew) if isinstance(skew, int | float) else skew,
            region=self.region if self.signatures != "accept" else None,
            aws_chunked=dialect.aws_chunked,
        )
        authenticator = Authenticator(
            dialect.auth, dialect.query_schemes, dialect.form_auth, settings, dialect.semantics.anonymous_requests
        )
        return kind(
            endpoint=endpoint,
            operations=TABLE,
            dialect=dialect,
            limits=self.limits,
            home_region=home_region,
            authenticator=authenticator,
            seed=self.seed,
            origin=self._base_url.rstrip("/"),
            source_ip=self.source_ip,
            journal_size=self.journal_size,
        )
