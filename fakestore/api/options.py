"""The options of a store: what they are, their defaults, and what is wrong with a value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal, TypedDict
from urllib.parse import urlsplit

from fakestore.messages import did_you_mean
from fakestore.model.errors import ErrorResponse
from fakestore.model.limits import Limits
from fakestore.model.names import check_bucket_name
from fakestore.model.regions import REGIONS
from fakestore.model.versioning import Versioning
from fakestore.protocol.addressing import Endpoint
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.auth.base import AuthRules, Verifier
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.dialects import DOCUMENT, find_dialect

VersioningName = Literal["never", "enabled", "suspended"]
Buckets = Collection[str] | Mapping[str, VersioningName | None]


class StoreOptions(TypedDict, total=False):
    """The options of :func:`fakestore.fake_store`, all by keyword."""

    base_url: str | None
    access_key_id: str | None
    secret_key: str | None
    auth_scheme: str | None
    buckets: Buckets
    dialect: Dialect | str
    limits: Limits
    signatures: Literal["accept", "verify"] | Verifier
    max_clock_skew: timedelta | float | None
    allow_network: bool
    seed: int
    region: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options that were checked. ``max_clock_skew`` may be given in seconds; ``None`` leaves it unchecked.

    Raises:
        ValueError, TypeError: a value that cannot be, with what can.
    """

    base_url: str | None = None
    access_key_id: str | None = None
    secret_key: str | None = None
    auth_scheme: str | None = None
    buckets: Buckets = ()
    dialect: Dialect | str = DOCUMENT
    limits: Limits = field(default_factory=Limits)
    signatures: Literal["accept", "verify"] | Verifier = "accept"
    max_clock_skew: timedelta | float | None = timedelta(minutes=15)
    allow_network: bool = False
    seed: int = 0
    region: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Options:
        """Check options as they were given.

        Raises:
            TypeError: an option that there is not.
        """
        for name in options:
            if name not in cls.__slots__:
                there = f"there are {', '.join(cls.__slots__)}."
                raise TypeError(f"there is no option {name!r}; {there}{did_you_mean(name, cls.__slots__)}")
        return cls(**options)

    def __post_init__(self) -> None:
        self.endpoint()
        self.named_buckets()
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits is a fakestore.Limits, not {self.limits!r}")
        self.spoken_dialect()
        if isinstance(self.signatures, str) and self.signatures not in ("accept", "verify"):
            raise ValueError(f"signatures is 'accept', 'verify' or a Verifier, not {self.signatures!r}")
        if not isinstance(self.signatures, str) and (
            isinstance(self.signatures, type) or not callable(getattr(self.signatures, "signature", None))
        ):
            raise TypeError(f"a Verifier is an object with a method signature(), which {self.signatures!r} is not")
        skew = self.max_clock_skew
        if not isinstance(skew, timedelta | int | float | None) or isinstance(skew, bool):
            raise TypeError(f"max_clock_skew is a timedelta, seconds, or None for unchecked, not {skew!r}")
        seconds = skew.total_seconds() if isinstance(skew, timedelta) else skew
        if seconds is not None and not 0 <= seconds <= timedelta.max.total_seconds():
            raise ValueError(
                f"max_clock_skew is {skew}; it cannot be negative or more than a timedelta can be. None leaves the"
                " clock unchecked"
            )
        if not isinstance(self.allow_network, bool):
            raise TypeError(f"allow_network is True or False, not {self.allow_network!r}")
        if self.region is not None and self.region not in REGIONS:
            raise ValueError(f"unknown region {self.region!r}: expected one of {', '.join(sorted(REGIONS))}")
        if not isinstance(self.seed, int):
            raise TypeError(f"seed is an integer, not {self.seed!r}")

    def endpoint(self) -> Endpoint:
        """Where the store answers."""
        dialect, base_url = self.spoken_dialect(), self.service_url()
        try:
            url = urlsplit(base_url)
            port = url.port
        except (ValueError, AttributeError, TypeError):
            raise ValueError(f"base_url is {self.base_url!r}, which is no URL") from None
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"base_url is {self.base_url!r}; it begins with http:// or https:// and names a host")
        if url.path.strip("/") or url.query or url.fragment or url.username:
            raise ValueError(f"base_url is {self.base_url!r}; it is a scheme, a host and at most a port")
        if not url.hostname.isascii() or ":" in url.hostname:
            raise ValueError(
                f"base_url is {self.base_url!r}; buckets are names under its host, so that is a name in ASCII (an"
                " international one in its form with xn--), or an IPv4 address"
            )
        return Endpoint(
            host=url.hostname,
            port=port,
            addressing=dialect.addressing,
            public_hosts=dialect.public_hosts,
        )

    def named_buckets(self) -> dict[str, VersioningName | None]:
        """The buckets to begin with, and the versioning of each."""
        if not isinstance(self.buckets, Collection) or isinstance(self.buckets, str):
            # Text would be a bucket per letter, and an iterator would be empty the second time it is looked at.
            raise TypeError(f"buckets is a list of names, or names with their versioning, not {self.buckets!r}")
        named = dict(self.buckets) if isinstance(self.buckets, Mapping) else dict.fromkeys(self.buckets)
        for name, versioning in named.items():
            try:
                check_bucket_name(name)
            except ErrorResponse as refusal:
                raise ValueError(refusal.explanation) from None
            versioning_of(versioning)
        return named

    def spoken_dialect(self) -> Dialect:
        """The dialect, with the authentication scheme that beats its own where one was given."""
        dialect = find_dialect(self.dialect)
        return dialect if self.auth_scheme is None else replace(dialect, auth_scheme=self.auth_scheme)

    def service_url(self) -> str:
        """Return the URL of the service: ``base_url``, or the default of the dialect."""
        return self.spoken_dialect().default_base_url if self.base_url is None else self.base_url

    def authenticator(self) -> Authenticator:
        """Return what authenticates requests."""
        skew, dialect = self.max_clock_skew, self.spoken_dialect()
        rules = AuthRules(
            header_prefix=dialect.header_prefix,
            scheme_word=dialect.auth_scheme,
            verify=self.signatures != "accept",
            verifier=None if isinstance(self.signatures, str) else self.signatures,
            max_clock_skew=timedelta(seconds=skew) if isinstance(skew, int | float) else skew,
            aws_chunked=dialect.aws_chunked,
            region=self.region,
        )
        return Authenticator(dialect.auth, rules, dialect.semantics.anonymous_requests)


def versioning_of(name: str | None) -> Versioning:
    """The versioning state of a name; ``None`` is ``"never"``.

    Raises:
        ValueError: another name.
        TypeError: no name.
    """
    if not isinstance(name, str | None):
        raise TypeError(f"versioning is given by its name, not as {name!r}")
    try:
        return Versioning.NEVER if name is None else Versioning(name)
    except ValueError:
        names = ", ".join(repr(state.value) for state in Versioning)
        raise ValueError(f"versioning is {name!r}; there are {names}") from None
