"""Conversion of requests of `requests`."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, urlsplit

from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict

from fakestore.clients.wire import make_headers, make_request
from fakestore.http.request import Request


def split_url(prepared: PreparedRequest) -> SplitResult:
    """Return the parts of the URL of a request."""
    # With these arguments, urlsplit has the URL in its cache: requests has just parsed it, by urlparse.
    return urlsplit(str(prepared.url), "", True)


def request_of(prepared: PreparedRequest, adapter: HTTPAdapter | None = None) -> Request:
    """Return what `requests` would put on the wire.

    Args:
        prepared: The request.
        adapter: The adapter that sends it; None if it is not sent yet.

    Raises:
        TypeError: If the value of a header is not text, a buffer or an integer, as http.client raises it, or if the
            body can be neither read nor iterated, as urllib3 raises it.
        UnicodeEncodeError: If a header's name is not ASCII or its text is not ISO-8859-1, as http.client raises it.
        ValueError: If http.client refuses the name or the value of a header, or urllib3 the method.
    """
    headers: Any = prepared.headers
    if type(headers) is CaseInsensitiveDict:  # then lower_items() takes half of the time of values()
        values = [value for _, value in headers.lower_items()]
    else:  # an application has replaced them, for example by a plain dictionary
        values = list(headers.values())
    url = split_url(prepared)
    if adapter is not None and url.path.startswith("//"):  # the adapters of some versions send the slashes as one
        url = url._replace(path=adapter.request_url(prepared, {}).partition("?")[0])
    return make_request(prepared.method or "GET", url, make_headers(headers, values), prepared.body)
