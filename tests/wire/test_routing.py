"""What a request asks for: a query says each thing once, and one thing at a time."""

from __future__ import annotations

import pytest

from fakestore import UnsupportedRequest
from tests.spec.arrange import holdings, wire


@pytest.fixture
def fakestore_options():
    return {"buckets": {"photos": "enabled"}}


def refused(store, method, target):
    """What is said of a request that is not modelled, and that left the store as it was."""
    before = holdings(store)
    with pytest.raises(UnsupportedRequest) as unsupported:
        wire(store, method, "photos", target)
    store.unhandled_requests.clear()
    assert holdings(store) == before
    return str(unsupported.value)


@pytest.mark.parametrize(
    ("method", "target", "name"),
    [
        ("GET", "/?prefix=a&prefix=b", "prefix"),
        ("GET", "/?prefix=a&prefix=a", "prefix"),
        ("GET", "/?prefix&max-keys=1&prefix", "prefix"),
        ("GET", "/?prefix=a&%70refix=b", "prefix"),
        ("GET", "/?acl&acl", "acl"),
        ("DELETE", "/cat.jpg?versionId=null&versionId=null", "versionId"),
        ("GET", "/cat.jpg?acl&versionId=null&versionId=1", "versionId"),
    ],
)
def test_a_query_parameter_that_came_twice_is_not_modelled(fakestore, method, target, name):
    fakestore["photos"].put("cat.jpg", b"meow")
    assert refused(fakestore, method, target) == (
        f"the query has the parameter {name!r} twice; what that means is not modelled"
    )


@pytest.mark.parametrize(
    ("method", "target", "named"),
    [
        ("GET", "/?acl&policy", "'acl' and 'policy'"),
        ("GET", "/?versions&acl", "'acl' and 'versions'"),
        ("GET", "/?list-type=2&versions", "'list-type' and 'versions'"),
        ("PUT", "/?versioning&lifecycle", "'lifecycle' and 'versioning'"),
        ("DELETE", "/?lifecycle&policy", "'lifecycle' and 'policy'"),
        ("POST", "/?delete&acl", "'acl' and 'delete'"),
        ("GET", "/cat.jpg?versioning&acl", "'acl' and 'versioning'"),
    ],
)
def test_two_subresources_in_one_request_are_not_modelled(fakestore, method, target, named):
    fakestore["photos"].put("cat.jpg", b"meow")
    assert refused(fakestore, method, target) == f"the query names two subresources, {named}, in one request"


@pytest.mark.parametrize(
    ("method", "target", "url"),
    [
        ("GET", "/photos/cat.jpg", "http://photos.objects.test/cat.jpg"),
        ("PUT", "/photos/a/b.jpg", "http://photos.objects.test/a/b.jpg"),
        ("GET", "/photos/", "http://photos.objects.test/"),
        ("DELETE", "/photos/cat.jpg?versionId=null", "http://photos.objects.test/cat.jpg"),
    ],
)
def test_a_bucket_in_the_path_is_not_modelled_and_told_where_it_belongs(fakestore, method, target, url):
    before = holdings(fakestore)
    with pytest.raises(UnsupportedRequest) as unsupported:
        wire(fakestore, method, None, target, [("Content-Length", "0")])
    fakestore.unhandled_requests.clear()
    assert str(unsupported.value) == (
        f"{method} {target}: path style, with the bucket in the path, is not modelled;"
        f" the bucket is named in the host: {url}"
    )
    assert holdings(fakestore) == before
