"""The namespace of documents that are answered: the dialect's on every root, if it has one, and on no error."""

from __future__ import annotations

import pytest
from lxml import etree

from fakestore import Dialect, fake_store

NAMESPACE = "http://documents.test/2006/"
LIFECYCLE = (
    "<LifecycleConfiguration><Rule><ID>r</ID><Prefix/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration>"
    "</Rule></LifecycleConfiguration>"
)
DELETE = "<Delete><Object><Key>b</Key></Object></Delete>"

ASKED = {
    "ListAllMyBucketsResult": lambda store, session: session.get(store.base_url),
    "ListBucketResult": lambda store, session: session.get(store.url("photos")),
    "ListVersionsResult": lambda store, session: session.get(store.url("photos", versions=None)),
    "LocationConstraint": lambda store, session: session.get(store.url("photos", location=None)),
    "VersioningConfiguration": lambda store, session: session.get(store.url("photos", versioning=None)),
    "LifecycleConfiguration": lambda store, session: session.get(store.url("photos", lifecycle=None)),
    "AccessControlPolicy": lambda store, session: session.get(store.url("photos", "a", acl=None)),
    "CopyObjectResult": lambda store, session: session.put(
        store.url("photos", "b"), headers={"x-svc-copy-source": "/photos/a"}
    ),
    "DeleteResult": lambda store, session: session.post(store.url("photos", delete=None), data=DELETE),
    "Error": lambda store, session: session.get(store.url("photos", "missing")),
}


@pytest.mark.parametrize("namespace", [None, NAMESPACE])
@pytest.mark.parametrize("name", ASKED)
def test_a_document_that_is_answered_has_the_namespace_of_the_dialect(name, namespace):
    with fake_store(buckets=["photos"], dialect=Dialect(xml_namespace=namespace)) as store:
        store["photos"].put("a")
        session = store.session()
        session.put(store.url("photos", lifecycle=None), data=LIFECYCLE).raise_for_status()
        root = etree.fromstring(ASKED[name](store, session).content)
    expected = None if name == "Error" else namespace
    assert (etree.QName(root).namespace, etree.QName(root).localname) == (expected, name)
