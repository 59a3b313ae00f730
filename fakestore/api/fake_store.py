"""fake_store: a recipe for a store. Each use makes a new store."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Never, NoReturn, ParamSpec, TypeVar, Unpack, overload

from fakestore.api.activation import Activation
from fakestore.api.decorators import decorate_class, decorate_function
from fakestore.api.options import Options, StoreOptions
from fakestore.api.store import FakeStore
from fakestore.clients.moto import keys_at_decoration

_P = ParamSpec("_P")
_R = TypeVar("_R")
_First = TypeVar("_First")
_Class = TypeVar("_Class")
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

#: The verbs with which a mock of moto is entered and left.
_VERBS_OF_MOTO = ("start", "stop")
#: The end of a message about a recipe that was used like a store.
_NOT_ENTERED = ". It is not entered yet: with fake_store(...) as store"


class Recipe:
    """The result of :func:`fake_store`: a context manager and a decorator."""

    def __init__(self, options: StoreOptions) -> None:
        Options.from_kwargs(options)
        self._options = options
        self._entered: list[Activation] = []
        #: Who has entered the recipe or is entering it, as "holder": a thread, and its asyncio task if one is running.
        self._holder: dict[str, tuple[int, object]] = {}
        #: How many times the holder has entered it, or begun to.
        self._depth = 0

    def __enter__(self) -> FakeStore:
        holder = (threading.get_ident(), _current_task())
        # setdefault() is one step, so only one of two threads becomes the holder.
        if self._holder.setdefault("holder", holder) != holder:
            raise RuntimeError(
                "this fake_store(...) is already entered in another thread or task; call fake_store() again for each"
            )
        self._depth += 1
        try:
            self._entered.append(Activation(self._options))
        except BaseException:
            self._release()
            raise
        return self._entered[-1].store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        if not self._entered:
            raise RuntimeError("this fake_store(...) is not entered, so it cannot be left; use it in a with statement")
        activation = self._entered.pop()
        self._release()
        activation.leave(failing=kind is not None, error=error)

    def _release(self) -> None:
        self._depth -= 1
        if not self._depth:
            self._holder.clear()

    if not TYPE_CHECKING:  # a type checker reports `async with` by itself

        async def __aenter__(self) -> NoReturn:
            raise TypeError("write `with fake_store() as store` without async, also in a coroutine")

        async def __aexit__(self, *args: object) -> None: ...

    @overload
    def __call__(self, decorated: type[_Class]) -> type[_Class]: ...
    @overload
    def __call__(self, decorated: Callable[Concatenate[FakeStore, _P], _R]) -> Callable[_P, _R]: ...
    @overload
    def __call__(
        self, decorated: Callable[Concatenate[_First, FakeStore, _P], _R]
    ) -> Callable[Concatenate[_First, _P], _R]: ...
    @overload
    def __call__(self, decorated: _Decorated) -> _Decorated: ...
    def __call__(self, decorated: Any) -> Any:
        """Decorate a function, coroutine function, generator function or async generator function, or a `TestCase`.

        A function that has a parameter ``store`` gets the store by keyword. Otherwise, the first parameter that is
        annotated with :class:`fakestore.FakeStore` gets it, whatever its name. A `TestCase` has it as ``self.store``
        from ``setUp`` on; a subclass with its own ``setUp`` calls ``super().setUp()`` first. If there are several
        decorators, all their stores are active, and the nearest one is ``store``.

        Example:
            >>> @fake_store(buckets=["photos"])
            ... def test_upload(store):
            ...     store["photos"].put("cat.jpg", b"meow")
        """
        enter = functools.partial(Activation, self._options, keys_at_decoration())
        if inspect.isclass(decorated):
            decorate_class(decorated, enter)
            return decorated
        if isinstance(decorated, staticmethod | classmethod):
            return type(decorated)(decorate_function(decorated.__func__, enter))
        if type(decorated).__module__ == "_pytest.fixtures":
            raise TypeError("fake_store(...) decorates the function of a fixture: write @pytest.fixture above it")
        if not callable(decorated):
            raise TypeError(f"fake_store(...) decorates functions and TestCase classes, not {decorated!r}")
        return decorate_function(decorated, enter)

    if not TYPE_CHECKING:  # a type checker reports `recipe["photos"]` by itself

        def __getitem__(self, name: object) -> NoReturn:
            raise TypeError(f"fake_store(...)[{name!r}] is not possible{_NOT_ENTERED}")

    def __getattr__(self, name: str) -> NoReturn:
        hint = _NOT_ENTERED if hasattr(FakeStore, name) or name in _VERBS_OF_MOTO else ""
        raise AttributeError(f"fake_store(...) has no attribute {name!r}{hint}", name=name, obj=self)

    def __repr__(self) -> str:
        shown = {name: "..." if name == "secret_key" else repr(value) for name, value in self._options.items()}
        return f"fake_store({', '.join(f'{name}={value}' for name, value in shown.items())})"


def fake_store(*args: Never, **options: Unpack[StoreOptions]) -> Recipe:
    """Return a recipe for stores: use it as ``with fake_store() as store:``, or as ``@fake_store()`` over a test.

    Each ``with`` block and each call of a decorated function has a new store. The store is *entered* at the beginning
    and *left* at the end. While it is entered, it answers the requests that `requests`, urllib3, httpx, aiohttp and the
    libraries on them, such as boto3 and aiobotocore, send to its hosts, and refuses their requests to other hosts.
    Libraries that are not installed do not matter. A decorated function gets the store as the argument ``store``, or as
    another argument that is annotated with :class:`fakestore.FakeStore`. Each test of a decorated `TestCase` has a new
    ``self.store``.

    Every thread and asyncio task can send requests to an entered store. Two threads or tasks cannot use the same recipe
    in ``with`` at the same time: the second one gets a RuntimeError. Let each of them call ``fake_store()`` itself.

    Example:
        >>> import requests
        >>> with fake_store(buckets=["photos"]) as store:
        ...     requests.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code
        200

    Args:
        base_url: The URL of the service, without a path. It is ``http://objects.test`` by default, and
            ``https://s3.amazonaws.com`` in the dialect S3. Requests name the bucket in front of the host,
            ``http://photos.objects.test``. In the dialect S3, they may name it in the path instead. ``store.url`` does
            this if the host is an IP address, such as ``http://[::1]:9000``.
        access_key_id: The access key of the default account. By default it is derived from the base URL.
        secret_key: The secret key of the default account. By default it is derived from the base URL.
        any_access_key: Whether every unknown access key belongs to the default account. By default, unknown access keys
            are refused. Use the option for tests that sign with invented keys such as ``"testing"``. Signatures cannot
            be checked then.
        acls: Whether new buckets have ACLs and no public access block, as in the public service before April 2023. In
            S3, they have none by default, so requests with an ACL or a public policy are refused. In the default
            dialect, new buckets always have ACLs.
        auth_scheme: The first word of the header Authorization with signature version 2. By default it is ``SVC``, or
            ``AWS`` in S3. With signature version 4, the word is always ``AWS4-HMAC-SHA256``.
        buckets: The names of the buckets to begin with, or a mapping of names to the settings of each. The settings are
            a dictionary of arguments of :meth:`fakestore.FakeStore.create_bucket`: `acl`, `versioning` and
            `object_lock`. ``{"photos": "enabled"}`` is short for ``{"photos": {"versioning": "enabled"}}``.
        dialect: The names, the signatures and the semantics of the service: ``"document"`` (the default), ``"s3"``, or
            a :class:`fakestore.Dialect`.
        limits: A :class:`fakestore.Limits`: the limits of sizes, which a test may lower.
        signatures: With ``"accept"``, the default, the store accepts every signature: only the access key counts. With
            ``"verify"``, it checks signatures. A :class:`fakestore.Verifier` is an algorithm of your own: the store
            checks signatures of version 2 in the header Authorization with it, and all others as with ``"verify"``.
        max_clock_skew: How far the date of a request may differ from the clock: a timedelta or a number of seconds.
            None accepts every date. By default it is 15 minutes; in S3 it is None if `signatures` is ``"accept"``.
        region: The region of the store and of the buckets that the test creates in it: one of the regions of AWS, by
            default the region in `base_url`, or us-east-1. A public host answers only for the buckets of its region,
            and boto3 corrects a wrong region. At any other host, signatures of version 4 may name any region, unless
            you pass a region and verify signatures.
        allow_network: Whether requests to other hosts may reach the network while the store is entered, or a list of
            the hosts that they may reach: ``["localhost", "api.example.com:8443"]``. A host without a port stands for
            all its ports; ``"localhost"`` does not stand for ``"127.0.0.1"``. Requests to other hosts are refused by
            default. If no store has the dialect ``"s3"``, moto answers requests for Amazon S3 only if you pass
            ``["s3.amazonaws.com"]`` or True.
        seed: A whole number, from which version ids, upload ids and request ids are derived. 0 by default.
        journal_size: How many exchanges the journal, ``store.exchanges``, keeps: 2,000 by default.
        source_ip: The IP address of every client, for conditions of policies (``aws:SourceIp``). By default, a request
            to the server has the address of its client, a request through :meth:`fakestore.FakeStore.handle` has its
            own ``source_ip``, and every other request has ``127.0.0.1``.
        set_environment: Whether environment variables give clients the keys of the default account while the store is
            entered. In S3, these are ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY`` and others, so that boto3 needs
            no configuration; ``boto3.DEFAULT_SESSION`` is replaced, too. When the store is left, each of them has its
            earlier value again, also if the test changed it. True by default.
        sleep: The function that waits between the retries of the library `requests`, and when
            :class:`fakestore.faults.Latency` delays a reply to any client. By default it is ``time.sleep``, but the
            event loop of an asynchronous client is not blocked. It cannot be a coroutine function. With
            ``lambda seconds: None``, tests do not wait. boto3, aiobotocore, s3fs, minio, and code that uses urllib3
            itself, wait between their retries by themselves.
        serve: With True, a server runs while the store is entered, as with :meth:`fakestore.FakeStore.serve`. Its URL
            is ``store.server_url``. Use it for clients that are not intercepted, and for other programs. With
            ``"process"``, the store and its server run in a child process. Use it for clients that hold the GIL
            while they wait, such as deltalake and GDAL. False by default.

    Raises:
        TypeError: If an option is unknown or has a wrong type, or the parentheses of ``@fake_store()`` are missing.
        ValueError: If the value of an option is invalid.
    """
    if args:
        hint: str = "write @fake_store() with parentheses" if callable(args[0]) else "options are passed by keyword"
        raise TypeError(f"fake_store takes no positional argument: {hint}")
    return Recipe(options)


class _Function:
    """A function that says what to write if it is used like a store. A plain function cannot have these methods."""

    def __init__(self, function: Callable[..., Recipe]) -> None:
        functools.update_wrapper(self, function)
        # Each option with its default, for `help` and for editors that ask the interpreter.
        self.__signature__ = inspect.signature(Options).replace(return_annotation=Recipe)

    def __call__(self, *args: Any, **options: Any) -> Recipe:
        return self.__wrapped__(*args, **options)

    def __get__(self, instance: object, owner: type) -> _Function:
        return self  # like a static method; with this method, `help` shows the object as a function

    def __enter__(self) -> NoReturn:
        raise TypeError("fake_store is a function: write `with fake_store() as store` with parentheses")

    __aenter__ = __enter__

    def __exit__(self, *args: object) -> None: ...

    __aexit__ = __exit__

    def __getitem__(self, name: object) -> NoReturn:
        raise TypeError(f"fake_store[{name!r}] is not possible{_NOT_ENTERED}")

    def __getattr__(self, name: str) -> NoReturn:
        hint = _NOT_ENTERED if hasattr(FakeStore, name) or name in _VERBS_OF_MOTO else ""
        raise AttributeError(f"fake_store has no attribute {name!r}{hint}", name=name, obj=self)

    def __repr__(self) -> str:
        return "<function fake_store>"


if not TYPE_CHECKING:  # a type checker reports these uses of a function by itself
    fake_store = _Function(fake_store)


def _current_task() -> object:
    """Return the running asyncio task, or None."""
    asyncio = sys.modules.get("asyncio")
    try:
        return None if asyncio is None else asyncio.current_task()
    except RuntimeError:  # no event loop is running
        return None
