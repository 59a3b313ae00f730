"""The call: one request on its way through the store, with the results of the steps so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from fakestore.errors import ErrorResponse
from fakestore.http.message import ConnectionFailure, Delivery, Request
from fakestore.locks import Turns
from fakestore.model.accounts import ANONYMOUS, Account, Requester, owning_account
from fakestore.model.bucket import BucketRecord
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.policy import KnownActions
from fakestore.model.semantics import Limits, Semantics
from fakestore.model.state import State
from fakestore.operations.framework.result import OK, Result
from fakestore.protocol.addressing import Address, Endpoint
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.auth.payload import PLAIN, Payload
from fakestore.protocol.auth.scheme import SignatureProperties
from fakestore.protocol.dialect import Dialect

_NO_NAMES = FrozenMapping({})

#: Stands for an address that is not read yet, or invalid.
_NO_ADDRESS = Address(None, None, {}, "")


class ReplyIds(NamedTuple):
    """The two ids that every reply carries: 16 and 64 hexadecimal digits."""

    request_id: str
    id_2: str


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """One request, from its arrival to its reply. Each step fills in its results; operations only read.

    Args:
        received: The request as it arrived.
        now: The time of its arrival, in UTC. Every date of the reply agrees with it.
        ids: The ids of the reply.
        dialect: The names of the service.
        limits: The sizes that the service accepts.
        state: The accounts and buckets of the store. An operation runs while no other thread uses the store.
        endpoint: The hosts of the store.
        home_region: The region of the store.
        authenticator: Finds the account that signed the request.
        operations: The table of operations, a value of `Operations`.
        turns: The turns in which threads use the store.
        named: What the request names, with the credentials of a presigned URL; None if the address is invalid.
        request: The request that the operation sees, without the credentials of a presigned URL. If the body begins
            with fields, it is the upload that the body stands for: the fields are the headers.
        address: What this request names.
        headers: All headers of this request, by their names in lower case.
        service_headers: The dialect's headers of this request, by their names without prefix.
        ignored: The names of parameters and fields that the store ignores.
        reply_headers: Standard headers that the reply has, whether or not the request is refused; None if it has none.
        entry: The operation in the table, a value of `Entry`.
        fields: The fields at the beginning of the body, by lower-case name; None if it has none.
        requester: The account that signed the request, or an anonymous requester.
        payload: How the body is decoded and checked.
        signature: How the request is signed; None if the requester is anonymous.
        guards: The guards of the operation, with the headers that they have read.
        bucket: The bucket; None if the operation needs none.
        parameters: The parameters that the row declares.
        preconditions: The preconditions that the row declares.
        source_headers: The headers that name the source; None if the row declares no source.
        source: The source that these headers name.
        first_turn: The number of the turn in which the request was checked, if its body is read after it.
        interim: The interim statuses that were sent before the reply: ``(100,)`` or none.
        body: The body, if it was read.
        document: The document in the body, if it was read.
        perform: What is called instead of the function of the operation; None if nothing replaces it.
        fault: The planned fault that acted on the request, or None.
        result: What the operation returned.
        error: The error that answers the request, or None.
        client_error: The exception that reading the client's body raised, as text. The request then has no reply.
        delivery: The reply and how it is delivered, or how the connection fails; None until then.
    """

    received: Request
    now: datetime
    ids: ReplyIds
    dialect: Dialect
    limits: Limits
    state: State
    endpoint: Endpoint
    home_region: str
    authenticator: Authenticator
    operations: Any
    turns: Turns
    # -- the address and the operation
    request: Request
    named: Address | None = None
    address: Address = _NO_ADDRESS
    headers: Mapping[str, str] = _NO_NAMES
    service_headers: Mapping[str, str] = _NO_NAMES
    ignored: tuple[str, ...] = ()
    reply_headers: Mapping[str, str] | None = None
    entry: Any = None
    fields: Mapping[str, str] | None = None
    # -- the requester
    requester: Requester = ANONYMOUS
    payload: Payload = PLAIN
    signature: SignatureProperties | None = None
    # -- what the row declares
    guards: Sequence[Any] = ()
    bucket: BucketRecord | None = None
    parameters: Any = None
    preconditions: Any = None
    source_headers: Any = None
    source: Any = None
    first_turn: int | None = None
    interim: tuple[int, ...] = ()
    body: Any = None
    document: object = None
    # -- the answer
    perform: Callable[[Call], Result] | None = None
    fault: Any = None
    result: Result = OK
    error: ErrorResponse | None = None
    client_error: str | None = None
    delivery: Delivery | ConnectionFailure | None = None

    @property
    def owner(self) -> Account:
        """The owner of new objects and buckets."""
        return owning_account(self.requester)

    @property
    def bucket_name(self) -> str:
        """The name of the request's bucket; only for operations on buckets and objects."""
        assert self.address.bucket is not None
        return self.address.bucket

    @property
    def key(self) -> str:
        """The key of the request's object; only for operations on objects."""
        assert self.address.key is not None
        return self.address.key

    @property
    def version_id(self) -> str | None:
        """The version that the query names."""
        return self.address.version_id

    @property
    def query(self) -> Mapping[str, str]:
        """The query parameters, decoded."""
        return self.address.query

    @property
    def region(self) -> str:
        """The region of the host to which the request was sent."""
        return self.endpoint.region_of_host(self.request.host) or self.home_region

    @property
    def semantics(self) -> Semantics:
        """The decisions of the dialect in which services differ."""
        return self.dialect.semantics

    @property
    def actions(self) -> KnownActions:
        """The actions of the policy language that the service has."""
        actions: KnownActions = self.operations.actions
        return actions
