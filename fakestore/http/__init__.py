"""HTTP requests and replies as values, for :meth:`fakestore.FakeStore.handle`.

Example:
    >>> from fakestore import FakeStore
    >>> from fakestore.http import Request
    >>> store = FakeStore(buckets=["photos"])
    >>> store.handle(Request.to_url("GET", store.url("photos", "cat.jpg"))).status
    403
"""

from fakestore.http.message import Body, Headers, Reply, Request

__all__ = ["Body", "Headers", "Reply", "Request"]
