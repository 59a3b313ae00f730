"""Behaviour that no other test noticed when a mutation or a person changed it."""

import base64
import hashlib
import io
import itertools

import pytest
import requests
from lxml import etree
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, Limits, MfaDevice, SparseContent, UnsupportedRequest, fake_store, faults
from tests.trust.crowd import send


@pytest.fixture
def store():
    return FakeStore(buckets=["photos"])


@pytest.fixture
def session(store):
    with store.session() as session:
        session.mount("http://", store.adapter())
        yield session


def code_of(reply):
    return etree.fromstring(reply.body).findtext("Code")


# -- values


@pytest.mark.parametrize("name", ["object_size", "copy_size", "metadata", "header_section"])
def test_a_limit_is_zero_or_more(name):
    assert getattr(Limits(**{name: 0}), name) == 0
    with pytest.raises(ValueError, match=f"{name}.*-1"):
        Limits(**{name: -1})


@pytest.mark.parametrize("size", [0, 1, 1024 * 1024, 1024 * 1024 + 1])
def test_sparse_content_reads_as_zeros(size):
    content = SparseContent(size)
    assert (len(content), bytes(content), b"".join(content)) == (size, bytes(size), bytes(size))
    with pytest.raises(ValueError, match="-1"):
        SparseContent(-1)


def test_an_account_belongs_to_the_store_that_made_it(store):
    stranger = FakeStore().create_account("anna")
    with pytest.raises(ValueError, match="anna"):
        store.create_bucket("hers", owner=stranger)
    anna = store.create_account("anna", access_key_id="another")
    with pytest.raises(ValueError, match="anna"):
        store.create_bucket("hers", owner=stranger)
    assert store.create_bucket("hers", owner=anna).owner == anna


def test_an_object_keeps_everything_that_was_put_with_it(store):
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": "inline",
        "Content-Encoding": "gzip",
        "Content-Language": "de",
    }
    version = store["photos"].put(
        "k", b"meow", metadata={"colour": "red"}, content_type="text/plain", headers=headers | {"Expires": "5"}
    )
    assert (version.metadata, version.content_type, version.expires) == ({"colour": "red"}, "text/plain", 5)
    assert {name: getattr(version, name.lower().replace("-", "_")) for name in headers} == headers


def test_the_bounds_of_a_lifecycle_rule_are_valid(store):
    most = 2**31 - 1
    photos = store["photos"]
    photos.expire(rule_id="r" * 255, days=most, noncurrent_days=most, newer_noncurrent_versions=100)
    photos.expire(rule_id="r", days=1, noncurrent_days=1, newer_noncurrent_versions=1)
    for wrong in ({"days": most + 1}, {"days": 0}, {"noncurrent_days": 1, "newer_noncurrent_versions": 101}):
        with pytest.raises(ValueError, match="1"):
            photos.expire(rule_id="x", **wrong)


# -- requests and replies


@pytest.mark.parametrize(("digits", "status"), [("2147483647", 200), ("2147483648", 400), ("0" * 11, 400)])
def test_a_page_size_has_ten_digits_and_an_upper_bound(store, digits, status):
    assert send(store, "GET", "photos", max_keys=digits).status == status


@pytest.mark.parametrize(
    ("query", "argument"), [({"max_keys": -1}, "maxKeys"), ({"encoding_type": "no"}, "encoding-type")]
)
def test_a_listing_names_the_invalid_argument(store, query, argument):
    error = etree.fromstring(send(store, "GET", "photos", **query).body)
    assert (error.findtext("ArgumentName"), error.findtext("ArgumentValue")) == (argument, str(*query.values()))


def test_a_listing_continues_after_a_prefix_that_ends_in_a_letter(store):
    for key in ("aX1", "aX2", "aY", "b"):
        store["photos"].put(key)
    listing = etree.fromstring(send(store, "GET", "photos", delimiter="X").body)
    assert [each.text for each in listing.iterfind("*/Key")] == ["aY", "b"]
    assert [each.text for each in listing.iterfind("CommonPrefixes/Prefix")] == ["aX"]


def test_a_listing_may_begin_exactly_at_its_prefix(store):
    for key in ("a", "a1", "b"):
        store["photos"].put(key)
    for query in ({"marker": "a"}, {"list_type": 2, "start_after": "a"}):
        listing = etree.fromstring(send(store, "GET", "photos", prefix="a", **query).body)
        assert [each.text for each in listing.iterfind("*/Key")] == ["a1"]


QUERIES = [{}, {"list_type": 2}, {"versions": None}, {"max_keys": 1}, {"delimiter": "k"}]


@pytest.mark.parametrize("query", QUERIES)
def test_a_listing_has_its_name_and_no_text_between_elements(store, query):
    for key in ("a", "k1", "k2", "l-1"):
        store["photos"].put(key)
    listing = etree.fromstring(send(store, "GET", "photos", **query).body)
    assert listing.tag == ("ListVersionsResult" if "versions" in query else "ListBucketResult")
    assert stray_text(listing) == []


@pytest.mark.parametrize(("quiet", "elements"), [("true", 2), ("false", 4)])
def test_a_delete_result_has_no_text_between_elements(store, quiet, elements):
    objects = "".join(f"<Object><Key>{key}</Key></Object>" for key in ("a", "b", "k" * 1025, "l" * 1025))
    body = f"<Delete><Quiet>{quiet}</Quiet>{objects}</Delete>".encode()
    result = etree.fromstring(send(store, "POST", "photos", body=body, delete=None).body)
    assert (len(result), stray_text(result)) == (elements, [])


def stray_text(document):
    return [node.tag for node in document.iter() if (len(node) and node.text) or node.tail]


@pytest.mark.parametrize("wrong", ["X{}", "{}X", '"X{}"'])
def test_an_entity_tag_with_an_extra_letter_does_not_match(store, wrong):
    etag = store["photos"].put("k", b"x").etag.strip('"')
    assert send(store, "GET", "photos", "k", headers={"If-Match": wrong.format(etag)}).status == 412


@pytest.mark.parametrize(("hashed", "status"), [(bytes(10), 200), (bytes(11), 400)])
def test_the_md5_of_small_sparse_content_is_checked(store, hashed, status):
    headers = {"Content-MD5": base64.b64encode(hashlib.md5(hashed).digest()).decode(), "Content-Length": "10"}
    assert send(store, "PUT", "photos", "k", headers=headers, body=SparseContent(10)).status == status


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("name", ["If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"])
def test_a_condition_is_served_or_unsupported_but_never_ignored(store, method, name):
    served = {
        "GET": True,
        "PUT": name in ("If-Match", "If-None-Match"),
        "DELETE": name == "If-Match",
    }
    before = store["photos"].put("k", b"x")
    if name == "If-Range" and served[method]:
        reply = send(store, method, "photos", "k", headers={name: '"other"', "Range": "bytes=0-0"})
        assert reply.status == 200
    elif served[method]:
        assert send(store, method, "photos", "k", headers={name: '"other"'}).status in (200, 400, 412, 501)
    else:
        with pytest.raises(UnsupportedRequest, match=name.lower()):
            send(store, method, "photos", "k", headers={name: '"other"'})
        assert store["photos"]["k"] == before


@pytest.mark.parametrize(
    ("key", "named", "other"), [("k", "PUT Object Copy", "HEAD Bucket"), ("", "HEAD Bucket", "Copy")]
)
def test_an_unknown_method_is_answered_with_the_known_operations(store, key, named, other):
    with pytest.raises(UnsupportedRequest, match=named) as caught:
        send(store, "PATCH", "photos", key)
    assert other not in str(caught.value)


@pytest.mark.parametrize(("key", "query"), [("", {}), ("", {"policy": None}), ("k", {}), ("k", {"versionId": "null"})])
def test_a_delete_with_a_body_is_refused(store, key, query):
    reply = send(store, "DELETE", "photos", key, headers={"Content-Length": "4"}, body=b"body", **query)
    assert (reply.status, code_of(reply)) == (400, "UnexpectedContent")


@pytest.mark.parametrize(("versioning", "hint"), [("never", False), ("enabled", True)])
def test_a_bucket_with_versions_says_that_they_must_be_deleted(versioning, hint):
    store = FakeStore(buckets={"photos": versioning})
    store["photos"].put("k")
    error = etree.fromstring(send(store, "DELETE", "photos").body)
    assert (error.findtext("Code"), "versions" in error.findtext("Message")) == ("BucketNotEmpty", hint)


def test_a_head_has_no_body_whatever_it_answers(store):
    store["photos"].put("k", b"content")
    for key in ("k", "missing"):
        assert send(store, "HEAD", "photos", key).body == b""
        assert store.exchanges[-1].reply.body == b""


def test_the_code_of_a_device_is_compared_exactly():
    store = FakeStore(buckets={"photos": "enabled"})
    version = store["photos"].put("k").version_id
    store["photos"].set_versioning("enabled", mfa_device=MfaDevice("Serial", "aBc123"))
    snapshot = store.snapshot()
    statuses = []
    for mfa in ("Serial abc123", "Serial ABC123", "serial aBc123", "Serial aBc123"):
        store.restore(snapshot)  # the snapshot keeps MFA Delete and its device
        url = store.url("photos", "k", versionId=version).replace("http:", "https:")
        session = requests.Session()
        session.mount("https://", store.adapter())
        statuses.append(session.delete(url, headers={"x-svc-mfa": mfa}, auth=store.auth()).status_code)
    assert statuses == [403, 403, 403, 204]


def test_an_account_made_after_a_snapshot_is_gone_after_a_restore(store):
    store.create_account("anna", email="a@example.test")
    snapshot = store.snapshot()
    store.create_account("ben", email="a@example.test")
    grant = {"x-svc-grant-read": 'emailAddress="a@example.test"'}
    reply = send(store, "PUT", "photos", "k", headers=grant)
    assert (reply.status, code_of(reply)) == (400, "AmbiguousGrantByEmailAddress")
    store.restore(snapshot)
    assert send(store, "PUT", "photos", "k", headers=grant).status == 200


# -- the journal


def test_calls_compares_whole_keys_and_buckets(store):
    store.create_bucket("photos2")
    for bucket, key in (("photos", "k"), ("photos", "k2"), ("photos", "k/l"), ("photos2", "k")):
        send(store, "PUT", bucket, key)
    assert [(each.bucket, each.key) for each in store.calls(key="k")] == [("photos", "k"), ("photos2", "k")]
    assert [each.key for each in store.calls(bucket="photos")] == ["k", "k2", "k/l"]
    assert [each.key for each in store.calls("PUT Object", bucket="photos", key="k")] == ["k"]
    assert list(store.calls(key="")) == []


def test_an_exchange_keeps_the_version_id_of_the_query():
    store = FakeStore(buckets={"photos": "enabled"})
    version = store["photos"].put("k").version_id
    for method, key in (("GET", "k"), ("GET", "missing"), ("DELETE", "k"), ("GET", "k")):
        send(store, method, "photos", key, versionId=version)
    send(store, "GET", "photos", "k", versionId="invalid")
    assert [each.version_id for each in store.exchanges] == [version] * 4 + ["invalid"]


# -- faults


def statuses(store, count):
    return [send(store, "GET", "photos", "k").status for _ in range(count)]


def test_a_request_that_meets_a_fault_does_not_count_for_the_next(store):
    store["photos"].put("k", b"x")
    store.fail("GET Object", faults.ServiceError("SlowDown"))
    store.fail("GET Object", faults.ServiceError("InternalError"), after=1)
    assert statuses(store, 4) == [503, 200, 500, 200]


def test_faults_fire_in_their_order_and_as_often_as_planned(store):
    store["photos"].put("k", b"x")
    store.fail("PUT Object", faults.ServiceError("AccessDenied"))
    store.fail(None, faults.ServiceError("InternalError"), key="other")
    store.fail("GET Object", faults.ServiceError("SlowDown"), times=2)
    store.fail(None, faults.ServiceError("InternalError"), times=None)
    assert statuses(store, 4) == [503, 503, 500, 500]


def test_a_fault_without_effect_waits_for_another_request(store):
    store["photos"].put("k", b"content")
    store.fail(None, faults.TruncatedBody(3), key="k")
    assert send(store, "HEAD", "photos", "k").status == 200
    assert [send(store, "GET", "photos", "k").body for _ in range(2)] == [b"con", b"content"]


def test_a_connect_timeout_sends_nothing_of_a_body(store, session):
    store.fail("PUT Object", faults.ConnectTimeout())
    body = io.BytesIO(bytes(200_000))
    with pytest.raises(requests.ConnectTimeout):
        session.put(store.url("photos", "k"), data=body, timeout=1)
    assert (body.tell(), "k" in store["photos"]) == (0, False)


def test_a_reply_that_takes_as_long_as_the_timeout_is_too_late(store, session):
    store.fail("PUT Object", faults.Latency(0.01))
    with pytest.raises(requests.ReadTimeout):
        session.put(store.url("photos", "k"), data=b"x", timeout=0.01)


# -- clients


@pytest.mark.parametrize(("bucket", "status"), [("nowhere", 404), ("photos", 403)])
def test_a_client_sends_its_whole_file_although_it_is_refused(store, session, bucket, status):
    session.auth = store.auth(store.create_account("anna"))
    file = io.BytesIO(bytes(200_000))
    assert session.put(store.url(bucket, "k"), data=file).status_code == status
    assert file.tell() == 200_000


def test_a_body_of_text_is_sent_as_utf8(store, session):
    class Text:
        pieces = ("ü", "b", "")

        def __init__(self):
            self.rest = iter(self.pieces)

        def __len__(self):
            return 3

        def read(self, size=-1):
            return next(self.rest)

        def __iter__(self):
            return iter(self.pieces)

    assert session.put(store.url("photos", "k"), data=Text()).status_code == 200
    assert store["photos"]["k"].content == "üb".encode()


def test_user_information_is_not_part_of_the_host():
    with fake_store(buckets=["photos"]) as store:
        store["photos"].put("k", b"x")
        url = store.url("photos", "k").replace("://", "://user:password@")
        assert requests.get(url, auth=store.auth()).content == b"x"
        assert store.exchanges[-1].bucket == "photos"


ORDERS = list(itertools.permutations(range(3)))


@pytest.mark.parametrize("order", ORDERS)
def test_stores_may_be_left_in_any_order(order):
    """Every store answers until it is left, and in the end `requests` is as it was."""
    original = HTTPAdapter.send
    recipes = [fake_store(base_url=f"http://store-{number}.test", buckets=["photos"]) for number in range(3)]
    stores = [recipe.__enter__() for recipe in recipes]
    for place, number in enumerate(order):
        for active in order[place:]:
            url = stores[active].url("photos")
            assert requests.get(url, auth=stores[active].auth()).status_code == 200
        recipes[number].__exit__(None, None, None)
        with pytest.raises(requests.ConnectionError):
            requests.get(stores[number].url("photos"), auth=stores[number].auth())
        for active in order[place + 1 :]:
            stores[active].unhandled_requests.clear()
    assert HTTPAdapter.send is original


def test_a_store_left_under_another_patch_does_not_come_back():
    """Somebody else patches on top and takes the patch off after the store was left; then another store starts."""
    original = HTTPAdapter.send
    recipe = fake_store(base_url="http://first.test", buckets=["photos"])
    first = recipe.__enter__()
    below = HTTPAdapter.send
    HTTPAdapter.send = lambda *args, **options: below(*args, **options)
    recipe.__exit__(None, None, None)
    HTTPAdapter.send = below
    with fake_store(base_url="http://second.test", buckets=["photos"]) as second:
        assert requests.get(second.url("photos"), auth=second.auth()).status_code == 200
        with pytest.raises(requests.ConnectionError):
            requests.get(first.url("photos"), auth=first.auth())
        second.unhandled_requests.clear()
    assert HTTPAdapter.send is original
    assert len(first.exchanges) == 0
