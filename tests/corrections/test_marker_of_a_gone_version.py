"""A listing of versions that continues behind a version that is gone by then."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.corrections.arrange import ask


@pytest.fixture
def fakestore_options():
    return {"buckets": {"photos": "enabled"}}


@pytest.mark.decision("marker-of-a-deleted-version")
@pytest.mark.parametrize("gone", [0, 1, 2, 3])
def test_a_listing_behind_a_gone_version_shows_the_older_ones(fakestore, gone):
    photos = fakestore["photos"]
    ids = [photos.put("cat.jpg", b"meow").version_id for _ in range(4)][::-1]  # newest first
    photos.delete_version("cat.jpg", ids[gone])

    query = {"versions": None, "key_marker": "cat.jpg", "version_id_marker": ids[gone]}
    listing = etree.fromstring(ask(fakestore, "GET", fakestore.url("photos", **query)).body)

    assert [each.text for each in listing.iter("{*}VersionId")] == ids[gone + 1 :]
