"""Refuse requests to a store after its end, if the client is known."""

from __future__ import annotations

from urllib.parse import SplitResult

import requests

from fakestore.clients.target import Reach
from fakestore.clients.unexpected import UnexpectedRequest, redacted_url
from fakestore.clients.urllib3 import active_targets
from fakestore.clients.wire import find_target, is_for


def refuse_if_left(reach: Reach, method: str | None, url: SplitResult) -> None:
    """Refuse a request to a store that was left. It could reach the real service with the credentials of the store."""
    if not reach.is_left or reach.is_mounted:
        return
    if not is_for(reach.endpoint, url.scheme, url.netloc) or find_target(active_targets(), url) is not None:
        return
    request = requests.PreparedRequest()
    request.method, request.url = method, url.geturl()
    raise UnexpectedRequest(
        f"{method} {redacted_url(url)}: the store at {reach.origin!r} was left, so it does not answer; send the request"
        " before the end of the `with` block or of the decorated function (a fixture yields its client inside the"
        " block), or mount store.adapter()",
        request=request,
    )
