"""The exception for requests that the fake does not support."""

from __future__ import annotations


class UnsupportedRequest(AssertionError):
    """The request asks for something that the fake does not support.

    It is raised at the line that sent the request. If the code under test catches it, it is raised again when the store
    is left, unless the test removes it from ``store.unhandled_requests``. The message names the unsupported feature and
    the alternative.
    """
