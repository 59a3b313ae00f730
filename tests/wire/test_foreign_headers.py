"""Headers of another service's prefix, which would mean nothing: they are refused with the dialect they are of."""

from __future__ import annotations

import pytest
import requests

from fakestore import Dialect, UnsupportedRequest, fake_store
from fakestore.protocol.unsupported import foreign_prefixes


@pytest.fixture(params=["x-svc-", "x-amz-"])
def refusing(request):
    """The prefix of a store, and a function that gives the message with which it refuses a PUT of such headers."""
    with fake_store(buckets=["photos"], dialect=Dialect(header_prefix=request.param)) as store:

        def refusal(headers):
            with pytest.raises(UnsupportedRequest) as caught:
                store.session().put(store.url("photos", "cat.jpg"), data=b"meow", headers=headers)
            store.unhandled_requests.clear()
            return str(caught.value)

        yield request.param, refusal
        assert list(store["photos"]) == []


@pytest.mark.parametrize("name", ["X-Goog-Meta-A", "x-oss-object-acl", "x-obs-meta-a", "x-cos-acl", "x-bce-acl"])
def test_a_header_of_another_services_prefix_is_refused_with_the_dialect_it_is_of(refusing, name):
    own, refusal = refusing
    prefix = "-".join(name.lower().split("-")[:2]) + "-"
    assert refusal({name: "1"}) == (
        f"PUT Object: the header {name.lower()!r} would mean nothing to this store, whose headers begin with {own!r};"
        f' fake_store(dialect=Dialect(header_prefix="{prefix}")) makes it speak {prefix!r}'
    )


@pytest.mark.fakestore(buckets=["photos"])
def test_all_such_headers_are_named_at_once(fakestore):
    headers = {"x-amz-acl": "public-read", "x-svc-meta-a": "1", "x-amz-meta-a": "1", "Accept": "*/*"}
    with pytest.raises(UnsupportedRequest, match="PUT Object: the headers 'x-amz-acl', 'x-amz-meta-a' would mean"):
        fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow", headers=headers)
    fakestore.unhandled_requests.clear()


@pytest.mark.fakestore(buckets=["photos"], dialect=Dialect(header_prefix="x-amz-"))
def test_the_specifications_own_prefix_is_another_services_under_another_dialect(fakestore):
    with pytest.raises(UnsupportedRequest, match="the header 'x-svc-acl' would mean nothing"):
        fakestore.session().put(fakestore.url("photos", "cat.jpg"), headers={"x-svc-acl": "private"}, data=b"x")
    fakestore.unhandled_requests.clear()


@pytest.mark.fakestore(buckets=["photos"])
def test_another_services_date_in_place_of_a_date_is_named(fakestore):
    headers = {"Authorization": "SVC key:signature", "x-amz-date": "Sat, 21 Nov 2026 12:00:00 GMT"}
    with pytest.raises(UnsupportedRequest, match="GET Object: the header 'x-amz-date' would mean nothing"):
        requests.get(fakestore.url("photos", "cat.jpg"), headers=headers)
    fakestore.unhandled_requests.clear()


@pytest.mark.fakestore(buckets=["photos"])
@pytest.mark.parametrize(
    ("authorization", "advice"),
    [
        ("AWS key:signature", r"fake_store\(auth_scheme='AWS'\) makes it expect yours$"),
        ("AWS4-HMAC-SHA256 Credential=key/2026/us", r"no option makes it expect yours, for what follows it is not"),
        ("SVC key:signature", r"makes it speak 'x-amz-'$"),
    ],
)
def test_with_another_scheme_both_are_told_at_once(fakestore, authorization, advice):
    headers = {"Authorization": authorization, "x-amz-acl": "private"}
    with pytest.raises(UnsupportedRequest, match=advice):
        requests.get(fakestore.url("photos", "cat.jpg"), headers=headers)
    fakestore.unhandled_requests.clear()


@pytest.mark.fakestore(buckets=["photos"])
@pytest.mark.parametrize("name", ["X-Amzn-Trace-Id", "X-Forwarded-For", "X-Request-Id", "x-amz", "Traceparent"])
def test_plain_headers_mean_nothing_and_are_let_pass(fakestore, name):
    answer = fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow", headers={name: "1"})
    assert answer.status_code == 200


@pytest.mark.parametrize("headers", [{"x-amz-acl": "public-read", "x-amz-meta-a": "1"}])
def test_the_dialect_that_is_named_takes_the_headers(headers):
    with fake_store(buckets=["photos"], dialect=Dialect(header_prefix="x-amz-")) as store:
        store.session().put(store.url("photos", "cat.jpg"), data=b"meow", headers=headers).raise_for_status()
        assert dict(store["photos"]["cat.jpg"].metadata) == {"a": "1"}


@pytest.mark.parametrize("own", ["x-amz-", "x-amz-inner-", "x-"])
def test_no_prefix_is_foreign_that_holds_the_dialects_headers_or_is_held_by_it(own):
    assert [each for each in foreign_prefixes(own) if own.startswith(each) or each.startswith(own)] == []
