"""Random buckets, listed page by page, against one line over the sorted keys."""

from __future__ import annotations

from urllib.parse import unquote

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from fakestore import FakeStore, ObjectVersion

# Few characters, so that keys share prefixes; at the ends of what UTF-8, UTF-16 and XML know.
TEXT = st.text("a/b-+% é&\x01\ud7ff\ue000\uffee\U0001f600\U0010ffff", max_size=5)
KEYS = st.text("a/b-+% é&\x01\ud7ff\ue000\uffee\U0001f600\U0010ffff", min_size=1, max_size=5)
WRITES = st.lists(
    st.tuples(KEYS, st.sampled_from(["put", "put", "put", "delete", "enabled", "suspended"])), max_size=25
)
ASKED = {"prefix": st.just("") | TEXT, "delimiter": st.sampled_from(["", "/", "a", "--"]) | TEXT}
SIZES = st.integers(1, 8)


def expected(names, prefix, delimiter):
    """What the pages show together, in order: each name under the prefix, or once the common prefix it stands under.

    ``names`` are pairs of a key and what tells entries of one key apart.
    """

    def shown(key, entry):
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        return (key, entry) if end < 0 else (key[: end + len(delimiter)], "common prefix")

    return list(dict.fromkeys(shown(key, entry) for key, entry in names if key.startswith(prefix)))


def written(writes):
    """A store with one bucket, in which all of this was done."""
    store = FakeStore(buckets=["photos"])
    photos = store["photos"]
    for key, what in writes:
        if what == "put":
            photos.put(key)
        elif what == "delete":
            photos.delete(key)
        else:
            photos.set_versioning(what)
    return store


def pages(store, query, follow):
    """Every page, read to the end; ``follow`` gives the query of the next from the one before."""
    with store.session() as session:
        session.mount("http://", store.adapter())
        following = {}
        while following is not None:
            reply = session.get(store.url("photos"), params={"encoding-type": "url", **query, **following})
            assert reply.status_code == 200, reply.text
            listing = etree.fromstring(reply.content)
            assert len(listing.findall("*/Key")) + len(listing.findall("CommonPrefixes")) <= query["max-keys"]
            yield listing
            truncated = listing.findtext("IsTruncated") == "true"
            following = follow(listing) if truncated else None


def shown_on(listing, entry_of):
    """Entries and common prefixes of a page, merged into one order."""
    entries = [(unquote(each.findtext("Key")), entry_of(each)) for each in listing if each.find("Key") is not None]
    common = [(unquote(each.findtext("Prefix")), "common prefix") for each in listing.findall("CommonPrefixes")]
    return sorted(entries + common, key=lambda shown: shown[0].encode())


def objects_by(store, prefix, delimiter):
    names = [(key, "object") for key in sorted(store["photos"], key=str.encode)]
    return expected(names, prefix, delimiter)


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, size=SIZES, **ASKED)
def test_version_1_shows_each_key_once_in_order(writes, size, prefix, delimiter):
    store = written(writes)

    def follow(listing):
        # Without a delimiter a client goes on behind the last key of the page.
        told = listing.findtext("NextMarker") if delimiter else listing.findall("Contents/Key")[-1].text
        return {"marker": unquote(told)}

    query = {"prefix": prefix, "delimiter": delimiter, "max-keys": size}
    shown = [each for page in pages(store, query, follow) for each in shown_on(page, lambda _: "object")]
    assert shown == objects_by(store, prefix, delimiter)


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, size=SIZES, **ASKED)
def test_version_2_shows_each_key_once_in_order(writes, size, prefix, delimiter):
    store = written(writes)

    def follow(listing):
        return {"continuation-token": listing.findtext("NextContinuationToken")}

    query = {"list-type": "2", "prefix": prefix, "delimiter": delimiter, "max-keys": size}
    shown = [each for page in pages(store, query, follow) for each in shown_on(page, lambda _: "object")]
    assert shown == objects_by(store, prefix, delimiter)


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, size=SIZES, **ASKED)
def test_the_listing_of_versions_shows_each_once_and_one_latest_of_each_key(writes, size, prefix, delimiter):
    store = written(writes)
    entries = sorted(store["photos"].versions(), key=lambda entry: entry.key.encode())
    names = []
    for place, entry in enumerate(entries):
        latest = place == 0 or entries[place - 1].key != entry.key
        kind = "Version" if isinstance(entry, ObjectVersion) else "DeleteMarker"
        names.append((entry.key, (kind, entry.version_id, "true" if latest else "false")))

    def follow(listing):
        marker = {"key-marker": unquote(listing.findtext("NextKeyMarker"))}
        version_id = listing.findtext("NextVersionIdMarker")
        return marker if version_id is None else marker | {"version-id-marker": version_id}

    query = {"versions": "", "prefix": prefix, "delimiter": delimiter, "max-keys": size}
    shown = [
        each
        for page in pages(store, query, follow)
        for each in shown_on(page, lambda entry: (entry.tag, entry.findtext("VersionId"), entry.findtext("IsLatest")))
    ]
    assert shown == expected(names, prefix, delimiter)


@settings(max_examples=60, deadline=None)
@given(keys=st.lists(KEYS, max_size=15), marker=TEXT, **ASKED)
def test_any_marker_begins_behind_itself_and_behind_the_common_prefix_it_stands_in(keys, marker, prefix, delimiter):
    store = written((key, "put") for key in keys)
    session = store.session()
    session.mount("http://", store.adapter())
    query = {"prefix": prefix, "delimiter": delimiter, "marker": marker, "encoding-type": "url"}
    listing = etree.fromstring(session.get(store.url("photos"), params=query).content)
    behind = [(key, "object") for key in sorted(set(keys), key=str.encode) if key.encode() > marker.encode()]
    skipped = expected([(marker, "object")], prefix, delimiter)
    assert shown_on(listing, lambda _: "object") == [
        each for each in expected(behind, prefix, delimiter) if each not in skipped
    ]
