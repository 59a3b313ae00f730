"""Events on their way: the outbox of a store delivers them to functions of the test, and to the clients of others.

An event is noted in the turn in which its change is made. It is delivered after the turn, before the client gets its
reply. A turn is the time in which a thread holds the lock of the store.

It is delivered in the thread of the client, or in a thread of its own if the client belongs to an event loop. There,
coroutines run meanwhile, because they share clients, locks and queues with the application.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from operator import itemgetter
from threading import Thread, current_thread, local
from traceback import extract_tb
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from fakestore.locks import new_lock
from fakestore.messages import counted, escaped, some_of
from fakestore.model.bucket import BucketRecord, Observer
from fakestore.model.event import Cause, ObjectEvent, event_name
from fakestore.model.lifecycle import LifecycleEffect
from fakestore.model.notification import EVERY_EVENT, names_event
from fakestore.model.object_version import Change
from fakestore.model.versioning import Versioning
from fakestore.service.fault_plan import DELIVERY, DeliveryFault, FaultPlan

#: How many handlers may run inside each other, if one of them starts itself. The public service stops a function that
#: starts itself after about 16 rounds.
MOST_ROUNDS = 16
#: How many threads may run the same handler at the same time. Python does not tell which handler started a thread. So
#: this limit stops a handler that starts itself in other threads. It is high, because parallel uploads are no mistake.
#: The clients of an event loop count as one thread.
MOST_THREADS = 300

#: The errors of asyncio about a missing or another event loop.
_NO_LOOP = re.compile("no (running|current) event loop|different (event )?loop")
#: The note of such an error.
_WHERE_HANDLERS_RUN = (
    "a coroutine function runs in the event loop of the aiohttp, aiobotocore or httpx.AsyncClient client that sent the"
    " request. Without such a client, it runs in a loop of its own: send the request with such a client. A function"
    " without `async def` has no event loop if such a client sent the request: write `async def`"
)
#: How long a Lambda function may run in the public service, in seconds.
_MOST_SECONDS = 900

#: What receives the document of an event.
EventHandler = Callable[..., object]

Document = dict[str, Any]


class NotDelivered(Exception):
    """An event could not be delivered. The message says why."""


class NobodyAnswers(NotDelivered):
    """Neither a handler nor a mock stands behind an ARN."""

    def __init__(self, reason: str = "nobody answers") -> None:
        super().__init__(reason)


class Transport(Protocol):
    """Delivers documents to the ARNs of queues, topics, functions and buses, or raises NotDelivered."""

    def deliver(self, arn: str, document: Document) -> None: ...

    def find(self, arn: str) -> None:
        """Find out whether a destination exists. It receives nothing."""


class LambdaContext(NamedTuple):
    """The context of a Lambda function, the second argument of a handler with two parameters.

    Attributes:
        aws_request_id: The id of the call.
        function_name: The name of the function.
        invoked_function_arn: Its ARN.
        function_version: ``"$LATEST"``.
        memory_limit_in_mb: 128. The store does not limit the memory.
        deadline: When the time of the function ends, by ``time.monotonic()``. The store does not stop it.
    """

    aws_request_id: str
    function_name: str
    invoked_function_arn: str
    deadline: float
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 128

    def get_remaining_time_in_millis(self) -> int:
        """Return how many milliseconds of its 15 minutes are left."""
        return max(0, round((self.deadline - time.monotonic()) * 1000))


@dataclass(slots=True, eq=False, repr=False)
class Subscription:
    """A handler that wants events of a bucket, or without a handler, a destination of its configuration."""

    bucket: str
    name: str
    #: The id in the record of an event. EventBridge has none.
    id: str | None
    events: tuple[str, ...]
    prefix: str = ""
    suffix: str = ""
    handler: EventHandler | None = None
    #: Whether it has wanted an event.
    has_matched: bool = False
    #: Why it did not want an event of the bucket: the latest of those for which it has the fewest reasons.
    _refusal: tuple[str, list[str]] | None = None

    def wants(self, bucket: str, name: str, key: str) -> bool:
        if bucket != self.bucket:
            return False
        reasons = []
        if not any(names_event(each, name) for each in self.events):
            reasons.append(f"events={list(self.events)}")
        if not key.startswith(self.prefix):
            reasons.append(f"prefix={self.prefix!r}")
        if not key.endswith(self.suffix):
            reasons.append(f"suffix={self.suffix!r}")
        if not reasons:
            self.has_matched = True
        elif self._refusal is None or len(reasons) <= len(self._refusal[1]):
            self._refusal = f"{name} {key}", reasons
        return not reasons

    def explain(self) -> str:
        """Return why it got no event."""
        about = f"{'' if self.handler is None else 'handler '}{self.name} of {self.bucket} got no event: "
        if self._refusal is None:
            return escaped(f"{about}the bucket had none; Bucket.put sends an event only with notify=True")
        event, reasons = self._refusal
        wildcard = ", in which '*' is not a wildcard" if "*" in self.prefix + self.suffix else ""
        return escaped(f"{about}{event} does not match {', '.join(reasons)}{wildcard}")


def handler_name(handler: EventHandler) -> str:
    """Return the name of a function without the functions around it, or the class of another object."""
    while isinstance(handler, partial):
        handler = handler.func
    name: str = getattr(handler, "__qualname__", type(handler).__qualname__)
    return name.rpartition("<locals>.")[2]


@dataclass(slots=True, eq=False, repr=False)
class EventDestination:
    """A destination of an event, and what became of the event there.

    Attributes:
        name: The ARN, or the name of a handler of :meth:`Bucket.on_event`.
        document: What it gets: ``{"Records": [...]}``, or the document for EventBridge.
        outcome: For example ``"delivered"``, ``"still running"``, ``"raised ValueError('no jpg')"`` or ``"not
            delivered: ..."``.
        error: The exception of the handler, or None.
        raised_at: The line at which the exception left the handler and, if it differs, the line that raised the
            exception.
    """

    name: str
    document: Document
    _handler: EventHandler | None = None
    outcome: str = "not delivered yet"
    error: BaseException | None = None
    raised_at: list[str] = field(default_factory=list)

    def is_same(self, other: EventDestination) -> bool:
        """Return whether `other` is the same destination. Different handlers can have the same name."""
        return (self.name, self._handler) == (other.name, other._handler)

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome}"

    def __repr__(self) -> str:
        return f"<EventDestination {self}>"


@dataclass(slots=True, eq=False, repr=False)
class SentEvent:
    """An event that at least one destination wants.

    Example:
        >>> from fakestore import FakeStore
        >>> store = FakeStore(buckets=["photos"])
        >>> store["photos"].on_event(print, events=["s3:ObjectRemoved:*"])
        >>> _ = store["photos"].put("cat.jpg", b"meow", notify=True)
        >>> store.events
        []

    Attributes:
        destinations: The destinations, and what became of the event at each.
    """

    _event: ObjectEvent
    destinations: list[EventDestination]

    @property
    def name(self) -> str:
        """The name without ``s3:``, for example ``ObjectCreated:Put``."""
        return self._event.name

    @property
    def bucket(self) -> str:
        """The name of the bucket."""
        return self._event.bucket

    @property
    def key(self) -> str:
        """The key, not encoded."""
        return self._event.entry.key

    @property
    def version_id(self) -> str:
        """The id of the version or delete marker, or ``"null"``."""
        return self._event.entry.version_id

    @property
    def time(self) -> datetime:
        """When the change was made, or when the action of a lifecycle rule was due, in UTC."""
        return self._event.time

    @property
    def is_arranged(self) -> bool:
        """Whether ``Bucket.put(..., notify=True)`` sent it."""
        return self._event.cause.is_arranged

    @property
    def has_no_receiver(self) -> bool:
        """Whether a destination has neither a handler nor a mock."""
        return any(each.outcome.startswith(f"not delivered: {NobodyAnswers()}") for each in self.destinations)

    @property
    def record(self) -> Document:
        """The record that the first destination gets. If only EventBridge gets it, it has no configuration id."""
        records = [record for each in self.destinations for record in each.document.get("Records", ())]
        return records[0] if records else self._event.record("")

    def __str__(self) -> str:
        return escaped(f"{self.name} {self.bucket}/{self.key} -> {', '.join(map(str, self.destinations))}")

    def __repr__(self) -> str:
        return f"<SentEvent {self}>"


#: The services whose ARNs can be destinations.
_SERVICES = ("lambda", "sqs", "sns", "events")


class Destinations(dict[str, EventHandler]):
    """The handlers behind ARNs of functions, queues, topics and buses."""

    def __setitem__(self, arn: str, handler: EventHandler) -> None:
        if arn.count(":") < 5 or not arn.startswith("arn:") or arn.split(":")[2] not in _SERVICES:
            raise ValueError(
                f"invalid ARN {arn!r}: expected the ARN of a function, a queue, a topic or a bus, for example"
                " arn:aws:sqs:us-east-1:111111111111:name"
            )
        super().__setitem__(arn, check_handler(handler))


def check_handler(handler: EventHandler) -> EventHandler:
    """Check that a handler can be called with the document of an event, or with a document and a context."""
    if not callable(handler):
        raise TypeError(f"invalid handler {handler!r}: expected a function that gets the event")
    try:
        signature = inspect.signature(handler)
    except ValueError:  # a function in C
        return handler
    try:
        signature.bind(*range(_count_arguments(handler)))
    except TypeError as error:
        raise TypeError(
            f"invalid handler {handler_name(handler)}{signature}: {error}; expected a function with the parameters"
            " (event) or (event, context)"
        ) from None
    return handler


class _ThreadState(local):
    """What a thread has to deliver."""

    def __init__(self) -> None:
        self.pending: list[SentEvent] = []


#: The handlers that run inside each other. Coroutines and their threads inherit them, threads of the handler do not.
_inside: ContextVar[tuple[int, ...]] = ContextVar("_inside", default=())


class ClientThread(Thread):
    """A thread that works for a client of the running event loop, with the context and the name of the loop's thread.

    In the context, events know the handlers around the request.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        context, name = copy_context(), current_thread().name
        super().__init__(target=context.run, args=(work,), name=name, daemon=True)
        self.loop = asyncio.get_running_loop()


@dataclass(slots=True, eq=False, repr=False)
class Outbox(Observer):
    """The events of a store: who wants them, what is still to be delivered, and what went wrong.

    Args:
        home_region: The region of buckets without a location.
        add_note: Appends an entry to the journal.
        make_ids: Returns the ids by their names for the event with a number, if no request caused it.
        transport: Delivers to ARNs without a handler; None if nothing does.
        errors: The exceptions of handlers.
        listener: The name of a handler that gets every event, and the handler; None for no handler.
        is_left: Whether the store has been left. A handler would then reach the real services.
    """

    home_region: str
    add_note: Callable[[SentEvent | LifecycleEffect], None]
    make_ids: Callable[[int], dict[str, str]]
    faults: FaultPlan
    errors: list[BaseException]
    transport: Transport | None = None
    listener: tuple[str, EventHandler] | None = None
    is_left: bool = False
    subscriptions: list[Subscription] = field(default_factory=list)
    destinations: Destinations = field(default_factory=Destinations)
    #: The destinations of configurations.
    _configured: dict[tuple[object, ...], Subscription] = field(default_factory=dict)
    _count: int = 0
    _of_thread: _ThreadState = field(default_factory=_ThreadState)
    #: How often each handler runs at present, by thread or event loop.
    _running: defaultdict[int, Counter[object]] = field(default_factory=lambda: defaultdict(Counter))
    #: Which handlers were stopped because they started themselves.
    _stopped: set[int] = field(default_factory=set)
    #: The deliveries that a fault delays.
    _late: list[tuple[SentEvent, EventDestination, DeliveryFault]] = field(default_factory=list)
    _lock: Any = field(default_factory=new_lock)

    def clear(self) -> None:
        """Forget handlers and errors, and what a fault delays. The numbers of events begin again."""
        self.subscriptions.clear()
        self.destinations.clear()
        self._configured.clear()
        self.errors.clear()
        self._late.clear()
        self._count = 0

    def explain_idle_destinations(self, buckets: Iterable[BucketRecord]) -> list[str]:
        """Return why handlers and destinations have got no event, a line for each."""
        wanting = [*self.subscriptions, *(each for bucket in buckets for each in self._configured_for(bucket))]
        named = {self._find_key(each.name) for each in self._configured.values()}
        return [
            *(each.explain() for each in wanting if not each.has_matched),
            *(
                escaped(f"the handler of {arn} got no event: no bucket names it")
                for arn in self.destinations
                if arn not in named
            ),
        ]

    def _configured_for(self, bucket: BucketRecord) -> list[Subscription]:
        """Return the destinations of a bucket's configuration. They remember whether they wanted an event."""
        configuration = bucket.notification
        if configuration is None:
            return []
        wanting = [
            Subscription(bucket.name, each.arn, each.id or "", each.events, *each.affixes)
            for each in configuration.destinations
        ]
        if configuration.event_bridge is not None:
            region = bucket.region(self.home_region)
            arn = f"arn:aws:events:{region}:{bucket.owner.number}:event-bus/default"
            wanting.append(Subscription(bucket.name, arn, None, (EVERY_EVENT,)))
        return [
            self._configured.setdefault((each.bucket, each.name, each.id, each.events, each.prefix, each.suffix), each)
            for each in wanting
        ]

    # -- in the turn

    def may_want(self, bucket: BucketRecord) -> bool:
        """Return whether somebody may want events of the bucket. For most tests, this is all that an event costs."""
        return bool(self.subscriptions) or bucket.notification is not None or self.listener is not None

    def note_effect(self, effect: LifecycleEffect) -> None:
        self.add_note(effect)

    def note_changes(
        self, bucket: BucketRecord, changes: Sequence[Change], at: datetime, cause: Cause | None = None
    ) -> None:
        """Note the events of changes that somebody wants. Without a cause, the bucket made the changes by itself."""
        if not self.may_want(bucket):
            return
        for change in changes:
            entry = change.entry
            if entry is None:
                continue
            event = ObjectEvent(
                name=event_name(change),
                time=at,
                bucket=bucket.name,
                owner=bucket.owner,
                region=bucket.region(self.home_region),
                entry=entry,
                is_versioned=bucket.versioning is not Versioning.NEVER,
                number=self._count + 1,
                cause=cause or Cause(self.make_ids(self._count + 1)),
            )
            destinations = list(self._find_destinations(event, bucket))
            if destinations:
                self._count += 1
                self._of_thread.pending.append(SentEvent(event, destinations))

    def _find_destinations(self, event: ObjectEvent, bucket: BucketRecord) -> Iterator[EventDestination]:
        """Yield the destinations that want an event: handlers of the bucket first, then its configuration."""
        key = event.entry.key
        for each in (*self.subscriptions, *self._configured_for(bucket)):
            if each.wants(event.bucket, event.name, key):
                document = event.bridge_document() if each.id is None else {"Records": [event.record(each.id)]}
                if document is not None:
                    yield EventDestination(each.name, document, each.handler)
        if self.listener is not None:
            name, handler = self.listener
            yield EventDestination(name, {"Records": [event.record(name)]}, handler)

    # -- after the turn

    def deliver(self) -> None:
        """Deliver what this thread noted, in order. No lock of the store is held."""
        if self._of_thread.pending:
            self._deliver_all(self._take())

    async def deliver_to_loop(self, timeout: float | None) -> bool:
        """Deliver what this thread noted, while its event loop goes on. Return whether that ended in time.

        It also goes on if the caller is cancelled.
        """
        if not self._of_thread.pending:
            return True
        if _running_loop() is None:  # a loop of trio
            self.deliver()
            return True
        events = self._take()
        delivery: Future[None] = Future()
        delivery.set_running_or_notify_cancel()  # from now on, it cannot be cancelled

        def work() -> None:
            try:
                self._deliver_all(events)
            except BaseException as interruption:
                delivery.set_exception(interruption)
            else:
                delivery.set_result(None)

        ClientThread(work).start()
        try:
            await asyncio.wait_for(asyncio.wrap_future(delivery), timeout)
        except TimeoutError:
            return False
        return True

    def _take(self) -> list[SentEvent]:
        """Return what this thread noted, and record it."""
        pending, self._of_thread.pending = self._of_thread.pending, []
        for sent in pending:
            self.add_note(sent)
        return pending

    def _deliver_all(self, events: Iterable[SentEvent]) -> None:
        for sent in events:
            for destination in sent.destinations:
                self._deliver(sent, destination)

    def deliver_late(self, destination: EventDestination | None = None) -> None:
        """Deliver what a fault has delayed until now, to one destination or to all."""
        for _ in range(MOST_ROUNDS):  # a handler can cause the next late event
            with self._lock:
                late = [each for each in self._late if destination is None or each[1].is_same(destination)]
                self._late = [each for each in self._late if each not in late]
            for sent, itself, fault in late:
                self._hand_over(sent, itself, fault)

    def _deliver(self, sent: SentEvent, destination: EventDestination) -> None:
        """Deliver an event to a destination, unless a fault prevents it. Delayed events to the destination follow."""
        planned = self.faults.meet(DELIVERY, sent.bucket, sent.key)
        fault = None if planned is None else planned.fault
        if planned is not None:
            self.faults.settle(planned, acts=True)
        if isinstance(fault, DeliveryFault):
            destination.outcome = f"{fault.outcome} [{fault!r}]"
            if fault.is_late:
                self._late.append((sent, destination, fault))
                return
            self._hand_over(sent, destination, fault)
        else:
            self._hand_over(sent, destination)
        if self._late:
            self.deliver_late(destination)

    def _hand_over(self, sent: SentEvent, destination: EventDestination, fault: DeliveryFault | None = None) -> None:
        """Deliver each copy of an event, and record the outcome: that of the first copy that failed, if one failed."""
        copies = 1 if fault is None else fault.copies
        attempts = [self._attempt(sent, destination) for _ in range(copies)]
        if attempts:
            _, outcome = min(attempts, key=itemgetter(0))
            destination.outcome = outcome if fault is None else f"{outcome} [{fault!r}]"

    def _attempt(self, sent: SentEvent, destination: EventDestination) -> tuple[bool, str]:
        """Call the handler of a destination, or the transport to others. Return whether that worked, and the outcome.

        The code that sent the request gets only what a user does to stop the program.
        """
        handler = destination._handler or self._find_handler(destination.name)
        try:
            if self.is_left:
                raise NotDelivered("the store was left")
            if handler is not None:
                destination.outcome = "still running"
                return True, self._run(handler, sent, destination)
            if self.transport is not None:
                self.transport.deliver(destination.name, destination.document)
                return True, "delivered through boto3"
            raise NobodyAnswers
        except NotDelivered as problem:
            return False, f"not delivered: {problem}"
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if isinstance(error, RuntimeError) and _NO_LOOP.search(str(error)):
                error.add_note(_WHERE_HANDLERS_RUN)
            if destination.error is None:
                destination.error, destination.raised_at = error, _lines_of(error)
            self.errors.append(error)
            return False, f"raised {error!r}"

    def find_problem(self, arn: str, document: Document | None = None) -> str | None:
        """Return why a destination does not exist, or cannot receive a document; None if all is well.

        A handler gets no document. Without a mock of its service, nobody knows.
        """
        if self.transport is None or self._find_handler(arn) is not None:
            return None
        try:
            if document is None:
                self.transport.find(arn)
            else:
                self.transport.deliver(arn, document)
        except NobodyAnswers:
            return None
        except NotDelivered as problem:
            return str(problem)
        return None

    def _find_handler(self, arn: str) -> EventHandler | None:
        return self.destinations.get(self._find_key(arn))

    def _find_key(self, arn: str) -> str:
        """Return the ARN that has the handler of an ARN. The account of a bus does not matter: tests rarely know it."""
        if arn.split(":")[2] != "events":
            return arn
        return next((each for each in self.destinations if _without_account(each) == _without_account(arn)), arn)

    def _run(self, handler: EventHandler, sent: SentEvent, destination: EventDestination) -> str:
        """Call a handler with a copy of the document, unless it has started itself too often. Return the outcome."""
        inside, identity, thread = _inside.get(), id(handler), current_thread()
        place = thread.loop if isinstance(thread, ClientThread) else thread
        with self._lock:
            if identity in self._stopped:
                raise NotDelivered("the handler was stopped")
            running = self._running[identity]
            is_repeated = identity in inside and len(inside) >= MOST_ROUNDS
            if is_repeated or (place not in running and len(running) >= MOST_THREADS):
                if running:
                    self._stopped.add(identity)
                problem = (
                    f"starts itself: after {counted(len(inside), 'round')},"
                    if is_repeated
                    else f"runs in {counted(MOST_THREADS, 'thread')}, and probably starts itself:"
                )
                raise RecursionError(
                    f"the handler {destination.name} {problem} the event {sent.name} of {sent.bucket}/{sent.key} is"
                    " not delivered any more; let it write to another bucket, or limit the prefix or suffix of its"
                    " events"
                )
            running[place] += 1
        token = _inside.set((*inside, identity))
        try:
            return call_handler(handler, deepcopy(destination.document), destination.name)
        finally:
            _inside.reset(token)
            with self._lock:
                running[place] -= 1
                if not running[place]:
                    del running[place]
                if not running:
                    self._running.pop(identity, None)
                    self._stopped.discard(identity)


def _lines_of(error: BaseException) -> list[str]:
    """Return the first and the last line of the traceback of an error, below the lines of this module."""
    frames = extract_tb(error.__traceback__)
    first = max((index for index, frame in enumerate(frames, 1) if frame.filename == __file__), default=0)
    shown = frames[first : first + 1] + frames[first + 1 :][-1:]
    return [f"{each.filename}:{each.lineno} in {each.name}: {each.line}" for each in shown]


def _without_account(arn: str) -> list[str]:
    parts = arn.split(":")
    return [*parts[:4], *parts[5:]]


def call_handler(handler: EventHandler, document: Document, name: str) -> str:
    """Call a handler with the document of an event, and with a context if it has two parameters. Await a coroutine.

    Returns:
        The outcome.
    """
    arguments: list[object] = [document]
    if _count_arguments(handler) == 2:
        arguments.append(_context(document, name, handler))
    result = handler(*arguments)
    cancelled = _await(result) if inspect.isawaitable(result) else []
    if not cancelled:
        return "delivered"
    count = counted(len(cancelled), "task")
    verb = "was" if len(cancelled) == 1 else "were"
    return f"delivered, but {count} {verb} cancelled at the end of its event loop: {some_of(cancelled)}"


def _count_arguments(handler: EventHandler) -> int:
    """Return 2 for a Lambda function, which has two positional parameters, or two without a default; otherwise 1."""
    try:
        parameters = inspect.signature(handler).parameters.values()
    except ValueError:  # a function in C
        return 1
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return 2 if 2 in (len(positional), sum(each.default is each.empty for each in positional)) else 1


def _context(document: Document, destination: str, handler: EventHandler) -> LambdaContext:
    """Return the context of a call. The name of the function is in its ARN; without an ARN, it is the handler's."""
    record = document.get("Records", [{}])[0]
    region = record.get("awsRegion") or document.get("region")
    if destination.startswith("arn:aws:lambda:"):
        arn, function = destination, destination.split(":")[6]
    else:
        function = handler_name(handler).rpartition(".")[2]
        arn = f"arn:aws:lambda:{region}:{'0' * 12}:function:{function}"
    request_id = str(uuid4())
    return LambdaContext(request_id, function, arn, time.monotonic() + _MOST_SECONDS)


def _await(awaitable: Awaitable[object]) -> list[str]:
    """Run an awaitable to its end: in the loop of an asynchronous client, or in a loop of its own.

    Returns:
        The names of the tasks that were cancelled because its own loop ended.
    """
    thread = current_thread()
    if isinstance(thread, ClientThread):
        error = asyncio.run_coroutine_threadsafe(_error_of(awaitable), thread.loop).result()
        if error is not None:
            raise error
        return []
    if _running_loop() is None:
        return asyncio.run(_run_alone(awaitable))
    with ThreadPoolExecutor(1, thread_name_prefix="fakestore-handler") as executor:
        return executor.submit(copy_context().run, asyncio.run, _run_alone(awaitable)).result()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _error_of(awaitable: Awaitable[object]) -> BaseException | None:
    """Run an awaitable, and return its exception. If it were raised, SystemExit would end the loop of the client."""
    try:
        await awaitable
    except BaseException as error:
        return error
    return None


async def _run_alone(awaitable: Awaitable[object]) -> list[str]:
    """Run an awaitable, and return the names of the tasks that it started and that have not ended."""
    await awaitable
    remaining = asyncio.all_tasks() - {asyncio.current_task()}
    return sorted(getattr(each.get_coro(), "__name__", each.get_name()) for each in remaining)
