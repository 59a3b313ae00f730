"""The pages of random buckets together show each entry once, in order: they are compared with the sorted keys."""

from __future__ import annotations

from urllib.parse import unquote_plus

from hypothesis import given, settings
from hypothesis import strategies as st

from fakestore import FakeStore
from tests.support.wire import document, request

# Few characters, so that keys share prefixes; at the ends of what UTF-8, UTF-16 and XML know.
TEXT = st.text("a/b-+% é&\x01\ud7ff\ue000\uffee\U0001f600\U0010ffff", max_size=5)
KEYS = st.text("a/b-+% é&\x01\ud7ff\ue000\uffee\U0001f600\U0010ffff", min_size=1, max_size=5)
WRITES = st.lists(
    st.tuples(KEYS, st.sampled_from(["put", "put", "put", "delete", "enabled", "suspended"])), max_size=25
)
QUERIES = {"prefix": st.just("") | TEXT, "delimiter": st.sampled_from(["", "/", "a", "--"]) | TEXT}
SIZES = st.integers(1, 8)


def expected(entries, prefix, delimiter):
    """Return what the pages show together, in order: entries under the prefix, and each common prefix once.

    `entries` are pairs of a key and what is shown of it.
    """

    def shown(key, entry):
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        return (key, entry) if end < 0 else (key[: end + len(delimiter)], "common prefix")

    return list(dict.fromkeys(shown(key, entry) for key, entry in entries if key.startswith(prefix)))


def written(writes):
    """Return a store with one bucket to which this was written, and the ids under each key, newest first."""
    store = FakeStore(buckets=["photos"])
    photos = store["photos"]
    stacks = {}
    for key, what in writes:
        if what in ("enabled", "suspended"):
            photos.versioning = what
            continue
        made = photos.put(key) if what == "put" else photos.delete(key)
        # A simple DELETE removes the null version, and so does a write that becomes the null version.
        removed = made.version_id if what == "put" else "null"
        stack = [each for each in stacks.get(key, []) if each[1] != removed]
        stacks[key] = [("Version" if what == "put" else "DeleteMarker", made.version_id), *stack] if made else stack
    return store, {key: stacks[key] for key in sorted(stacks, key=str.encode) if stacks[key]}


def pages(store, query, following):
    """Yield every page; `following` returns the query of the next one."""
    marker = {}
    while marker is not None:
        reply = request(store, "GET", "photos", encoding_type="url", **query, **marker)
        assert reply.status == 200
        listing = document(reply)
        yield listing
        marker = following(listing) if listing.findtext("IsTruncated") == "true" else None


def shown_on(listing, entry_of=lambda _: "object"):
    """Return the entries of a page and its common prefixes, each in the order of the document."""
    entries = [(unquote_plus(each.findtext("Key")), entry_of(each)) for each in listing if each.find("Key") is not None]
    common = [(unquote_plus(each.findtext("Prefix")), "common prefix") for each in listing.findall("CommonPrefixes")]
    return entries, common


def cut(together, size):
    """Split what is shown into full pages and a last one, the only one that may be empty."""
    parts = [together[start : start + size] for start in range(0, len(together), size)] or [[]]
    return [
        ([each for each in part if each[1] != "common prefix"], [each for each in part if each[1] == "common prefix"])
        for part in parts
    ]


def objects_of(stacks):
    return [(key, "object") for key, stack in stacks.items() if stack[0][0] == "Version"]


def assert_pages_are_cut(store, stacks, query, following):
    """Assert that the pages show the current objects in order, each page as full as the query allows."""
    shown = [shown_on(page) for page in pages(store, query, following)]
    assert shown == cut(expected(objects_of(stacks), query["prefix"], query["delimiter"]), query["max_keys"])


@settings(max_examples=60)
@given(writes=WRITES, size=SIZES, **QUERIES)
def test_version_1_shows_each_key_once_in_order(writes, size, prefix, delimiter):
    store, stacks = written(writes)

    def following(listing):
        # Without a delimiter a client continues after the last key of the page.
        last = listing.findtext("NextMarker") if delimiter else listing.findall("Contents/Key")[-1].text
        return {"marker": unquote_plus(last)}

    query = {"prefix": prefix, "delimiter": delimiter, "max_keys": size}
    assert_pages_are_cut(store, stacks, query, following)


@settings(max_examples=60)
@given(writes=WRITES, size=SIZES, **QUERIES)
def test_version_2_shows_each_key_once_in_order(writes, size, prefix, delimiter):
    store, stacks = written(writes)

    def following(listing):
        return {"continuation_token": listing.findtext("NextContinuationToken")}

    query = {"list_type": "2", "prefix": prefix, "delimiter": delimiter, "max_keys": size}
    assert_pages_are_cut(store, stacks, query, following)


@settings(max_examples=60)
@given(writes=WRITES, size=SIZES, **QUERIES)
def test_versions_are_shown_once_in_order_with_one_latest_per_key(writes, size, prefix, delimiter):
    store, stacks = written(writes)
    entries = [
        (key, (kind, version_id, "true" if place == 0 else "false"))
        for key, stack in stacks.items()
        for place, (kind, version_id) in enumerate(stack)
    ]

    def following(listing):
        marker = {"key_marker": unquote_plus(listing.findtext("NextKeyMarker"))}
        version_id = listing.findtext("NextVersionIdMarker")
        return marker if version_id is None else marker | {"version_id_marker": version_id}

    query = {"versions": None, "prefix": prefix, "delimiter": delimiter, "max_keys": size}
    shown = [
        shown_on(page, lambda entry: (entry.tag, entry.findtext("VersionId"), entry.findtext("IsLatest")))
        for page in pages(store, query, following)
    ]
    assert shown == cut(expected(entries, prefix, delimiter), size)


@settings(max_examples=60)
@given(keys=st.lists(KEYS, max_size=15), marker=TEXT, **QUERIES)
def test_marker_skips_itself_and_the_common_prefix_around_it(keys, marker, prefix, delimiter):
    store, stacks = written([(key, "put") for key in keys])
    query = {"prefix": prefix, "delimiter": delimiter, "marker": marker}
    listing = document(request(store, "GET", "photos", encoding_type="url", **query))
    after = [(key, entry) for key, entry in objects_of(stacks) if key.encode() > marker.encode()]
    skipped = expected([(marker, "object")], prefix, delimiter)
    [page] = cut([each for each in expected(after, prefix, delimiter) if each not in skipped], 1000)
    assert shown_on(listing) == page
