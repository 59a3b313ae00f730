"""A store as a transport adapter, for one session that mounts it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

from fakestore.clients.requests.convert import is_for
from fakestore.clients.requests.send import send
from fakestore.service.service import Service


class StoreAdapter(HTTPAdapter):
    """Answers requests to the store; others go on as with any ``HTTPAdapter``."""

    def __init__(self, service: Service, max_retries: Any = 0) -> None:
        super().__init__(max_retries=max_retries)
        self._service = service

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        url = urlsplit(str(request.url))
        if is_for(self._service.endpoint, url.scheme, url.netloc):
            timeout = kwargs.get("timeout") if len(args) < 2 else args[1]
            return send(self._service, self, request, timeout)
        return super().send(request, *args, **kwargs)
