"""A store in a child process, for clients that hold the lock of the interpreter while they wait for its server.

The test has a :class:`RemoteStore`. It sends calls that need the contents of the store to the child, as pickled values,
and does everything else itself. When the store is left, its contents come back, and it is an ordinary store from then
on.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import date, datetime
from functools import cache, wraps
from io import BytesIO
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar
from urllib.parse import urlsplit

from fakestore.api import default_options
from fakestore.api.bucket import Bucket
from fakestore.api.options import StoreOptions
from fakestore.api.report import Baseline
from fakestore.api.store import FakeStore, Snapshot
from fakestore.clients.server import keep_port, take_port
from fakestore.clients.target import add_server, remove_server
from fakestore.http.message import ConnectionFailure, Delivery, Request
from fakestore.locks import new_lock
from fakestore.model.content import JoinedContent, SparseContent
from fakestore.model.state import State
from fakestore.model.versioning import VersionIds
from fakestore.protocol.addressing import Endpoint
from fakestore.service.events import Document, NobodyAnswers, Outbox, SentEvent
from fakestore.service.fault_plan import FaultPlan
from fakestore.service.journal import Exchange, Journal, KeptErrors
from fakestore.service.service import Service

#: How long the child may take to end, in seconds.
_GRACE = 5.0
_HOST = "127.0.0.1"

_Class = TypeVar("_Class", bound=type)


class _Contents(NamedTuple):
    """What comes back from the child."""

    state: State
    issued_count: int
    faults: FaultPlan
    journal: Journal
    unhandled_requests: KeptErrors[Exception]


# -- pickled values

#: The kind and the name of an object that stays where it is: the other process has a stand-in for it, or its own.
_Name = tuple[str, str]


#: The types of moments. While freezegun moves the clock, modules have other classes with these names.
_MOMENTS = {"datetime": datetime, "date": date}


def _dump(value: object, name: Callable[[Any], _Name | None]) -> bytes:
    class Pickler(pickle.Pickler):
        dispatch_table = copyreg.dispatch_table | _REDUCERS

        def persistent_id(self, each: object) -> _Name | None:
            return name(each)

    file = BytesIO()
    Pickler(file, pickle.HIGHEST_PROTOCOL).dump(value)
    return file.getvalue()


def _read_only(mapping: dict[str, Any]) -> MappingProxyType[str, Any]:
    return MappingProxyType(mapping)  # pickle does not find this class by its name


def _moment(kind: str, *state: Any) -> date:
    return _MOMENTS[kind](*state)


#: What pickle cannot do by itself, by type.
_REDUCERS: dict[type, Callable[[Any], Any]] = {
    MappingProxyType: lambda mapping: (_read_only, (dict(mapping),)),
    type(RLock()): lambda lock: (new_lock, ()),
    type(iter([])): lambda iterator: (iter, (tuple(iterator),)),  # the list itself may have a name
    datetime: lambda moment: (_moment, ("datetime", *moment.__reduce__()[1])),
    date: lambda day: (_moment, ("date", *day.__reduce__()[1])),
}


def _load(data: bytes, find: Callable[[str, str], object]) -> Any:
    class Unpickler(pickle.Unpickler):
        def persistent_load(self, name: _Name) -> object:
            return find(*name)

    return Unpickler(BytesIO(data)).load()


# -- the child


def _run(connection: Connection) -> None:
    """Run a store and its server until the parent closes the connection or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this process
    with suppress(EOFError):
        options, port = pickle.loads(connection.recv_bytes())
        store = FakeStore(**options)
        store._service.outbox.transport = _NoTransport()
        with _serve(store, port) as url:
            child = _Child(store)
            connection.send_bytes(pickle.dumps((url, store._service.endpoint)))
            while True:
                connection.send_bytes(child.answer(connection.recv_bytes()))


class _NoTransport:
    """Stands for boto3 in the child, where no mock of the test is active."""

    def deliver(self, arn: str, document: Document) -> None:
        raise NobodyAnswers("with serve='process', no mock of the test gets events; use serve=True")

    def find(self, arn: str) -> None:
        raise NobodyAnswers


@contextmanager
def _serve(store: FakeStore, port: int) -> Iterator[str]:
    try:
        server = store.serve(_HOST, port)
        url = server.__enter__()
    except OSError:  # another process has taken the port
        server = store.serve(_HOST)
        url = server.__enter__()
    try:
        yield url
    finally:
        server.__exit__(None, None, None)


class _Child:
    """Answers the calls of the parent."""

    def __init__(self, store: FakeStore) -> None:
        self._store = store
        service = store._service
        #: The objects that the parent has, too.
        self._shared = {"outbox": service.outbox, "version_ids": service.version_ids}
        self._named: dict[str, object] = {
            **self._shared,
            "store": store,
            "service": service,
            "faults": service.faults,
            "journal": service.journal,
            "unhandled_requests": service.unhandled_requests,
        }

    def answer(self, data: bytes) -> bytes:
        """Call a method, and return a pickled pair: whether it has returned, and its result or its exception."""
        try:
            target, name, args, kwargs = _load(data, self._find)
            if name == "contents":
                return _dump((True, self._contents()), lambda each: self._name_among(self._shared, each))
            return _dump((True, getattr(target, name)(*args, **kwargs)), self._name)
        except Exception as error:
            try:
                return _dump((False, error), self._name)
            except Exception:  # an exception that cannot be pickled
                return _dump((False, RuntimeError(repr(error))), self._name)

    def _contents(self) -> _Contents:
        service = self._store._service
        return _Contents(
            service.state,
            service.version_ids.issued_count,
            service.faults,
            service.journal,
            service.unhandled_requests,
        )

    def _name(self, each: object) -> _Name | None:
        if type(each) is Bucket:
            return "Bucket", each.name
        if type(each) is Snapshot:
            name = f"snapshot {len(self._named)}"
            self._named[name] = each
            return "Snapshot", name
        return self._name_among(self._named, each)

    @staticmethod
    def _name_among(named: dict[str, Any], each: object) -> _Name | None:
        if type(each) not in _NAMED:
            return None
        return next(((type(each).__name__, name) for name, other in named.items() if other is each), None)

    def _find(self, kind: str, name: str) -> object:
        return Bucket(self._store._service, name) if kind == "Bucket" else self._named[name]


#: The classes of the objects that have a name.
_NAMED = (FakeStore, Service, Outbox, VersionIds, FaultPlan, Journal, KeptErrors)


# -- the parent


@cache
def _start_method() -> Any:
    """Return how a child starts. It never is a fork of this process, whose threads and locks it would not survive.

    A fork server, which multiprocessing keeps until this process ends, imports this module only once. That saves 0.5 s
    for each store.
    """
    if "forkserver" not in get_all_start_methods():  # on Windows
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class ChildEnded(RuntimeError):
    """Raised if the child has crashed."""


class _Channel:
    """The connection to the child, and what the parent has in place of the objects there."""

    def __init__(self, service: RemoteService, options: StoreOptions) -> None:
        self._service = service
        self.url: str
        self.endpoint: Endpoint
        self._lock = new_lock()
        self._parent = os.getpid()
        context = _start_method()
        self._connection, connection = context.Pipe()
        self._process: BaseProcess = context.Process(target=_run, args=(connection,), name="fakestore", daemon=True)
        port = take_port(_HOST)
        try:
            greeting = pickle.dumps(({**default_options, **options, "set_environment": False}, port))
        except Exception as error:
            raise TypeError(
                f"serve='process' sends the options of the store to another process, and one of them cannot be pickled:"
                f" {error}; use functions and classes of a module, or serve=True"
            ) from None
        self._process.start()
        connection.close()
        try:
            self.url, self.endpoint = pickle.loads(self._exchange(greeting))
        except BaseException:
            self.end()
            raise

    def call(self, target: object, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of an object in the child."""
        __tracebackhide__ = True
        try:
            message = _dump((target, name, args, kwargs), _name_in_parent)
        except Exception as error:
            raise TypeError(
                f"the arguments of {name}() cannot be sent to the process of the store, which serve='process' began:"
                f" {error}; use serve=True"
            ) from None
        has_returned, result = _load(self._exchange(message), self._find)
        if has_returned:
            return result
        raise result

    def _exchange(self, message: bytes) -> bytes:
        __tracebackhide__ = True
        if os.getpid() != self._parent:
            raise RuntimeError("a forked process reaches the store only by its server: use store.server_url")
        with self._lock:
            try:
                self._connection.send_bytes(message)
                reply: bytes = self._connection.recv_bytes()
            except (EOFError, OSError):
                self._process.join(_GRACE)
                raise ChildEnded(
                    f"the process of the store has ended with exit code {self._process.exitcode}. If this is a script,"
                    ' it must begin its work below `if __name__ == "__main__":`, as multiprocessing demands'
                ) from None
        return reply

    def _find(self, kind: str, name: str) -> object:
        if kind == "Bucket":
            return RemoteBucket(self._service, name)
        return _StandIn(self, name) if kind == "Snapshot" else getattr(self._service, name)

    def end(self) -> None:
        """End the child, and wait for its end."""
        self._connection.close()
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _name_in_parent(each: object) -> _Name | None:
    if isinstance(each, RemoteBucket):
        return "Bucket", each.name
    if isinstance(each, RemoteStore | RemoteService):
        return "", "store" if isinstance(each, RemoteStore) else "service"
    return ("", each.name) if isinstance(each, _StandIn) else None


def _forward(original: type, *names: str) -> Callable[[_Class], _Class]:
    """Let methods and properties of `original` be those of the object in the child, as long as there is a child."""

    def decorate(remote: _Class) -> _Class:
        for name in names:
            member = getattr(original, name)
            forward = _forward_property if isinstance(member, property) else _forward_method
            setattr(remote, name, forward(name, member))
        return remote

    return decorate


def _forward_method(name: str, original: Callable[..., Any]) -> Any:
    @wraps(original)
    def forwarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        channel = self._channel
        return original(self, *args, **kwargs) if channel is None else channel.call(self, name, *args, **kwargs)

    return forwarded


def _forward_property(name: str, original: property) -> Any:
    get = _forward_method("__getattribute__", lambda self, name: original.__get__(self))
    put = _forward_method("__setattr__", lambda self, name, value: original.__set__(self, value))
    return property(lambda self: get(self, name), lambda self, value: put(self, name, value), doc=original.__doc__)


class _StandIn:
    """Stands for an object of the child."""

    def __init__(self, channel: _Channel, name: str) -> None:
        self._channel = channel
        self.name = name


@_forward(Journal, "add_note", "entries", "exchanges", "matching")
class _RemoteJournal(_StandIn): ...


@_forward(FaultPlan, "add", "clear", "pending", "unfired")
class _RemoteFaults(_StandIn): ...


@_forward(list, "append", "clear", "pop", "__contains__", "__delitem__", "__eq__", "__getitem__", "__iter__", "__len__")
@_forward(list, "__repr__")
class _RemoteErrors(_StandIn):
    __hash__ = None  # type: ignore[assignment]  # like a list

    def remove(self, error: Exception) -> None:
        """Remove an error. It is not the same object here as in the child."""
        del self[[repr(each) for each in self].index(repr(error))]  # type: ignore[attr-defined]


class RemoteService(Service):
    """A service that answers requests in the child. The clients of the parent use it like any other service."""

    __slots__ = ("_channel",)

    _channel: _Channel | None

    def answer(self, request: Request, *, delivers: bool = True) -> tuple[Delivery | ConnectionFailure, Exchange]:
        __tracebackhide__ = True
        if self._channel is None:
            return super().answer(request, delivers=delivers)
        if not isinstance(request.body, bytes | SparseContent | JoinedContent):
            request = replace(request, body=b"".join(request.body))
        answer: tuple[Delivery | ConnectionFailure, Exchange] = self._channel.call(self, "answer", request)
        return answer

    def begin(self, channel: _Channel) -> None:
        """Let the child answer from now on."""
        self.endpoint = channel.endpoint
        self.faults = _RemoteFaults(channel, "faults")  # type: ignore[assignment]
        self.journal = _RemoteJournal(channel, "journal")  # type: ignore[assignment]
        self.unhandled_requests = _RemoteErrors(channel, "unhandled_requests")  # type: ignore[assignment]
        self._channel = channel

    def fetch_contents(self) -> _Contents:
        """Get the contents of the child, for what needs all of them here."""
        assert self._channel is not None
        contents: _Contents = self._channel.call(self, "contents")
        self.state.replace_with(contents.state)
        self.version_ids.skip_to(contents.issued_count)
        return contents

    def end(self, contents: _Contents) -> None:
        """Answer from these contents from now on."""
        self._channel = None
        self.faults = self.outbox.faults = contents.faults
        self.journal, self.outbox.add_note = contents.journal, contents.journal.add_note
        self.unhandled_requests = contents.unhandled_requests


#: Members of `Bucket` that are not forwarded: `name` is known here, and `on_event` is not possible.
_NOT_FORWARDED = ("name", "on_event")


@_forward(Bucket, *(name for name in vars(Bucket) if not name.startswith("_") and name not in _NOT_FORWARDED))
@_forward(Bucket, "__contains__", "__getitem__", "__iter__", "__len__", "__repr__")
class RemoteBucket(Bucket):
    """A bucket in the child."""

    __slots__ = ()

    @property
    def _channel(self) -> _Channel | None:
        assert isinstance(self._service, RemoteService)
        return self._service._channel

    if not TYPE_CHECKING:

        def on_event(self, *args: object, **kwargs: object) -> NoReturn:
            raise _no_handlers("on_event")


@_forward(
    FakeStore, "create_account", "set_kms_key", "create_bucket", "buckets", "snapshot", "restore", "_act_by_rules"
)
class RemoteStore(FakeStore):
    """A store whose contents are in a child process until it is left."""

    _channel: _Channel | None = None
    _service: RemoteService

    def _new_service(self) -> RemoteService:
        service = self._options.new_service_as(RemoteService)
        service._channel = None
        return service

    def _fetch(self) -> None:
        if self._channel is not None:
            self._service.fetch_contents()

    def dump(self, bucket: str, path: str | Path) -> None:
        self._fetch()
        super().dump(bucket, path)

    def describe(self) -> str:
        self._fetch()
        return super().describe()

    def to_html(self, path: str | Path) -> None:
        self._fetch()
        super().to_html(path)

    def _failure_report(self, baseline: Baseline | None, error: BaseException | None) -> str:
        try:
            self._fetch()
            return super()._failure_report(baseline, error)
        except ChildEnded as ended:
            return str(ended)

    def check(self) -> None:
        __tracebackhide__ = True
        self._fetch()
        super().check()

    def reset(self) -> None:
        if self._channel is None:
            return super().reset()
        super().close()
        self._channel.call(self, "reset")
        return None

    def travel(self, **delta: float) -> None:
        super().travel(**delta)
        if self._channel is not None:
            self._channel.call(self, "travel", **delta)

    def close(self) -> None:
        super().close()
        if self._channel is not None:
            self._channel.call(self, "close")

    @property
    def events(self) -> list[SentEvent]:
        self._fetch()
        return super().events

    @property
    def destinations(self) -> NoReturn:
        raise _no_handlers("destinations")

    def serve(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("the store is served already, by serve='process'; its URL is store.server_url")


def _no_handlers(name: str) -> TypeError:
    return TypeError(
        f"{name} is not possible with serve='process', because the process of the store cannot call functions of the"
        " test; use serve=True"
    )


@contextmanager
def remote_store(options: StoreOptions) -> Iterator[RemoteStore]:
    """Yield a store whose contents and server are in a child process until the context is left."""
    store = RemoteStore(**options)
    channel = _Channel(store._service, options)
    try:
        store._channel = channel
        store._service.begin(channel)
        store._server_url = channel.url
        add_server(channel.endpoint.aliases)  # a forked child reaches the child by a connection, too
        try:
            with store._with_environment(nullcontext(channel.url)):
                yield store
        finally:
            remove_server(channel.endpoint.aliases)
            contents = _Contents(store._service.new_state(), 0, FaultPlan(), Journal(0), KeptErrors())
            try:
                contents = store._service.fetch_contents()
            finally:
                store._channel = None
                store._service.end(contents)
    finally:
        channel.end()
        keep_port(_HOST, urlsplit(channel.url).port or 0)
