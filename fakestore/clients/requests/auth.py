"""Signing requests as an account of the store."""

from __future__ import annotations

from typing import Any

import requests
from requests.auth import AuthBase

from fakestore.clients.requests.convert import request_of, split_url
from fakestore.clients.wire import is_for
from fakestore.model.accounts import Account
from fakestore.model.errors import ErrorResponse
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.addressing import parse_address
from fakestore.service.service import Service


class Signer(AuthBase):
    """Adds ``Authorization``, and ``Date`` unless it or the dialect's own date header is present.

    Requests to other hosts are not changed.
    """

    def __init__(self, service: Service, account: Account) -> None:
        self._service = service
        self._account = account

    def __call__(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        service = self._service
        url = split_url(prepared)
        if not is_for(service.endpoint, url.scheme, url.netloc):
            return prepared
        request = request_of(prepared)
        try:
            address = parse_address(request, service.endpoint)
        except (ErrorResponse, UnsupportedRequest):
            # It cannot be signed. The store says why when the request is sent.
            return prepared
        prepared.headers.update(service.sign(request, address, self._account))
        return prepared

    def __deepcopy__(self, memo: Any) -> Signer:
        """Return the signer itself: the copy of a session signs for the same store."""
        return self
