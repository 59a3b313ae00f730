"""Signing requests as an account of the store."""

from __future__ import annotations

from typing import Any

import requests
from requests.auth import AuthBase

from fakestore.clients.left import refuse_if_left
from fakestore.clients.requests.convert import request_of, split_url
from fakestore.clients.target import Target
from fakestore.clients.wire import is_for
from fakestore.model.accounts import Account
from fakestore.model.errors import ErrorResponse
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.addressing import parse_address


class Signer(AuthBase):
    """Adds ``Authorization``, and ``Date`` unless it or the dialect's own date header is present.

    Requests to other hosts are not changed. Those to a store that was left are refused.
    """

    def __init__(self, target: Target, account: Account) -> None:
        self._target = target
        self._account = account

    def __call__(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        __tracebackhide__ = True
        service = self._target.service
        url = split_url(prepared)
        if not is_for(service.endpoint, url.scheme, url.netloc):
            return prepared
        refuse_if_left(self._target.reach, prepared.method, url)
        request = request_of(prepared)
        try:
            address = parse_address(request, service.endpoint)
        except (ErrorResponse, UnsupportedRequest):
            # It cannot be signed. The store says why when the request is sent.
            return prepared
        prepared.headers.update(service.sign(request, address, self._account))
        return prepared

    def __repr__(self) -> str:
        return f"<signs as {self._account.display_name} for {self._target.service.origin}>"

    def __deepcopy__(self, memo: Any) -> Signer:
        """Return the signer itself: the copy of a session signs for the same store."""
        return self
