"""What a copy that is refused tells, what it does not look at, and conditions of writes that are not taken."""

from __future__ import annotations

import pytest

from fakestore import UnsupportedRequest
from tests.spec.arrange import own_headers, put_fields, wire


def error_of(store):
    return store.exchanges[-1].status, store.exchanges[-1].error_code


@pytest.mark.parametrize(
    ("named", "refused"), [(False, (404, "NoSuchKey")), (True, (400, "InvalidRequest"))], ids=["on top", "named"]
)
def test_a_refused_copy_does_not_tell_the_sources_delete_marker(store, session, named, refused):
    store["kept"].put("cat", b"meow")
    marker = store["kept"].delete("cat")
    source = "/kept/cat" + (f"?versionId={marker.version_id}" if named else "")
    answer = session.put(store.url("kept", "copy"), headers={"x-svc-copy-source": source})
    assert error_of(store) == refused
    assert {name for name in own_headers(answer) if name.startswith("x-svc-")} == set()


UNUSED = {
    "expires that is none": {"Expires": "Sat, 21 Nov 2026 12:00:00 GMT"},
    "metadata over its limit": {"x-svc-meta-a": "a" * 3000},
}
of_unused = pytest.mark.parametrize("headers", UNUSED.values(), ids=UNUSED)


@of_unused
@pytest.mark.parametrize("directive", [{}, {"x-svc-metadata-directive": "COPY"}], ids=["default", "COPY"])
def test_metadata_that_is_not_used_is_not_looked_at(store, session, headers, directive):
    before = store["photos"].put("cat", b"meow", metadata={"name": "Felix"}, expires=7)
    session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat", **directive, **headers})
    copy = store["photos"]["copy"]
    assert (copy.metadata, copy.expires) == (before.metadata, before.expires)


@of_unused
def test_metadata_that_replaces_is_looked_at(store, session, headers):
    store["photos"].put("cat", b"meow")
    directive = {"x-svc-copy-source": "/photos/cat", "x-svc-metadata-directive": "REPLACE"}
    assert session.put(store.url("photos", "copy"), headers={**directive, **headers}).status_code == 400


def test_the_header_section_is_limited_whatever_is_used_of_it(store, session):
    store["photos"].put("cat", b"meow")
    session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat", "x-svc-meta-a": "a" * 9000})
    assert error_of(store) == (400, "RequestHeaderSectionTooLarge")


@pytest.mark.parametrize("value", ["*", '"x", *', '*, "x"', '"x",*,"y"', "x ,*"])
def test_if_match_with_a_star_is_not_implemented_wherever_it_stands(store, value):
    store["photos"].put("cat", b"meow")
    wire(store, "PUT", "photos", "/cat", put_fields(b"", ("If-Match", value)))
    assert error_of(store) == (501, "NotImplemented")


@pytest.mark.parametrize("name", ["grant-read", "grant-write", "grant-read-acp", "grant-write-acp"])
def test_grants_are_taken_with_a_put_as_with_a_copy(store, alice, name):
    header = ("x-svc-" + name, f'id="{alice.id}"')
    wire(store, "PUT", "photos", "/cat", put_fields(b"", header))
    store["photos"].put("source")
    wire(store, "PUT", "photos", "/copy", [("x-svc-copy-source", "/photos/source"), header])
    assert store["photos"]["cat"].acl == store["photos"]["copy"].acl


@pytest.mark.parametrize("name", ["Content-Range", "content-range"])
@pytest.mark.parametrize("copied", [False, True], ids=["PUT", "copy"])
def test_a_part_of_an_object_is_never_stored_as_the_whole(store, name, copied):
    store["photos"].put("cat", b"meow")
    more = [("x-svc-copy-source", "/photos/cat")] if copied else []
    with pytest.raises(UnsupportedRequest, match="'content-range' is not modelled"):
        wire(store, "PUT", "photos", "/part", [("Content-Length", "0"), (name, "bytes 0-3/10"), *more])
    store.unhandled_requests.clear()
    assert list(store["photos"]) == ["cat"]


@pytest.mark.parametrize("name", ["Digest", "Content-Digest", "Repr-Digest"])
def test_a_digest_that_nothing_checks_is_not_passed_over(store, name):
    with pytest.raises(UnsupportedRequest, match=f"PUT Object: the header '{name.lower()}' is not modelled"):
        wire(store, "PUT", "photos", "/cat", [("Content-Length", "0"), (name, "sha-256=:AAAA:")])
    store.unhandled_requests.clear()
    assert list(store["photos"]) == []


@pytest.mark.parametrize("bad_digest", ["AAAA", "1B2M2Y8AsgTpgAmY7PhCfg==", "AAAAAAAAAAAAAAAAAAAAAA=="])
def test_content_md5_means_nothing_where_no_body_is_read(store, bad_digest):
    store["photos"].put("cat", b"meow")
    md5 = ("Content-MD5", bad_digest)
    statuses = [
        wire(store, "PUT", "photos", "/copy", [("x-svc-copy-source", "/photos/cat"), md5]).status,
        wire(store, "GET", "photos", "/cat", [md5]).status,
        wire(store, "DELETE", "photos", "/cat", [md5]).status,
    ]
    assert statuses == [200, 200, 204]


@pytest.mark.parametrize("date", ["Sun, 21 Nov 2026 12:00:00 GMT", "Sat, 21 Nov 2026 12:00:00", "21 Nov 2026 12:00:00"])
def test_a_date_without_zone_or_of_another_weekday_is_a_date(store, noon, date):
    key = store.default_account.access_key_id
    fields = [("Date", date), ("Authorization", f"SVC {key}:signature")]
    assert wire(store, "GET", "photos", "/", fields, signed=False).status == 200


def test_a_path_that_names_nothing_is_told_before_it_is_asked_who_asks(store):
    wire(store, "GET", "photos", "/%ff", signed=False)
    assert error_of(store) == (400, "InvalidURI")


def test_an_mfa_header_over_http_is_told_before_the_bucket_is_looked_for(store):
    wire(store, "GET", "nosuch", "/cat", [("x-svc-mfa", "1 2")])
    assert error_of(store) == (403, "AccessDenied")
