"""The context of a request: the values that operations read and do not change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from fakestore.http.request import Request
from fakestore.model.accounts import Account, Requester, owning_account
from fakestore.model.limits import Limits
from fakestore.model.policy_vocabulary import KnownActions
from fakestore.model.semantics import Semantics
from fakestore.model.state import State
from fakestore.protocol.addressing import Address, Endpoint
from fakestore.protocol.auth.payload import Payload
from fakestore.protocol.auth.scheme import SignatureProperties
from fakestore.protocol.dialect import Dialect


class ReplyIds(NamedTuple):
    """The two ids that every reply carries: 16 and 64 hexadecimal digits."""

    request_id: str
    id_2: str


class RequestContext(NamedTuple):
    """One request, with its requester, its time and the state of its store.

    Args:
        request: The request.
        address: What the request names.
        headers: All headers of the request, by their names in lower case.
        service_headers: The dialect's headers of the request, by their names without prefix.
        requester: The account that signed the request, or an anonymous requester.
        payload: How the body is decoded and checked.
        signature: How the request is signed; None if the requester is anonymous.
        now: The time of the request, in UTC and to the second. Every date of the reply agrees with it.
        ids: The ids of the reply.
        dialect: How the service names things.
        limits: The sizes that the service accepts.
        state: The accounts and buckets of the store. An operation runs while the store is locked.
        fields: The fields at the beginning of the body, by lower-case name; None if it has none. The other values are
            then those of the upload that the body stands for: the fields are the headers.
        endpoint: The hosts of the store.
        home_region: The region of the store.
        actions: The actions of the policy language that the service has.
        document: The document of the request; None if it has none, or it was not read yet.
    """

    request: Request
    address: Address
    headers: Mapping[str, str]
    service_headers: Mapping[str, str]
    requester: Requester
    payload: Payload
    signature: SignatureProperties | None
    now: datetime
    ids: ReplyIds
    dialect: Dialect
    limits: Limits
    state: State
    fields: Mapping[str, str] | None
    endpoint: Endpoint
    home_region: str
    actions: KnownActions
    document: object = None

    @property
    def owner(self) -> Account:
        """The account that owns what the request creates."""
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
