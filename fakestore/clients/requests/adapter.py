"""A store as a transport adapter, for a session that mounts it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from fakestore.clients.requests.convert import split_url
from fakestore.clients.requests.send import send, timeout_argument
from fakestore.clients.served import is_at_parent
from fakestore.clients.target import Target
from fakestore.clients.wire import is_for


class StoreAdapter(HTTPAdapter):
    """Answers requests to the store. Requests to other hosts are sent as by any `HTTPAdapter`."""

    def __init__(self, target: Target, max_retries: Any = 0) -> None:
        super().__init__(max_retries=max_retries)
        self._target = target

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        __tracebackhide__ = True
        url = split_url(request)
        if is_for(self._target.service.endpoint, url.scheme, url.netloc) and not is_at_parent(url):
            return send(self._target, self, request, timeout_argument(args, kwargs))
        return super().send(request, *args, **kwargs)

    def __deepcopy__(self, memo: Any) -> StoreAdapter:
        """Return an adapter of the same store: `HTTPAdapter` copies only the attributes that it knows."""
        return StoreAdapter(self._target, deepcopy(self.max_retries, memo))
