"""FakeStore: the store that a test uses."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Unpack
from urllib.parse import quote

from fakestore.api import environment
from fakestore.api.arguments import (
    CannedAclName,
    KmsKeyStateName,
    VersioningName,
    check_account,
    optional_text,
    parse_bucket_settings,
    parse_name,
    parse_operation_name,
    plain_text,
    unknown_bucket,
)
from fakestore.api.bucket import Bucket, dump_files, load_files
from fakestore.api.clock import Travel
from fakestore.api.operation_names import OperationName
from fakestore.api.options import Options, StoreOptions
from fakestore.api.report import Baseline, describe, describe_pending, failure_report, state_to_show
from fakestore.clients.event_transport import Boto3Transport
from fakestore.clients.moto import find_issued_key
from fakestore.clients.target import Reach, Target
from fakestore.errors import ErrorResponse
from fakestore.http.message import ConnectionFailure, Reply, Request
from fakestore.messages import counted, repetition
from fakestore.model.accounts import DEFAULT_ACCOUNT, Account
from fakestore.model.acl import PRIVATE
from fakestore.model.encryption import KmsKeyState
from fakestore.model.lifecycle import LifecycleEffect
from fakestore.model.object_lock import ObjectLock
from fakestore.model.state import State
from fakestore.model.versioning import VersionIds
from fakestore.protocol.dialect import Dialect
from fakestore.service.events import Destinations, SentEvent
from fakestore.service.fault_plan import DELIVERY, DeliveryFault, Fault, PlannedFault
from fakestore.service.journal import Exchange, Exchanges, UninterceptedRequest
from fakestore.service.service import CANNOT_BE_PICKLED, Service, current_time

if TYPE_CHECKING:
    import requests
    from requests.auth import AuthBase
    from responses import RequestsMock

    from fakestore.clients.requests import StoreAdapter

#: Why an error fails the test although the code under test caught it, and how to prevent this.
_RAISED_AGAIN = "raised again because it is still in store.{0}. A test that expects it removes it: store.{0}.clear()"
_DAY = 24 * 60 * 60


class Snapshot:
    """The contents of a store at one moment. :meth:`FakeStore.restore` can put them back any number of times."""

    def __init__(self, state: State, ids: VersionIds) -> None:
        self._state = state
        #: The source of its version ids, and how many ids were issued.
        self._ids = ids
        self._issued_count = ids.issued_count

    def __repr__(self) -> str:
        return f"<Snapshot of {counted(len(self._state.buckets), 'bucket')}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(CANNOT_BE_PICKLED)


class FakeStore:
    """An object storage service in this process.

    A test gets one from :func:`fakestore.fake_store`, or from the pytest fixture ``fakestore``. A store that a test
    makes with ``FakeStore(...)`` intercepts no client library. It answers only the requests that it gets through
    :meth:`handle`, through the server of :meth:`serve`, or from a session that has mounted :meth:`adapter`. It cannot
    be used in ``with``. Instead, call :meth:`close` and :meth:`check` at the end of the test.

    ``store["photos"]`` returns a :class:`Bucket`, or raises KeyError. ``list(store)`` has the sorted names of the
    buckets, and ``"photos" in store`` is true if a bucket has this name.

    Example:
        >>> store = FakeStore(buckets=["photos"])
        >>> session = store.session()
        >>> session.mount("http://", store.adapter())
        >>> session.put(store.url("photos", "cat.jpg"), data=b"meow").status_code
        200
        >>> store["photos"]["cat.jpg"].content
        b'meow'

    Args:
        **options: The options of :func:`fakestore.fake_store`.
    """

    def __init__(self, **options: Unpack[StoreOptions]) -> None:
        self._options = Options.from_kwargs(options)
        if self._options.serve:
            raise TypeError(
                f"FakeStore(serve={self._options.serve!r}) is not possible, because the server runs while a store is"
                " entered; use fake_store(serve=...), or `with store.serve() as url`"
            )
        self._server_url: str | None = None
        self._test_name = ""
        self._service = self._new_service()
        self._target = Target(
            self._service,
            allow_network=self._options.allowed_hosts(),
            sleep=self._options.sleep,
            reach=Reach(self._service.endpoint, self._service.origin),
        )
        self._service.outbox.transport = Boto3Transport()
        self._travel = Travel()
        self._start()

    def _new_service(self) -> Service:
        return self._options.new_service()

    def _start(self) -> None:
        """Reset the service to the configured account and buckets."""
        state = self._service.new_state()
        self._default_account = state.accounts.create(
            DEFAULT_ACCOUNT, access_key_id=self._options.access_key_id, secret_key=self._options.secret_key
        )
        state.accounts.owner_of_issued_keys = self._default_account
        state.accounts.find_issued_key = find_issued_key
        state.accounts.has_variables = bool(self._service.dialect.environment.access_key_id)
        state.accounts.explain_unknown_key = environment.explain_unknown_key
        if self._options.any_access_key:
            state.accounts.owner_of_unknown_keys = self._default_account
        self._service.reset(state)
        for name, settings in self._options.initial_buckets().items():
            self.create_bucket(name, **settings)

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
        """Create an account.

        Example:
            >>> store = FakeStore()
            >>> bob = store.create_account("bob", email="bob@example.com")
            >>> bob.display_name
            'bob'

        Args:
            name: The display name. No two accounts of a store have the same name.
            id: The canonical user ID, 64 lower-case hexadecimal digits. By default, it is derived from the name.
            email: An email address, with which a grant can name the account.
            access_key_id: The access key; by default derived from the name and the base URL.
            secret_key: The secret key; by default derived from the name and the base URL.

        Raises:
            ValueError: If the name, the id or the access key is already in use or invalid.
        """
        with self._service.turns:
            return self._service.state.accounts.create(
                plain_text("name of an account", name),
                id=optional_text("id", id),
                email=optional_text("email", email),
                access_key_id=optional_text("access_key_id", access_key_id),
                secret_key=optional_text("secret_key", secret_key),
            )

    def set_kms_key(self, key_id: str, state: KmsKeyStateName = "enabled") -> None:
        """Add a KMS key, or change the state of a KMS key.

        Until a test sets a key, requests can use every key id. After that, a request that encrypts or decrypts with a
        key that was not set is answered with 400 KMS.NotFoundException. This includes a GET of an object that was
        stored with such a key before. A request that names no key uses the key of the service, which always exists.
        :meth:`Bucket.put` does not check the key.

        Example:
            >>> store = FakeStore(dialect="s3", buckets=["photos"])
            >>> store.set_kms_key("my-key")
            >>> store.set_kms_key("my-key", "disabled")

        Args:
            key_id: The id, the ARN or the alias of the key, as requests send it.
            state: ``"enabled"``, ``"disabled"`` or ``"pending deletion"``. If a request uses a disabled key, the answer
                is 400 KMS.DisabledException. If a request uses a key that is pending deletion, the answer is 400
                KMS.KMSInvalidStateException.

        Raises:
            ValueError: If the state is unknown.
        """
        parsed = parse_name(KmsKeyState, state, "state of a key")
        with self._service.turns:
            self._service.state.kms_keys[key_id] = parsed

    @property
    def default_account(self) -> Account:
        """The account that owns the buckets that a test creates without an owner.

        :meth:`auth`, :meth:`session` and :meth:`presign` sign as this account if no other account is given.
        """
        return self._default_account

    def create_bucket(
        self,
        name: str,
        *,
        owner: Account | None = None,
        acl: CannedAclName = "private",
        versioning: VersioningName | None = None,
        object_lock: bool = False,
    ) -> Bucket:
        """Create a bucket.

        Example:
            >>> store = FakeStore()
            >>> store.create_bucket("photos", versioning="enabled")
            <Bucket 'photos' of default, versioning enabled, 0 keys>

        Args:
            name: The name, of 3 to 63 characters.
            owner: The owner; by default the default account.
            acl: The name of a canned ACL. If it is not ``"private"``, the bucket has ACLs and no public access block,
                also in the dialect S3.
            versioning: ``"never"`` (the default), ``"enabled"`` or ``"suspended"``.
            object_lock: Whether versions in the bucket can be locked. If so, versioning is always ``"enabled"``.

        Raises:
            ValueError: If the name is in use or invalid, the ACL or the versioning is unknown, the owner is not an
                account of this store, or `object_lock` is used with a versioning that is not ``"enabled"``.
            TypeError: If the owner is not an Account.
        """
        state = self._service.state
        with self._service.turns:
            owner = self._default_account if owner is None else check_account(owner, state.accounts)
            requested_acl, initial_versioning = parse_bucket_settings(
                self._service.dialect.semantics, acl, versioning, object_lock
            )
            name = plain_text("name of a bucket", name)
            try:
                bucket = state.create_bucket(name, acl=requested_acl.expand(owner, owner), now=current_time())
            except ErrorResponse as error:
                raise ValueError(error.explanation) from None
            if requested_acl is not PRIVATE:
                bucket.accept_acls()
            bucket.versioning = initial_versioning
            if object_lock:
                bucket.lock_objects(ObjectLock(enabled=True))
        return Bucket(self._service, name)

    def __getitem__(self, name: str) -> Bucket:
        """Return a bucket.

        Raises:
            KeyError: If the bucket does not exist. The message names the existing buckets. If the bucket exists in a
                store that was entered earlier, it also names that store.
        """
        __tracebackhide__ = True
        buckets = self.buckets
        if name not in buckets:
            raise unknown_bucket(name, buckets, self._service.hint_at_outer_store(name))
        return buckets[name]

    if not TYPE_CHECKING:  # a type checker reports `store["photos"] = ...` by itself

        def __reduce__(self) -> NoReturn:  # also for copy.copy()
            self._service.__reduce__()

        def __setitem__(self, name: object, value: object) -> NoReturn:
            raise TypeError(f"a bucket cannot be assigned; write store.create_bucket({name!r})")

        def __delitem__(self, name: object) -> NoReturn:
            raise TypeError("a bucket cannot be deleted with del; send a request, DELETE Bucket")

    def __contains__(self, name: object) -> bool:
        """Return whether a bucket exists."""
        return name in self.buckets

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sorted names of the buckets; the store may change meanwhile."""
        return iter(self.buckets)

    @property
    def buckets(self) -> Mapping[str, Bucket]:
        """The buckets that exist now, by name. The mapping is read-only."""
        with self._service.turns:
            names = sorted(self._service.state.buckets)
        return MappingProxyType({name: Bucket(self._service, name) for name in names})

    def load(self, bucket: str, path: str | Path) -> None:
        """Put every file below a directory into a bucket.

        The key of a file is its path relative to the directory. Its content type is guessed from its name.

        Args:
            bucket: The name of the bucket.
            path: The directory.

        Raises:
            KeyError: If the bucket does not exist.
            NotADirectoryError: If `path` is not a directory.
            ValueError: If a path is not a valid key, or a file is too large. Then nothing is put.
            OSError: If a file cannot be read. The files that come before it, sorted by path, are put.
        """
        load_files(self[bucket], Path(path))

    def dump(self, bucket: str, path: str | Path) -> None:
        """Write the current objects of a bucket into a directory.

        Args:
            bucket: The name of the bucket.
            path: The directory. It is made if it does not exist. A file in it is replaced if a key has the same path.

        Raises:
            KeyError: If the bucket does not exist.
            ValueError: If a key is not a valid path below the directory, or a file or directory of a key is a symbolic
                link. Then nothing is written.
            OSError: If a file cannot be written. The files that come before it, sorted by key, are written.
        """
        dump_files(self[bucket], Path(path))

    # -- act

    @property
    def base_url(self) -> str:
        """The URL of the service, without a slash at its end."""
        return self._service.origin

    @property
    def server_url(self) -> str:
        """The URL of the server, without a slash at its end, if the store has the option `serve`.

        Example:
            >>> import httpx
            >>> from fakestore import fake_store
            >>> with fake_store(dialect="s3", serve=True) as store:
            ...     httpx.get(f"{store.server_url}/photos/cat.jpg").status_code
            404

        Raises:
            RuntimeError: If the store has no such server.
        """
        if self._server_url is None:
            raise RuntimeError("this store has no server; use fake_store(serve=True), or `with store.serve() as url`")
        return self._server_url

    @property
    def dialect(self) -> Dialect:
        """The dialect of the store."""
        return self._service.dialect

    def url(self, bucket: str, key: str = "", *, path_style: bool | None = None, **query: object) -> str:
        """Return the URL of a bucket or an object, encoded so that `requests` sends exactly this bucket and key.

        The URL of a bucket has no slash at its end, so that code can append one and a key.

        Example:
            >>> store = FakeStore()
            >>> store.url("photos", "summer 2024/cat.jpg")
            'http://photos.objects.test/summer%202024/cat.jpg'
            >>> store.url("photos")
            'http://photos.objects.test'
            >>> store.url("photos", "cat.jpg", acl=None)
            'http://photos.objects.test/cat.jpg?acl'
            >>> store.url("photos", list_type=2)
            'http://photos.objects.test/?list-type=2'

        Args:
            bucket: The name of the bucket.
            key: The key. It is percent-encoded as UTF-8. Its dot segments and a leading slash are encoded, too;
                otherwise `requests` would remove them.
            path_style: If True, the path names the bucket. If False, the host names it. By default, the host names it,
                except in a dialect that has only path style. In a dialect with both styles, such as S3, the path names
                the bucket if the host of the store is an IP address or the name of the bucket has upper case letters.
            **query: Query parameters. An underscore in a name is sent as a hyphen, and None means no value.

        Raises:
            TypeError: If the bucket or the key is not a string.
            ValueError: If the name of the bucket is empty, or `path_style` is a style that the store does not answer.
        """
        bucket, key = plain_text("name of a bucket", bucket), plain_text("key", key)
        if not bucket:
            raise ValueError("the name of the bucket is empty; the URL of the service is store.base_url")
        scheme, _, netloc = self.base_url.partition("://")
        parameters = [
            name.replace("_", "-")
            + ("" if value is None else f"={quote(value if isinstance(value, str) else str(value), safe='')}")
            for name, value in query.items()
        ]
        path = "/".join(
            segment.replace(".", "%2E") if segment in (".", "..") else segment for segment in quote(key).split("/")
        )
        if path.startswith("/"):
            path = "%2F" + path[1:]
        endpoint = self._service.endpoint
        if path_style is None:
            path_style = endpoint.names_in_path(bucket)
        elif not endpoint.answers_at(path_style=path_style):
            raise ValueError(
                f"path_style={path_style} is not possible: this store, at {self.base_url!r}, answers only if the bucket"
                f" is in the {'host' if path_style else 'path'} of the URL; omit path_style"
            )
        base = f"{scheme}://{netloc}/{quote(bucket, safe='')}" if path_style else f"{scheme}://{bucket}.{netloc}"
        if parameters:
            return f"{base}/{path}?{'&'.join(parameters)}"
        return f"{base}/{path}" if path else base

    def auth(self, account: Account | None = None) -> AuthBase:
        """Return an object that lets `requests` sign requests to this store: ``requests.put(..., auth=store.auth())``.

        Args:
            account: The account that signs; by default the default account. To test a refusal, pass an account that
                this store does not have, for example an account of another store.

        Raises:
            TypeError: If `account` is not an Account.
        """
        from fakestore.clients.requests import Signer  # imported here, because not every test uses `requests`

        return Signer(self._target, self._signer(account))

    def _signer(self, account: Account | None) -> Account:
        """Return the account that signs. The store may not know it."""
        if account is None:
            return self._default_account
        if not isinstance(account, Account):
            check_account(account, self._service.state.accounts)  # raises TypeError
        return account

    def session(self, account: Account | None = None) -> requests.Session:
        """Return a session that signs its requests to this store.

        If the store is not entered, mount :meth:`adapter` on the session, so that its requests reach the store.

        Args:
            account: The account that signs, as for :meth:`auth`.

        Raises:
            TypeError: If `account` is not an Account.
        """
        import requests

        session = requests.Session()
        session.auth = self.auth(account)
        return session

    def adapter(self, *, max_retries: Any = 0) -> StoreAdapter:
        """Return a transport adapter that a session can mount, so that the store answers its requests.

        Requests to other hosts go to the network, unless an active mock answers them, or a store that
        :func:`fakestore.fake_store` entered refuses them.

        Args:
            max_retries: The retries, as for ``requests.adapters.HTTPAdapter``: a number or a ``urllib3.Retry``.
        """
        from fakestore.clients.requests import StoreAdapter

        self._target.reach.is_mounted = True
        return StoreAdapter(self._target, max_retries)

    def handle(self, request: Request) -> Reply:
        """Answer a request without a client library.

        To sign a request, let `requests` prepare it with ``auth=store.auth()``. Then pass the URL and the headers of
        the prepared request to :meth:`Request.to_url`. By default, any signature is accepted. The fault
        :class:`fakestore.faults.TruncatedBody` shortens the body of the reply, without an exception.
        :class:`fakestore.faults.Latency` does not wait.

        Example:
            This request is not signed, so the store refuses it:

            >>> store = FakeStore(buckets=["photos"])
            >>> store.handle(Request.to_url("GET", store.url("photos"))).status
            403

        Raises:
            UnsupportedRequest: If the fake does not support the request.
            ConnectionResetError: If a fault resets the connection.
            TimeoutError: If a fault lets the connection or the reply time out.
        """
        __tracebackhide__ = True
        if not isinstance(request, Request):
            raise TypeError(f"expected a fakestore.Request, not {request!r}; Request.to_url() makes one")
        delivery, _ = self._service.answer(request)
        if isinstance(delivery, ConnectionFailure):
            raise (ConnectionResetError if delivery is ConnectionFailure.RESET else TimeoutError)(delivery.value)
        return replace(delivery.reply, body=delivery.reply.body[: delivery.truncate_at])

    def presign(
        self,
        method: str,
        bucket: str,
        key: str,
        *,
        expires_in: float,
        account: Account | None = None,
        path_style: bool | None = None,
        **query: object,
    ) -> str:
        """Return a presigned URL. With it, a client without an access key can send a request as an account.

        Example:
            >>> store = FakeStore(dialect="s3", buckets=["photos"])
            >>> store.presign("GET", "photos", "cat.jpg", expires_in=300).partition("?")[0]
            'https://photos.s3.amazonaws.com/cat.jpg'

        Args:
            method: The only method for which the URL is valid, in upper or lower case.
            bucket: The name of the bucket.
            key: The key.
            expires_in: How long the URL is valid, in seconds: in S3, from 1 second to 7 days. A fraction of a second is
                refused.
            account: The account that signs the URL; by default the default account.
            path_style: As for :meth:`url`.
            **query: As for :meth:`url`.

        Raises:
            ValueError: If the dialect has no presigned URLs, `expires_in` is out of its bounds or has a fraction, or
                `method` is not a word; and as for :meth:`url`.
            TypeError: If `expires_in` is not a number.
        """
        method = plain_text("method", method)
        if not (method.isascii() and method.isalpha()):
            raise ValueError(f"invalid method {method!r}: expected a word such as 'GET'")
        if not isinstance(expires_in, int | float):
            raise TypeError(f"invalid expires_in {expires_in!r}: expected a number of seconds")
        try:
            valid_for = datetime.timedelta(seconds=expires_in)
        except (OverflowError, ValueError):
            valid_for = None
        if valid_for is None or valid_for.microseconds:
            raise ValueError(f"invalid expires_in {expires_in!r}: expected a whole number of seconds")
        request = Request.to_url(method.upper(), self.url(bucket, key, path_style=path_style, **query))
        return self._service.presign(request, self._signer(account), valid_for)

    def serve(self, host: str = "127.0.0.1", port: int = 0, *, timeout: float = 60) -> AbstractContextManager[str]:
        """Run an HTTP server for the store in a ``with`` block, which gets the URL of the server.

        Use it for clients that are not intercepted, and for other processes. Faults, snapshots and the journal work as
        usual, except that :class:`fakestore.faults.ConnectTimeout` causes a read timeout. Requests that are not
        supported are answered with status 501.

        Up to 2,000 connections can be open at the same time, each with a thread of its own, if this process may open
        4,000 files. The server raises the soft limit of open files to 4,000, as far as the hard limit allows it. A
        connection that is idle between two requests does not time out. If there are too many connections, the one that
        has been idle for the longest time is closed.

        In the dialect S3, the environment variable ``AWS_ENDPOINT_URL_S3`` is this URL while the server runs. Variables
        of other clients, such as GDAL and s5cmd, name the server, too. These clients need no configuration, also in
        child processes. ``AWS_ENDPOINT_URL``, the URL of all services, is not set.

        Example:
            >>> import httpx
            >>> store = FakeStore(buckets=["photos"])
            >>> with store.serve() as url:
            ...     httpx.get(url, headers={"Host": "photos.objects.test"}).status_code
            403

        Args:
            host: The address at which the server listens. Use ``"0.0.0.0"`` for clients in containers and on other
                machines. The option `base_url` of the store must then be the URL that these clients use.
            port: The port at which it listens; 0 for a free port.
            timeout: How long the server waits for a client, in seconds: more than 0 and at most a day. A client that
                has begun to send a request must send the request line and the headers within this time. After that,
                each pause while it sends the body or reads the reply may take this long. The whole request may take
                longer.

        Raises:
            ValueError: If `timeout` is not more than 0 or is more than a day, or `port` is not from 0 to 65535.
            OSError: If the server cannot listen there, for example because the port is in use.
        """
        if not 0 < timeout <= _DAY:
            raise ValueError(f"invalid timeout {timeout}: expected more than 0 and at most {_DAY:,} seconds")
        if isinstance(port, bool) or port not in range(65_536):
            raise ValueError(f"invalid port {port!r}: expected an integer from 0 to 65535; 0 is for a free port")
        # Imported here, because it imports the servers of the standard library.
        from fakestore.clients.server import Settings, serve

        settings = Settings(host=host, port=port, timeout=timeout, sleep=self._options.sleep)
        reach = self._target.reach
        reach.is_mounted |= reach.is_left
        return self._with_environment(serve(self._service, settings))

    @contextmanager
    def _with_environment(self, server: AbstractContextManager[str]) -> Iterator[str]:
        with server as url:
            layer = environment.enter(self, served_at=url)
            try:
                yield url
            finally:
                environment.leave(layer)

    # -- control

    def fail(
        self,
        operation: OperationName | Literal["delivery"] | None,
        fault: Fault,
        *,
        bucket: str | None = None,
        key: str | None = None,
        times: int | None = 1,
        after: int = 0,
    ) -> None:
        """Plan a fault: let the next matching requests fail, or the next deliveries of events.

        If the fault never fires, an AssertionError is raised when the store is left, unless `times` is None.

        Example:
            >>> from fakestore import faults
            >>> store = FakeStore(buckets=["photos"])
            >>> store.fail("PUT Object", faults.ServiceError("SlowDown", retry_after=1), times=2)

        Args:
            operation: The name of the operation, or None for every operation. Both of its names are accepted, for
                example ``"PUT Object"`` and ``"PutObject"``. ``"delivery"`` is for the delivery of an event to one
                destination; its faults are DuplicateEvent, LateEvent and LostEvent.
            fault: One of :mod:`fakestore.faults`.
            bucket: Match only requests to this bucket.
            key: Match only requests to this key.
            times: How many requests fail, or None for all until :meth:`clear_faults`. A request does not count if the
                fault cannot change its reply, for example because the reply has no body to truncate.
            after: How many matching requests pass before the fault fires. If a fault that was planned earlier fires
                at a request, this request does not count.

        Raises:
            ValueError: If the operation is unknown, `times` is less than 1, or `after` is negative; or if `fault` is a
                :class:`fakestore.faults.EmbeddedError`, and `operation` cannot embed an error.
            TypeError: If `fault` is not a fault, or `bucket` or `key` is not a text.
        """
        name = DELIVERY if operation == DELIVERY else parse_operation_name(operation, self._service.operations)
        if not isinstance(fault, Fault):
            raise TypeError(f"expected one of fakestore.faults, such as ServiceError('SlowDown'), not {fault!r}")
        if isinstance(fault, DeliveryFault) is not (name == DELIVERY):
            raise ValueError(
                f"{fault!r} does not fit {operation!r}: DuplicateEvent, LateEvent and LostEvent are for {DELIVERY!r},"
                " and the others for operations"
            )
        known = self._service.operations.names_that_can_embed_error()
        if fault.embedded_error is not None and name not in known:
            raise ValueError(f"an EmbeddedError is for {', '.join(map(repr, known))}, not for {operation!r}")
        is_whole = isinstance(times, int | None) and isinstance(after, int)
        if not is_whole or (times is not None and times < 1) or after < 0:
            raise ValueError(f"expected times of at least 1 and after of at least 0, not {times=}, {after=}")
        bucket, key = optional_text("bucket", bucket), optional_text("key", key)
        self._service.faults.add(PlannedFault(name, fault, bucket, key, times, after, written_name=operation))

    def clear_faults(self) -> None:
        """Remove all planned faults, for example to end an outage.

        A removed fault is not reported, even if it never fired.

        Example:
            >>> from fakestore import faults
            >>> store = FakeStore(buckets=["photos"])
            >>> store.fail(None, faults.ServiceError("ServiceUnavailable"), times=None)
            >>> store.clear_faults()
        """
        self._service.faults.clear()

    def snapshot(self) -> Snapshot:
        """Return a snapshot: the buckets with their objects and settings, the accounts and the KMS keys.

        It takes little memory, because no content is copied.

        Example:
            >>> store = FakeStore(buckets=["photos"])
            >>> before = store.snapshot()
            >>> _ = store["photos"].put("cat.jpg", b"meow")
            >>> store.restore(before)
            >>> len(store["photos"])
            0
        """
        with self._service.turns:
            return Snapshot(self._service.state.copy(), self._service.version_ids)

    def restore(self, snapshot: Snapshot) -> None:
        """Put back the buckets, accounts and KMS keys of a snapshot of this store.

        The journal, the faults, the handlers of events and the clock are not changed. Ids go on as if nothing had been
        restored, unless :meth:`reset` was called.

        Raises:
            ValueError: If the snapshot belongs to another store.
        """
        with self._service.turns:
            if not isinstance(snapshot, Snapshot):
                raise TypeError(f"expected a snapshot from store.snapshot(), not {snapshot!r}")
            if snapshot._ids is not self._service.version_ids:
                raise ValueError("the snapshot belongs to another store, whose version ids this one never issued")
            self._service.version_ids.skip_to(snapshot._issued_count)
            self._service.state.replace_with(snapshot._state.copy())

    def reset(self) -> None:
        """Start again, like a new store with the same options.

        Afterwards, the store has the buckets of the options, only the default account, and an empty journal. Ids begin
        from the start, the clock is put back, and unhandled requests, planned faults, KMS keys, the handlers of events
        and the responses of :attr:`responses` are removed. A removed fault or response is not reported, even if it was
        never used. Earlier snapshots can still be restored. Requests in progress see the new contents, and are
        recorded.

        Raises:
            RuntimeError: If a ``freeze_time()`` that was started after :meth:`travel` is still active. In this case,
                the store is not reset.
        """
        self.close()
        with self._service.turns:
            self._start()
        self._target.reset_responses()

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
        """Move the clock of this process until the store is left. Lifecycle rules that are due then act.

        The arguments are added up, as for a ``timedelta``. If the sum is negative, the clock moves back.

        The clock goes on ticking from the new time. Only the wall clock is moved: not ``time.monotonic()``, not
        ``time.perf_counter()``, and no clock of another process. If ``freezegun.freeze_time()`` has frozen the clock
        already, the frozen time is moved, and moved back at the end. This also moves ``time.monotonic()`` and
        ``time.perf_counter()``, which freezegun has frozen, too. After `travel`, the package time-machine cannot be
        started, because freezegun is active. Use time-machine alone instead.

        Example:
            >>> store = FakeStore()
            >>> store.travel(days=30)
            >>> store.close()

        Raises:
            RuntimeError: If a ``freeze_time()`` that was started after the first ``travel()`` is still active.
            OverflowError: If the date would be out of the range of ``datetime``.
        """
        self._travel.by(datetime.timedelta(days, seconds, microseconds, milliseconds, minutes, hours, weeks))
        self._act_by_rules()

    def _act_by_rules(self) -> None:
        """Let the lifecycle rules that are due act, and deliver their events."""
        with state_to_show(self._service):
            pass

    # -- assert

    @property
    def exchanges(self) -> Exchanges:
        """The exchanges so far, each a request with its reply, in the order of the replies.

        The store keeps the latest exchanges. Their maximum number is the option `journal_size`.
        """
        return self._service.journal.exchanges()

    @property
    def journal(self) -> list[Exchange | LifecycleEffect | SentEvent | UninterceptedRequest]:
        """The exchanges, the effects of lifecycle rules, events, and requests of clients that are not intercepted.

        They are in order. An event follows the exchange that caused it. A rule acts when its bucket is used or looked
        at, or the store travels. The option `journal_size` also limits the number of entries that are not exchanges.

        Example:
            >>> store = FakeStore(buckets=["photos"])
            >>> store["photos"].expire(rule_id="thumbnails", days=1)
            >>> _ = store["photos"].put("cat.jpg", b"meow")
            >>> store.travel(days=2)
            >>> list(store["photos"])
            []
            >>> (effect,) = store.journal
            >>> effect.rule_id, effect.removed
            ('thumbnails', (EntryId(key='cat.jpg', version_id='null'),))
            >>> store.close()
        """
        return self._service.journal.entries()

    def calls(
        self, operation: OperationName | None = None, *, bucket: str | None = None, key: str | None = None
    ) -> Exchanges:
        """Return the exchanges that match every given criterion.

        Example:
            >>> store = FakeStore(buckets=["photos"])
            >>> len(store.calls("PUT Object", bucket="photos"))
            0

        Args:
            operation: The name of the operation, for example ``"PUT Object"`` or ``"PutObject"``.
            bucket: The name of the bucket.
            key: The key that the request names. A request that deletes many keys names none.

        Raises:
            ValueError: If the operation is unknown.
            TypeError: If `bucket` or `key` is not a text.
            RuntimeError: If the journal has dropped an exchange of `operation`, or any exchange if `operation` is None.
                The bucket and the key of the dropped exchange do not matter. A larger `journal_size` keeps more.
        """
        name = parse_operation_name(operation, self._service.operations)
        return self._service.journal.matching(name, optional_text("bucket", bucket), optional_text("key", key))

    @property
    def events(self) -> list[SentEvent]:
        """The events that a handler or a configuration of their bucket wants, in the order in which they were sent.

        Lifecycle rules that are due act first, and send their events.

        :meth:`Bucket.on_event` has an example. The option `journal_size` also limits their number.
        """
        self._act_by_rules()
        return [entry for entry in self._service.journal.entries() if isinstance(entry, SentEvent)]

    @property
    def destinations(self) -> Destinations:
        """The functions, queues, topics and event buses behind the ARNs that notification configurations name.

        Assign a handler to an ARN; :meth:`Bucket.on_event` describes handlers. EventBridge sends to the default bus:
        ``arn:aws:events:us-east-1:111111111111:event-bus/default``, with any account number.

        Example:
            >>> store = FakeStore(dialect="s3", buckets=["photos"])
            >>> messages = []
            >>> store.destinations["arn:aws:sqs:us-east-1:111111111111:uploads"] = messages.append

        Raises:
            ValueError: If an ARN does not name a function, a queue, a topic or an event bus.
            TypeError: If a handler cannot be called.
        """
        return self._service.outbox.destinations

    @property
    def handler_errors(self) -> list[BaseException]:
        """The exceptions that handlers of events raised. The code that sent the request does not get them.

        This includes the outcomes of pytest, such as ``pytest.fail()``, and SystemExit, but not KeyboardInterrupt.

        A test that expects an exception removes it from this list. When the store is left, the first exception that is
        still in the list is raised again, with the others as its notes.
        """
        return self._service.outbox.errors

    @property
    def responses(self) -> RequestsMock:
        """A ``RequestsMock`` of the library `responses`, for requests of the library `requests` to other hosts.

        It answers until the store is left, and needs no start. A request for which it has no response reaches
        another mock or, if `allow_network` permits it, the network; otherwise it raises UnexpectedRequest. When the
        store is left, an AssertionError is raised if a response was never sent.

        If ``@responses.activate`` or another mock of `responses` starts after the store, ``store.responses`` gets no
        requests.

        Example:
            >>> import requests
            >>> with fake_store() as store:
            ...     _ = store.responses.get("https://queue.example.com/next", json={"name": "cat.jpg"})
            ...     requests.get("https://queue.example.com/next").json()["name"]
            'cat.jpg'
        """
        return self._target.responses

    @property
    def unhandled_requests(self) -> list[Exception]:
        """The exceptions of requests that the fake does not support, and of requests to other hosts.

        A test that expects an exception removes it from this list. When the store is left, the first exception that is
        still in the list is raised again, with the others as its notes.
        """
        return self._service.unhandled_requests

    def describe(self) -> str:
        """Return buckets, keys and versions as a tree, for a person to read.

        It shows the first 200 keys of each bucket, and the newest 20 versions of each key.
        """
        with state_to_show(self._service) as state:
            return describe(state)

    def to_html(self, path: str | Path) -> None:
        """Write a page about this store, for a person to read.

        It begins with the failures. Then it shows buckets with the versions of each key, and the entries of the
        :attr:`journal` in order: time, thread, client, headers and bodies (of large ones the size), the versions that a
        request created or removed, faults, and explanations of refusals. It names the test if pytest runs it, or if it
        is decorated. The page is one file that needs no network. Credentials are left out. It shows at most the first
        1,000 keys of each bucket and the newest 100 versions of each key.

        Example:
            >>> from tempfile import mkdtemp
            >>> page = Path(mkdtemp()) / "store.html"
            >>> FakeStore(buckets=["photos"]).to_html(page)
            >>> "photos" in page.read_text()
            True

        Args:
            path: The file to write. It is replaced if it exists; its folder must exist.

        Raises:
            OSError: If the file cannot be written.
        """
        from fakestore.api.page import render_page  # imported here, because it imports lxml

        Path(path).write_text(render_page(self._service, self._test_name), encoding="utf-8")

    def _baseline(self) -> Baseline:
        """Return the baseline of a test that begins now. The report of the test leaves it out."""
        return Baseline(next(reversed(self.journal), None), tuple(self.unhandled_requests))

    def _failure_report(self, baseline: Baseline | None, error: BaseException | None) -> str:
        """Return the section about this store in the report of a test that failed with an error."""
        with state_to_show(self._service, delivers=False):  # the test is over
            reach, moved = self._target.reach, self._travel.moved
            return failure_report(
                self._service, moved, baseline or Baseline(), error, reach, served_at=self._server_url
            )

    # -- end

    def close(self) -> None:
        """Put the clock back after :meth:`travel`. Leaving a store does this, too.

        The store can still be used.

        Raises:
            RuntimeError: If a ``freeze_time()`` that was started after :meth:`travel` is still active. End it first.
        """
        self._travel.end()
        self._travel = Travel()

    def check(self) -> None:
        """Raise the errors of requests, handlers and faults that are raised when a store is left.

        Raises:
            UnsupportedRequest, UnexpectedRequest: If :attr:`unhandled_requests` is not empty. The first of them is
                raised, with the others as its notes.
            Exception: If :attr:`handler_errors` is not empty, in the same way.
            AssertionError: If a planned fault never fired. A fault that fired fewer times than planned, or that has
                ``times=None``, is not reported.
        """
        __tracebackhide__ = True
        self._service.outbox.deliver_late()
        _raise_first(self.unhandled_requests, "unhandled_requests")
        _raise_first(self.handler_errors, "handler_errors")
        with self._service.turns:
            unfired = [describe_pending(each, self._service) for each in self._service.faults.unfired()]
        if unfired:
            lines = "\n".join(unfired)
            raise AssertionError(f"faults that never fired (use times=None for a fault that may not fire): {lines}")

    if not TYPE_CHECKING:  # a type checker reports `with FakeStore()` by itself

        def __enter__(self) -> NoReturn:
            raise TypeError("a FakeStore cannot be entered; use the function fake_store: with fake_store() as store")

        def __exit__(self, *args: object) -> None: ...

    def __repr__(self) -> str:
        names = ", ".join(self.buckets) or "none"
        return f"<FakeStore {self.base_url}: buckets {names}; {counted(len(self.exchanges), 'exchange')}>"


def _raise_first(errors: Sequence[BaseException], name: str) -> None:
    """Raise the first of the errors in the list with this name, with the others as its notes.

    A plain exception comes before others, so that ``pytest.skip()`` in a handler does not hide it.
    """
    __tracebackhide__ = True
    if not errors:
        return
    first, others = next((each for each in errors if isinstance(each, Exception)), errors[0]), Counter(map(str, errors))
    count = others.pop(str(first))
    first.add_note(_RAISED_AGAIN.format(name) + (f" (it was raised {count} times)" if count > 1 else ""))
    for other, count in others.items():
        first.add_note(f"and also: {other}{repetition(count)}")
    raise first
