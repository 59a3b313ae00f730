"""The exchanges of a store and the effects of its lifecycle rules in order, in a bounded amount of memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from operator import itemgetter
from threading import current_thread
from typing import NamedTuple, TypeVar
from urllib.parse import unquote

from fakestore.http.message import Delivery, Headers
from fakestore.http.secrets import hide_in_body, hide_parameters
from fakestore.locks import new_lock
from fakestore.messages import counted, escaped, some_of
from fakestore.model.accounts import Account
from fakestore.model.content import Content, sparse_size
from fakestore.model.entity_tag import EntityTag
from fakestore.model.lifecycle import LifecycleEffect, describe_versions
from fakestore.model.object_version import EntryId, ids_of_changes
from fakestore.operations.framework.pipeline import PipelineCall
from fakestore.service.events import SentEvent
from fakestore.service.fault_plan import Fault

#: The number of errors of one kind that are kept.
KEPT_ERRORS = 1000
#: Bodies up to this many bytes are kept whole, larger ones as their size and MD5.
KEPT_BODY = 2048


class BodyDigest(NamedTuple):
    """The size and the MD5 of a body, recorded in place of a body that has sparse content or more than 2 KiB.

    Attributes:
        size: The size in bytes.
        md5: The MD5 as hexadecimal digits. For sparse content of more than 64 MiB, it is the entity tag, which
            looks like that of an upload in parts: ``0f343b0931126a20f133d67c2b018a3b-32``. It is empty if the reply has
            only a part of sparse content, for example a range.
    """

    size: int
    md5: str


RecordedBody = bytes | BodyDigest


def recorded_size(body: RecordedBody) -> int:
    return body.size if isinstance(body, BodyDigest) else len(body)


def record_body(body: Content, etag: EntityTag | None = None) -> RecordedBody:
    """Return the recorded form of a body; `etag` is its entity tag if it is known already."""
    is_sparse = not isinstance(body, bytes) and sparse_size(body) > 0
    if len(body) <= KEPT_BODY and not is_sparse:
        return bytes(body)
    if etag is None and not is_sparse:
        etag = EntityTag.of(body)
    return BodyDigest(len(body), "" if etag is None else etag.unquoted)


def _body_to_show(body: RecordedBody | None) -> RecordedBody | None:
    return hide_in_body(body) if isinstance(body, bytes) else body


class RecordedRequest(NamedTuple):
    """A request as it was sent. Its representation hides signatures and tokens, because a failed test prints it.

    Attributes:
        method: The method.
        url: The URL, with its query.
        headers: The headers. Their names are compared without regard to case.
        body: The body, or a :class:`BodyDigest` of a large or sparse body. It is None if the request has no body, or if
            the body was not read because of a fault or a refusal. It is also None if the body was refused because
            of a header, such as Content-MD5 or Content-Length.
    """

    method: str
    url: str
    headers: Headers
    body: RecordedBody | None

    @property
    def url_to_show(self) -> str:
        """The URL without the values of parameters that carry credentials."""
        return hide_parameters(self.url)

    @property
    def body_to_show(self) -> RecordedBody | None:
        """The body without credentials."""
        return _body_to_show(self.body)

    def __repr__(self) -> str:
        return (
            f"RecordedRequest(method={self.method!r}, url={self.url_to_show!r}, headers={self.headers!r},"
            f" body={self.body_to_show!r})"
        )


class RecordedReply(NamedTuple):
    """A reply as it was sent. Its representation hides signatures and tokens that an error repeats.

    Attributes:
        status: The status.
        headers: The headers. Their names are compared without regard to case.
        body: The body, or a :class:`BodyDigest` of a large or sparse body.
    """

    status: int
    headers: Headers
    body: RecordedBody

    @property
    def body_to_show(self) -> RecordedBody | None:
        """The body without credentials."""
        return _body_to_show(self.body)

    def __repr__(self) -> str:
        return f"RecordedReply(status={self.status}, headers={self.headers!r}, body={self.body_to_show!r})"


class Exchange(NamedTuple):
    """A request and its reply. Two exchanges are never equal, even if they have the same contents.

    Example:
        >>> store = FakeStore(buckets=["photos"])
        >>> store.handle(Request.to_url("GET", store.url("photos", "cat.jpg"))).status
        403
        >>> store.exchanges[-1].error_code
        'AccessDenied'

    Attributes:
        request: The request as it was sent.
        reply: The reply as it was sent. None if the connection failed, or if the client raised an error while it sent
            the body.
        operation: The name of the operation, for example ``PUT Object``. None if the store could not read the URL, or
            has no operation for the method and the query.
        api_name: The name of the operation in the S3 API, for example ``PutObject``. None if the operation has no name
            there, or if :attr:`operation` is None.
        account: The account that signed the request. None if the request was anonymous, or if an error or a fault
            ended it before the store accepted its credentials.
        bucket: The bucket that the request names, or None.
        key: The key that the request names, or None.
        version_id: The id of the version or delete marker that the request added, read, changed or named, or None.
        created: The versions and delete markers that the request added.
        removed: The versions and delete markers that the request deleted permanently. A version that a PUT replaced is
            not among them.
        truncated_after: The number of items in the page of a listing, if the listing continues after this page;
            otherwise None.
        error_code: The code of the error in the reply, or None.
        explanation: Why the store refused the request, or what a deletion did not find, in plain words. It is not a
            part of the reply.
        fault: The planned fault that acted on the request, or None.
        ignored: The names of query parameters and form fields that the store ignored.
        interim: The interim statuses that were sent before the reply: ``(100,)``, or ``()`` if there was none, or if a
            fault ended the request before its body was read.
        time: When the request arrived, in UTC.
        thread: The name of the thread that answered the request.
        has_api_names: Whether reports use the names of operations in the S3 API first, as in the dialect S3.
    """

    request: RecordedRequest
    reply: RecordedReply | None
    time: datetime
    operation: str | None = None
    api_name: str | None = None
    account: Account | None = None
    bucket: str | None = None
    key: str | None = None
    version_id: str | None = None
    created: tuple[EntryId, ...] = ()
    removed: tuple[EntryId, ...] = ()
    truncated_after: int | None = None
    error_code: str | None = None
    explanation: str | None = None
    fault: Fault | None = None
    ignored: tuple[str, ...] = ()
    interim: tuple[int, ...] = ()
    thread: str = ""
    has_api_names: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        # A tuple has its own, which compares the contents.
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    @property
    def client(self) -> str | None:
        """The client library as it names itself, for example ``"python-requests/2.32.3"``, or None."""
        return (self.request.headers.get("User-Agent") or "").partition(" ")[0] or None

    @property
    def status(self) -> int | None:
        """The status of the reply; None if :attr:`reply` is None."""
        return None if self.reply is None else self.reply.status

    @property
    def title(self) -> str:
        """Both names of the operation; the method if it has no operation.

        The first name is the one of the specification, as in ``PUT Object (PutObject)``, or in S3 the name in the S3
        API, as in ``PutObject (PUT Object)``.
        """
        name = self.operation or self.request.method
        if self.api_name is None:
            return name
        return f"{self.api_name} ({name})" if self.has_api_names else f"{name} ({self.api_name})"

    @property
    def resource(self) -> str:
        """The bucket, the key and the query, decoded and without credentials, for a person to read.

        If :attr:`operation` is None, it is the URL without the scheme.
        """
        url = self.request.url_to_show
        if self.operation is None:
            return url.partition("://")[2]
        _, mark, query = url.partition("?")
        names = "/".join(name for name in (self.bucket, self.key) if name is not None)
        # The name of a parameter that carries credentials may be encoded.
        return names + hide_parameters(unquote(mark + query))

    def __str__(self) -> str:
        request = f"{self.title} {self.resource}".rstrip()
        line = f"{request} -> {'no answer' if self.status is None else self.status}"
        if self.error_code:
            line += f" {self.error_code}"
        if self.account is not None:
            line += f" (as {self.account})"
        if self.fault is not None:
            line += f" [{self.fault!r}]"
        line = ", ".join([line, *self._effects()])
        return escaped(f"{line}: {self.explanation}" if self.explanation else line)

    def _effects(self) -> Iterator[str]:
        """Yield texts: the size of the content, the end of a truncated listing, what was created, removed, ignored."""
        if self.request.body:
            yield f"sent {counted(recorded_size(self.request.body), 'byte')}"
        elif self.reply is not None and self.reply.body and self.error_code is None:
            yield f"received {counted(recorded_size(self.reply.body), 'byte')}"
            if self.truncated_after is not None:
                yield f"truncated after {counted(self.truncated_after, 'item')}"
        for verb, entries in (("created", self.created), ("removed", self.removed)):
            if entries:
                yield f"{verb} {describe_versions(entries)}"
        if self.ignored:
            yield f"ignored {some_of(self.ignored)}"

    def __repr__(self) -> str:
        return f"<Exchange {self}>"


def exchange_of(call: PipelineCall, explanation: str | None, fault: Fault | None) -> Exchange:
    """Return the exchange of a request that is over."""
    result, address, requester = call.result, call.address, call.requester
    operation = getattr(call, "operation", None)  # it is not set if the store has no operation for the request
    sent = None if call.body is None else record_body(call.body.content, call.body.etag)
    embedded = None if fault is None else fault.embedded_error
    error = embedded if call.error is None else call.error
    received = call.received
    created, removed, _ = ids_of_changes(result.changes) if result.changes else ((), (), ())
    return Exchange(
        request=RecordedRequest(received.method, received.url, received.headers, sent),
        reply=_record_reply(call, fault),
        time=call.now,
        operation=None if operation is None else operation.name,
        api_name=None if operation is None else operation.api_name,
        account=requester if isinstance(requester, Account) else None,
        bucket=address.bucket,
        key=address.key,
        version_id=result.version_id or call.version_id,
        created=created,
        removed=removed,
        truncated_after=result.truncated_after,
        error_code=None if error is None else error.code,
        explanation=explanation,
        fault=fault,
        ignored=call.ignored,
        interim=call.interim,
        thread=current_thread().name,
        has_api_names=call.dialect.api_version is not None,  # SDKs call the service
    )


def _record_reply(call: PipelineCall, fault: Fault | None) -> RecordedReply | None:
    delivery = call.delivery
    if not isinstance(delivery, Delivery):
        return None
    reply, truncate_at = delivery.reply, delivery.truncate_at
    body = reply.body[:truncate_at]
    # The entity tag is known if the body is sent as it is stored. A fault can only truncate sparse content.
    unchanged = fault is None or (sparse_size(body) > 0 and truncate_at is None)
    etag = call.result.content_tag if unchanged and reply.body else None
    return RecordedReply(reply.status, reply.headers, record_body(body, etag))


class Exchanges(list[Exchange]):
    """Exchanges in the order of their replies. ``dropped`` is the number of older exchanges that were dropped."""

    def __init__(self, exchanges: Iterable[Exchange] = (), *, dropped: int = 0) -> None:
        super().__init__(exchanges)
        self.dropped = dropped

    def __repr__(self) -> str:
        lines = "".join(f"\n  {exchange}" for exchange in self)
        older = f" ({counted(self.dropped, 'older one')} dropped)" if self.dropped else ""
        return f"<{counted(len(self), 'exchange')}{older}{lines}>"


class UninterceptedRequest(NamedTuple):
    """A request of this process to a host of the store, whose client is not intercepted.

    The store did not get the request. The client got an error with the explanation.

    Attributes:
        host: The host to which the client wanted to connect.
        explanation: Why the request did not reach the store, and what to do.
        time: When the client tried to connect, in UTC.
    """

    host: str
    explanation: str
    time: datetime

    def __str__(self) -> str:
        return escaped(f"not intercepted: {self.explanation}")


#: An entry of the journal that is not an exchange.
Note = LifecycleEffect | SentEvent | UninterceptedRequest
#: An entry of the journal.
JournalEntry = Exchange | Note


class Journal:
    """The latest exchanges and the latest notes of a store, at most `size` of each.

    Older exchanges are dropped and counted.
    """

    def __init__(self, size: int) -> None:
        self._kept: deque[Exchange] = deque(maxlen=size)
        #: The notes, each with the number of exchanges before it.
        self._notes: deque[tuple[int, Note]] = deque(maxlen=size)
        self._dropped = 0
        self._dropped_operations: set[str | None] = set()
        self._lock = new_lock()

    def add(self, exchange: Exchange) -> None:
        """Append an exchange, and drop the oldest one if the journal is full."""
        with self._lock:
            if len(self._kept) == self._kept.maxlen:
                self._dropped += 1
                self._dropped_operations.add((self._kept[0] if self._kept else exchange).operation)
            self._kept.append(exchange)

    def add_note(self, note: Note) -> None:
        with self._lock:
            self._notes.append((self._dropped + len(self._kept), note))

    def entries(self) -> list[JournalEntry]:
        """Return the exchanges and the notes that are kept, in order."""
        with self._lock:
            numbered: list[tuple[int, JournalEntry]] = [*enumerate(self._kept, self._dropped + 1), *self._notes]
        return [entry for _, entry in sorted(numbered, key=itemgetter(0))]

    def exchanges(self) -> Exchanges:
        with self._lock:
            return Exchanges(self._kept, dropped=self._dropped)

    def matching(self, operation: str | None, bucket: str | None, key: str | None) -> Exchanges:
        """Return the exchanges that match every criterion that is not None."""
        with self._lock:
            exchanges = self.exchanges()
            may_be_dropped = operation in self._dropped_operations or (operation is None and exchanges.dropped)
        if may_be_dropped:
            raise RuntimeError(
                f"the journal has dropped {counted(exchanges.dropped, 'exchange')} that may match, because it keeps"
                f" only the latest {len(exchanges):,}; keep more with fake_store(journal_size=...)"
            )
        return Exchanges(
            (
                exchange
                for exchange in exchanges
                if operation in (None, exchange.operation)
                and bucket in (None, exchange.bucket)
                and key in (None, exchange.key)
            ),
            dropped=exchanges.dropped,
        )

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._notes.clear()
            self._dropped = 0
            self._dropped_operations.clear()


_Error = TypeVar("_Error", bound=BaseException)


class KeptErrors(list[_Error]):
    """Errors that are raised when a store is left, at most :data:`KEPT_ERRORS` of one kind.

    A new error removes the tracebacks of earlier errors, because they would keep the bodies of their requests alive.
    """

    def append(self, error: _Error) -> None:
        for earlier in self:
            earlier.__traceback__ = None
        if len(self) < KEPT_ERRORS:
            super().append(error)
