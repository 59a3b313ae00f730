"""Signing requests as an account of the store."""

from __future__ import annotations

from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from fakestore.clients.requests.convert import is_for, request_of
from fakestore.model.accounts import Account
from fakestore.model.errors import ErrorResponse
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.addressing import parse_address
from fakestore.service.service import Service


class Signer(AuthBase):
    """Adds ``Date`` where neither it nor the dialect's own date header is there, and ``Authorization``.

    Requests to other hosts are left as they are.
    """

    def __init__(self, service: Service, account: Account) -> None:
        self._service = service
        self._account = account

    def __call__(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        service = self._service
        url = urlsplit(str(prepared.url))
        if not is_for(service.endpoint, url.scheme, url.netloc):
            return prepared
        request, _ = request_of(prepared)
        try:
            address = parse_address(request, service.endpoint)
        except (ErrorResponse, UnsupportedRequest):
            # Nothing can be signed; the store says so when the request is sent.
            return prepared
        prepared.headers.update(service.sign(request, address, self._account))
        return prepared
