"""The call: one request on its way through the store, as guards and operations see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from fakestore.http.message import Request
from fakestore.locks import Turns
from fakestore.model.accounts import ANONYMOUS, Account, Requester, account_of
from fakestore.model.bucket import BucketRecord
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.object_version import Change
from fakestore.model.policy import ConditionValues, Policy
from fakestore.model.semantics import Limits, Semantics
from fakestore.model.state import State
from fakestore.protocol.addressing import Address, Endpoint
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.auth.scheme import PLAIN, Payload, SignatureProperties
from fakestore.protocol.dialect import Dialect

if TYPE_CHECKING:
    from fakestore.operations.framework.operation import Operation
    from fakestore.operations.framework.table import OperationTable

_NO_NAMES = FrozenMapping({})

#: Stands for an address that is not read yet, or invalid.
_NO_ADDRESS = Address(None, None, {}, "")


class ReplyIds(NamedTuple):
    """The two ids that every reply carries: 16 and 64 hexadecimal digits."""

    request_id: str
    id_2: str

    def headers(self, dialect: Dialect) -> dict[str, str]:
        """Return the headers of the dialect with the ids."""
        prefix = dialect.header_prefix
        return {f"{prefix}request-id": self.request_id, f"{prefix}id-2": self.id_2}


class Resource(NamedTuple):
    """What an access is for: an object or an upload in a bucket, or the bucket itself.

    Args:
        key: The key, with or without an object; empty for the bucket itself.
        version_id: The version that the request names.
        prefix: The prefix of a listing, if the query does not have it. [missing-keys]
    """

    key: str = ""
    version_id: str | None = None
    prefix: str | None = None

    def name(self, bucket: BucketRecord) -> str:
        """Return the resource of the policy language: ``bucket`` or ``bucket/key``."""
        return f"{bucket.name}/{self.key}" if self.key else bucket.name


class ConditionKeys(NamedTuple):
    """The values of a request for the conditions of a bucket's policy.

    Args:
        values: Returns what a request says about the keys of the policy, for an action on a resource.
        awaits_document: Returns whether the policy can decide only after the document of the request was read. The
            second argument is the shape of the document.
    """

    values: Callable[[Call, BucketRecord, str, Resource], ConditionValues]
    awaits_document: Callable[[Call, object, Policy], bool]


class CalledService(Protocol):
    """The service that answers a call, as guards and operations see it."""

    endpoint: Endpoint
    home_region: str
    authenticator: Authenticator
    turns: Turns

    def find_region(self, host: str, bucket_name: str | None) -> str | None: ...

    def note_changes(self, call: Call, bucket: BucketRecord, changes: Sequence[Change]) -> None: ...

    def find_problem(self, destination: str) -> str | None: ...

    def send_test_event(self, destination: str, call: Call, bucket: BucketRecord) -> str | None: ...


@dataclass(slots=True, eq=False, repr=False)
class Call:
    """One request, as guards and operations see it. The steps of the pipeline fill it in; operations only read it.

    Args:
        dialect: The dialect of the service.
        semantics: The decisions of the dialect in which services differ.
        state: The accounts and buckets of the store. An operation runs while no other thread uses them.
        operations: The table of operations.
        operation: The operation. It is not set until it is known.
        received: The request as it arrived.
        received_address: What `received` names. It names nothing if its address is invalid.
        now: The time of its arrival, in UTC. Every date of the reply agrees with it.
        request: The request as the operation sees it, without the credentials in a presigned URL, and without fields
            at the beginning of the body. These fields have set its key and its headers.
        address: What `request` names.
        headers: All headers of `request`, by their names in lower case.
        query: The query parameters of `request`, decoded.
        bucket_name: The name of the bucket; empty if the request names the service.
        key: The key of the object; empty if the request names no object.
        version_id: The version that the query names, or None.
        service_headers: The dialect's headers of `request`, by their names without prefix.
        ignored: The names of parameters and fields that the store ignores.
        fields: The fields at the beginning of the body, by lower-case name.
        requester: The account that signed the request, or an anonymous requester.
        payload: How its body is decoded and checked.
        signature: The values of its signature for conditions of policies; None if it has none.
        document: The document in the body, if it was read.
        interim: The interim statuses that were sent before the reply: ``(100,)`` or none.
        client_error: The exception that reading the client's body raised, as text. The request then has no reply.
    """

    service: CalledService
    dialect: Dialect
    semantics: Semantics
    limits: Limits
    state: State
    operations: OperationTable
    received: Request
    now: datetime
    ids: ReplyIds
    request: Request
    headers: Mapping[str, str]
    operation: Operation = field(init=False)
    received_address: Address = _NO_ADDRESS
    address: Address = _NO_ADDRESS
    query: Mapping[str, str] = _NO_NAMES
    bucket_name: str = ""
    key: str = ""
    version_id: str | None = None
    service_headers: Mapping[str, str] = _NO_NAMES
    ignored: tuple[str, ...] = ()
    fields: Mapping[str, str] = _NO_NAMES
    requester: Requester = ANONYMOUS
    payload: Payload = PLAIN
    signature: SignatureProperties | None = None
    document: object = None
    interim: tuple[int, ...] = ()
    client_error: str | None = None

    def replace_request(self, request: Request, address: Address) -> None:
        """Set the request that the operation sees, and what it names."""
        self.request, self.headers = request, request.headers.by_name
        self.address, self.query = address, address.query
        self.bucket_name, self.key = address.bucket or "", address.key or ""
        self.version_id = address.query.get("versionId")

    @property
    def account(self) -> Account:
        """The account of the requester. An anonymous requester has one, too."""
        return account_of(self.requester)

    @property
    def region(self) -> str:
        """The region of the host to which the request was sent, whichever bucket it names."""
        return self.service.find_region(self.request.host, None) or self.service.home_region
