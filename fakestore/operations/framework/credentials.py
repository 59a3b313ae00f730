"""Where a request has its credentials, and who sent it."""

from __future__ import annotations

from typing import ClassVar

from fakestore.model.accounts import ANONYMOUS
from fakestore.operations.framework.call import Call
from fakestore.protocol.auth.scheme import Authentication


class Credentials:
    """The credentials of a request are in its headers or its query. A subclass has them elsewhere, or needs none."""

    #: Whether the headers that the operation reads are in fields of the body.
    headers_in_fields: ClassVar[bool] = False

    @staticmethod
    def read_fields(call: Call) -> None:
        """Read the fields at the beginning of the body, if it has some."""

    @staticmethod
    def authenticate(call: Call, region: str | None) -> Authentication:
        """Return who sent a request, and how its body is decoded.

        Args:
            region: The region that the scope of a signature must name; None for any.
        """
        body = call.operation.body
        return call.service.authenticator.authenticate(
            call.received,
            call.received_address,
            call.state.accounts,
            call.now,
            region,
            accepts_chunks=body is not None and body.is_stored,
        )


class NoCredentials(Credentials):
    """A request needs no credentials. If it has some, they are not checked."""

    @staticmethod
    def authenticate(call: Call, region: str | None) -> Authentication:
        return Authentication(ANONYMOUS)
