"""Random buckets, listed page by page, against one line over the sorted keys."""

from __future__ import annotations

from urllib.parse import unquote

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from fakestore import FakeStore

# Few characters, so that keys share prefixes; at the ends of what UTF-8, UTF-16 and XML know.
TEXT = st.text("a/b-+% é&\x01\ud7ff\ue000\uffee\U0001f600\U0010ffff", max_size=5)
KEYS = st.text("a/b-+% é&\x01\ud7ff\ue000\uffee\U0001f600\U0010ffff", min_size=1, max_size=5)
WRITES = st.lists(
    st.tuples(KEYS, st.sampled_from(["put", "put", "put", "delete", "enabled", "suspended"])), max_size=25
)
ASKED = {"prefix": st.just("") | TEXT, "delimiter": st.sampled_from(["", "/", "a", "--"]) | TEXT}
SIZES = st.integers(1, 8)


def expected(entries, prefix, delimiter):
    """What the pages show together, in order: each entry under the prefix, or once the common prefix it stands under.

    ``entries`` are pairs of a key and what is shown of it.
    """

    def shown(key, entry):
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        return (key, entry) if end < 0 else (key[: end + len(delimiter)], "common prefix")

    return list(dict.fromkeys(shown(key, entry) for key, entry in entries if key.startswith(prefix)))


def written(writes):
    """A store with one bucket, in which all of this was done; and the ids under each key, newest first."""
    store = FakeStore(buckets=["photos"])
    photos = store["photos"]
    stacks = {}
    for key, what in writes:
        if what in ("enabled", "suspended"):
            photos.set_versioning(what)
            continue
        made = photos.put(key) if what == "put" else photos.delete(key)
        # What is deleted without an id takes the null version with it, and so does what becomes the null version.
        gone = made.version_id if what == "put" else "null"
        stack = [each for each in stacks.get(key, []) if each[1] != gone]
        stacks[key] = [("Version" if what == "put" else "DeleteMarker", made.version_id), *stack] if made else stack
    return store, {key: stacks[key] for key in sorted(stacks, key=str.encode) if stacks[key]}


def pages(store, query, follow):
    """Every page, read to the end; ``follow`` gives the query of the next from the one before."""
    with store.session() as session:
        session.mount("http://", store.adapter())
        following = {}
        while following is not None:
            reply = session.get(store.url("photos"), params={"encoding-type": "url", **query, **following})
            assert reply.status_code == 200, reply.text
            listing = etree.fromstring(reply.content)
            yield listing
            truncated = listing.findtext("IsTruncated") == "true"
            following = follow(listing) if truncated else None


def shown_on(listing, entry_of=lambda _: "object"):
    """The entries of a page and its common prefixes, each in the order of the document."""
    entries = [(unquote(each.findtext("Key")), entry_of(each)) for each in listing if each.find("Key") is not None]
    common = [(unquote(each.findtext("Prefix")), "common prefix") for each in listing.findall("CommonPrefixes")]
    return entries, common


def cut(together, size):
    """What each page shows of it: full ones, and a last one, which is the only one that may be empty."""
    parts = [together[start : start + size] for start in range(0, len(together), size)] or [[]]
    return [
        ([each for each in part if each[1] != "common prefix"], [each for each in part if each[1] == "common prefix"])
        for part in parts
    ]


def objects_of(stacks):
    return [(key, "object") for key, stack in stacks.items() if stack[0][0] == "Version"]


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, size=SIZES, **ASKED)
def test_version_1_shows_each_key_once_in_order(writes, size, prefix, delimiter):
    store, stacks = written(writes)

    def follow(listing):
        # Without a delimiter a client goes on behind the last key of the page.
        told = listing.findtext("NextMarker") if delimiter else listing.findall("Contents/Key")[-1].text
        return {"marker": unquote(told)}

    query = {"prefix": prefix, "delimiter": delimiter, "max-keys": size}
    shown = [shown_on(page) for page in pages(store, query, follow)]
    assert shown == cut(expected(objects_of(stacks), prefix, delimiter), size)


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, size=SIZES, **ASKED)
def test_version_2_shows_each_key_once_in_order(writes, size, prefix, delimiter):
    store, stacks = written(writes)

    def follow(listing):
        return {"continuation-token": listing.findtext("NextContinuationToken")}

    query = {"list-type": "2", "prefix": prefix, "delimiter": delimiter, "max-keys": size}
    shown = [shown_on(page) for page in pages(store, query, follow)]
    assert shown == cut(expected(objects_of(stacks), prefix, delimiter), size)


@settings(max_examples=60, deadline=None)
@given(writes=WRITES, size=SIZES, **ASKED)
def test_the_listing_of_versions_shows_each_once_in_order_and_one_latest_of_each_key(writes, size, prefix, delimiter):
    store, stacks = written(writes)
    entries = [
        (key, (kind, version_id, "true" if place == 0 else "false"))
        for key, stack in stacks.items()
        for place, (kind, version_id) in enumerate(stack)
    ]

    def follow(listing):
        marker = {"key-marker": unquote(listing.findtext("NextKeyMarker"))}
        version_id = listing.findtext("NextVersionIdMarker")
        return marker if version_id is None else marker | {"version-id-marker": version_id}

    query = {"versions": "", "prefix": prefix, "delimiter": delimiter, "max-keys": size}
    shown = [
        shown_on(page, lambda entry: (entry.tag, entry.findtext("VersionId"), entry.findtext("IsLatest")))
        for page in pages(store, query, follow)
    ]
    assert shown == cut(expected(entries, prefix, delimiter), size)


@settings(max_examples=60, deadline=None)
@given(keys=st.lists(KEYS, max_size=15), marker=TEXT, **ASKED)
def test_any_marker_begins_behind_itself_and_behind_the_common_prefix_it_stands_in(keys, marker, prefix, delimiter):
    store, stacks = written([(key, "put") for key in keys])
    session = store.session()
    session.mount("http://", store.adapter())
    query = {"prefix": prefix, "delimiter": delimiter, "marker": marker, "encoding-type": "url"}
    listing = etree.fromstring(session.get(store.url("photos"), params=query).content)
    behind = [(key, entry) for key, entry in objects_of(stacks) if key.encode() > marker.encode()]
    skipped = expected([(marker, "object")], prefix, delimiter)
    [page] = cut([each for each in expected(behind, prefix, delimiter) if each not in skipped], 1000)
    assert shown_on(listing) == page
