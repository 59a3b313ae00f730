"""FakeStore: what a test holds. A thin face over the service and its state."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Unpack
from urllib.parse import quote

import requests
from requests.auth import AuthBase

from fakestore.api import files
from fakestore.api.bucket import Bucket, canned_acl, checked_account
from fakestore.api.clock import Travel
from fakestore.api.options import Options, StoreOptions, VersioningName, versioning_of
from fakestore.api.report import Beginning, describe, section, why_unfired
from fakestore.clients.requests.adapter import StoreAdapter
from fakestore.clients.requests.auth import Signer
from fakestore.http.reply import ConnectionFailure, Reply
from fakestore.http.request import Request
from fakestore.messages import counted
from fakestore.model.accounts import Account
from fakestore.model.errors import ErrorResponse
from fakestore.model.state import State
from fakestore.model.version_ids import VersionIds
from fakestore.operations.core.registry import check_operation_name
from fakestore.protocol.dialect import Dialect
from fakestore.service.fault_plan import Fault, PlannedFault
from fakestore.service.journal import Exchanges
from fakestore.service.service import Service


def _create_bucket(
    state: State, name: str, owner: Account, acl: str, versioning: VersioningName | None, *, now: datetime.datetime
) -> None:
    versioned, requested_acl = versioning_of(versioning), canned_acl(acl)
    try:
        state.create_bucket(name, owner=owner, requested_acl=requested_acl, now=now).versioning = versioned
    except ErrorResponse as refusal:
        raise ValueError(refusal.explanation) from None


class Snapshot:
    """What a store held at one moment; given back to :meth:`FakeStore.restore`, as often as wanted."""

    def __init__(self, state: State, ids: VersionIds) -> None:
        self._state = state
        #: Who issued the version ids in it, and how many there were.
        self._ids = ids
        self._issued_count = ids.issued_count

    def __repr__(self) -> str:
        return f"<Snapshot of {counted(len(self._state.buckets), 'bucket')}>"


class FakeStore:
    """An object storage service in this process. Made directly it patches nothing: use it through :meth:`adapter`.

    The options are those of :func:`fakestore.fake_store`.
    """

    def __init__(self, **options: Unpack[StoreOptions]) -> None:
        self._options = Options.of(options)
        self._service = Service(
            endpoint=self._options.endpoint(),
            dialect=self._options.spoken_dialect(),
            limits=self._options.limits,
            authenticator=self._options.authenticator(),
            seed=self._options.seed,
            origin=self.base_url,
        )
        self._travel = Travel()
        self._default_account = self._begin()

    def _begin(self) -> Account:
        """Let the service begin with what the options name, all at once; the default account."""
        service = self._service
        state = service.new_state()
        account = state.accounts.create(
            "default", access_key_id=self._options.access_key_id, secret_key=self._options.secret_key
        )
        for name, versioning in self._options.named_buckets().items():
            _create_bucket(state, name, account, "private", versioning, now=service.clock())
        service.reset(state)
        return account

    # -- arrange

    def create_account(
        self,
        name: str,
        *,
        id: str | None = None,
        email: str | None = None,
        access_key_id: str | None = None,
        secret_key: str | None = None,
    ) -> Account:
        """A new account; what is not given is derived from the name.

        Raises:
            ValueError: the name or the access key is taken or cannot be one.
        """
        with self._service.lock:
            return self._service.state.accounts.create(
                name, id=id, email=email, access_key_id=access_key_id, secret_key=secret_key
            )

    @property
    def default_account(self) -> Account:
        """Owns what is created without an owner, and signs what is not signed by another."""
        return self._default_account

    def _account(self, given: object) -> Account:
        return self._default_account if given is None else checked_account(given, self._service.state.accounts)

    def _signing(self, given: object) -> Account:
        """Anybody: also an account whose requests are to be refused."""
        return given if isinstance(given, Account) else self._account(given)

    def create_bucket(
        self,
        name: str,
        *,
        owner: Account | None = None,
        acl: str = "private",
        versioning: VersioningName | None = None,
    ) -> Bucket:
        """A new bucket, never versioned unless ``versioning`` says otherwise.

        Raises:
            ValueError: the name is taken or cannot be one, there is no such canned ACL or versioning, or the owner is
                no account of this store.
            TypeError: an argument of the wrong kind.
        """
        service = self._service
        with service.lock:
            _create_bucket(service.state, name, self._account(owner), acl, versioning, now=service.clock())
        return Bucket(service, name)

    def __getitem__(self, name: str) -> Bucket:
        """The handle of a bucket.

        Raises:
            KeyError: there is none of that name; it names those there are.
        """
        buckets = self.buckets
        if name not in buckets:
            raise KeyError(f"there is no bucket {name!r}; buckets: {', '.join(map(repr, buckets)) or 'none'}")
        return buckets[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a bucket of that name."""
        return name in self.buckets

    def __iter__(self) -> Iterator[str]:
        """The names of the buckets, sorted; a copy, so the store may change meanwhile."""
        return iter(self.buckets)

    def __len__(self) -> int:
        """How many buckets there are."""
        return len(self.buckets)

    def __bool__(self) -> bool:
        """True, also without buckets: a store that was handed in is there, ``store or another`` takes it."""
        return True

    @property
    def buckets(self) -> Mapping[str, Bucket]:
        """The buckets there are now, by name; read-only."""
        with self._service.lock:
            names = sorted(self._service.state.buckets)
        return MappingProxyType({name: Bucket(self._service, name) for name in names})

    def load(self, bucket: str, path: str | Path) -> None:
        """Put every file under a directory into a bucket, under its path from there; see :meth:`dump`.

        Raises:
            KeyError: there is no such bucket.
            NotADirectoryError: ``path`` is no directory.
            ValueError: a path that cannot be a key, or a file over the limit of sizes; nothing is put then.
            OSError: a file that cannot be read; those before it are put.
        """
        files.load(self[bucket], Path(path))

    def dump(self, bucket: str, path: str | Path) -> None:
        """Write the current objects of a bucket into a directory, which is made where it is not there.

        Raises:
            KeyError: there is no such bucket.
            ValueError: a key that cannot be a path under the directory; nothing is written then.
            OSError: a file that cannot be written; those before it are written.
        """
        files.dump(self[bucket], Path(path))

    # -- act

    @property
    def base_url(self) -> str:
        """The URL of the service, without a slash at its end."""
        return self._options.service_url().rstrip("/")

    @property
    def dialect(self) -> Dialect:
        return self._service.dialect

    def url(self, bucket: str, key: str = "", **query: object) -> str:
        """The URL of a bucket, or of an object in it, as `requests` sends it unchanged.

        Keys are percent-encoded as UTF-8; dot segments and a leading slash too, which `requests` would rewrite.
        A query parameter of ``None`` stands without a value: ``url("photos", "k", acl=None)`` ends in ``?acl``. An
        underscore in a parameter's name stands for a hyphen: ``url("photos", list_type=2)``.
        """
        scheme, _, netloc = self.base_url.partition("://")
        parameters = [
            name.replace("_", "-") + ("" if value is None else f"={quote(str(value), safe='')}")
            for name, value in query.items()
        ]
        path = "/".join(
            segment.replace(".", "%2E") if segment in (".", "..") else segment
            for segment in quote(key, safe="/-_.~").split("/")
        )
        if path.startswith("/"):
            path = "%2F" + path[1:]
        if self._service.endpoint.names_in_path(bucket):
            netloc = f"{netloc}/{quote(bucket, safe='-_.~')}"
        else:
            netloc = f"{bucket}.{netloc}"
        return f"{scheme}://{netloc}/{path}" + ("?" + "&".join(parameters) if parameters else "")

    def auth(self, account: Account | None = None) -> AuthBase:
        """Signs requests to this store as an account: ``requests.put(..., auth=store.auth())``.

        Raises:
            TypeError: no account.
        """
        return Signer(self._service, self._signing(account))

    def session(self, account: Account | None = None) -> requests.Session:
        """A session that signs its requests to this store as an account; it mounts nothing.

        Raises:
            TypeError: no account.
        """
        session = requests.Session()
        session.auth = self.auth(account)
        return session

    def adapter(self, *, max_retries: Any = 0) -> StoreAdapter:
        """A transport adapter, for a session to mount; requests to other hosts go on to the network."""
        return StoreAdapter(self._service, max_retries)

    def handle(self, request: Request) -> Reply:
        """Answer a request, below any client library.

        Example:
            >>> from fakestore import FakeStore
            >>> from fakestore.http import Request
            >>> store = FakeStore(buckets=["photos"])
            >>> store.handle(Request.to_url("GET", store.url("photos"))).status
            403

        Raises:
            UnsupportedRequest: If the fake does not support what the request asks for.
            ConnectionResetError: If a fault resets the connection.
            TimeoutError: If a fault lets the connection or the reply time out.
        """
        reply, delivery = self._service.answer(request)
        if reply is None:
            failure = delivery.failure or ConnectionFailure.RESET
            raise (ConnectionResetError if failure is ConnectionFailure.RESET else TimeoutError)(failure.value)
        return reply if delivery.truncate_at is None else replace(reply, body=reply.body[: delivery.truncate_at])

    # -- steer

    def fail(
        self,
        operation: str | None,
        fault: Fault,
        *,
        bucket: str | None = None,
        key: str | None = None,
        times: int | None = 1,
        after: int = 0,
    ) -> None:
        """Let the next requests that match meet a fault.

        Args:
            operation: its name, or ``None`` for every one.
            times: how many requests meet it; ``None`` for all until the store closes. One whose reply has nothing
                that the fault could harm, no body to be cut say, does not meet it.
            after: how many matching requests pass before.

        Raises:
            ValueError: an operation that there is not, a count that cannot be, or an EmbeddedError for another
                operation than "PUT Object Copy".
            TypeError: no fault, or an argument of the wrong kind.
        """
        for what, name in (("operation", operation), ("bucket", bucket), ("key", key)):
            if not isinstance(name, str | None):
                raise TypeError(f"{what} is a name, or None for every one, not {name!r}")
        if operation is not None:
            check_operation_name(operation)
        if not isinstance(fault, Fault):
            raise TypeError(
                f"a fault is one of fakestore.faults, such as faults.ServiceError('SlowDown'), not {fault!r}"
            )
        if fault.embedded_error is not None and operation != "PUT Object Copy":
            raise ValueError(f"an EmbeddedError is for 'PUT Object Copy' alone, not for {operation!r}")
        if (times is not None and type(times) is not int) or type(after) is not int:
            raise TypeError(f"a fault fires, and lets pass, a whole number of requests; not {times=}, {after=}")
        if (times is not None and times < 1) or after < 0:
            raise ValueError(f"a fault fires 1 time or more, after 0 requests or more; not {times=}, {after=}")
        self._service.faults.add(PlannedFault(operation, fault, bucket, key, times, after))

    def snapshot(self) -> Snapshot:
        """Buckets, accounts, policies and lifecycle as they are now; costs no copy of content."""
        with self._service.lock:
            return Snapshot(self._service.state.copy(), self._service.version_ids)

    def restore(self, snapshot: Snapshot) -> None:
        """Put back what a snapshot of this store holds; journal, faults, clock and id counters go on.

        Raises:
            ValueError: a snapshot of another store.
            TypeError: no snapshot.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"a snapshot is what store.snapshot() gives, not {snapshot!r}")
        with self._service.lock:
            if snapshot._ids is not self._service.version_ids:
                raise ValueError("the snapshot is of another store, whose version ids this one never issued")
            self._service.version_ids.skip_to(snapshot._issued_count)
            self._service.state.replace_with(snapshot._state.copy())

    def reset(self) -> None:
        """As just entered: nothing stored but what the options name, nothing asked, the first ids again.

        Snapshots taken before can still be restored. A request under way goes on with what is there then, and is noted.

        Raises:
            RuntimeError: as :meth:`close`; the store is reset all the same.
        """
        try:
            self._travel.end()
        finally:
            self._travel = Travel()
            with self._service.lock:
                self._default_account = self._begin()

    def travel(
        self,
        *,
        weeks: float = 0,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        milliseconds: float = 0,
        microseconds: float = 0,
    ) -> None:
        """Move the clock of the whole process, until the store closes; less than nothing moves it back.

        A clock that is frozen already is moved, and moved back; else it goes on ticking from there.

        Raises:
            RuntimeError: another freeze was begun since the clock was moved first, and is still running.
            OverflowError, ValueError, TypeError: as ``timedelta`` and ``datetime`` raise them.
        """
        self._travel.by(datetime.timedelta(days, seconds, microseconds, milliseconds, minutes, hours, weeks))

    # -- assert

    @property
    def exchanges(self) -> Exchanges:
        """What was asked and answered, in order; the latest 2,000."""
        return self._service.journal.exchanges()

    def calls(self, operation: str | None = None, *, bucket: str | None = None, key: str | None = None) -> Exchanges:
        """The exchanges of an operation, a bucket, a key.

        Raises:
            ValueError: an operation that there is not.
        """
        if operation is not None:
            check_operation_name(operation)
        return self._service.journal.matching(operation, bucket, key)

    @property
    def unhandled_requests(self) -> list[Exception]:
        """Unsupported and unexpected requests so far; what is taken off was meant, and is not raised on leaving."""
        return self._service.unhandled_requests

    def describe(self) -> str:
        """Buckets, keys and version stacks as a tree, for a person."""
        with self._service.lock:
            now = self._service.clock()
            for bucket in self._service.state.buckets.values():
                bucket.apply_lifecycle(now)
            return describe(self._service.state)

    def _beginning(self) -> Beginning:
        """What the report of a test that begins now leaves out."""
        exchanges = self.exchanges
        return Beginning(exchanges[-1] if exchanges else None, tuple(self.unhandled_requests))

    def _section(self, error: BaseException | None, beginning: Beginning | None) -> str:
        """What the report of a test that failed by ``error`` says of this store."""
        with self._service.lock:
            return section(self._service, self.describe(), self._travel.moved, error, beginning)

    # -- end

    def close(self) -> None:
        """Put the clock back, as leaving :func:`fakestore.fake_store` does; for a store that was made directly.

        What is stored can still be looked at.

        Raises:
            RuntimeError: the clock was frozen by somebody else after :meth:`travel`, and still is; what was moved is
                put back for the time after that.
        """
        self._travel.end()

    def check(self) -> None:
        """Raise what a test should not end without hearing, as leaving :func:`fakestore.fake_store` does.

        Raises:
            UnsupportedRequest, UnexpectedRequest: the first of ``refusals``, with the others as notes; those that
                say the same are counted.
            AssertionError: a fault that was asked for fired not once.
        """
        if self.unhandled_requests:
            first = self.unhandled_requests[0]
            others = Counter(map(str, self.unhandled_requests))
            if (count := others.pop(str(first))) > 1:
                first.add_note(f"{count} times")
            for other, count in others.items():
                first.add_note(f"and also: {other}" + (f" ({count} times)" if count > 1 else ""))
            raise first
        with self._service.lock:
            unfired = [f"{each}: {why_unfired(each, self._service)}" for each in self._service.faults.unfired()]
        if unfired:
            told = "\n".join(unfired)
            raise AssertionError(f"faults that never fired (one that need not is given times=None): {told}")

    def __repr__(self) -> str:
        names = ", ".join(self.buckets) or "none"
        return f"<FakeStore {self.base_url}: buckets {names}; {counted(len(self.exchanges), 'exchange')}>"
