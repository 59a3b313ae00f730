"""The store as its user sees it: its mapping of buckets, URLs, accounts, the tree and the reprs."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import pickle
from base64 import b64encode
from enum import Enum
from functools import partial
from urllib.parse import quote

import pytest
from freezegun import freeze_time

from fakestore import S3, FakeStore, MfaDevice, SparseContent, fake_store, faults
from tests.support.cases import each
from tests.support.documents import policy as policy_of
from tests.support.documents import statement
from tests.support.wire import request, send

WHEN = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


@pytest.fixture
def store():
    store = FakeStore(buckets=["photos"])
    store.create_account("bob")
    return store


# -- buckets and keys


def test_a_store_is_a_mapping_of_its_buckets_and_always_true(store):
    store.create_bucket("films")
    assert list(store) == list(store.buckets) == ["films", "photos"]
    assert ["photos" in store, "books" in store, 7 in store, bool(FakeStore())] == [True, False, False, True]


def test_an_unknown_bucket_is_a_key_error_with_the_known_ones(store):
    with pytest.raises(KeyError, match="unknown bucket 'films'; known buckets: 'photos'"):
        store["films"]


def test_an_unknown_key_is_a_key_error_with_the_current_keys():
    bucket = FakeStore(buckets={"photos": "enabled"})["photos"]
    for key in ("a b", "cat.jpg", "gone.jpg"):
        bucket.put(key)
    bucket.delete("gone.jpg")
    with pytest.raises(KeyError, match=r"current keys: 'a b', 'cat\.jpg'\. Did you mean 'a b'"):
        bucket["a%20b"]
    with pytest.raises(KeyError, match=r"current keys: 'a b', 'cat\.jpg'\. Did you mean 'cat\.jpg'"):
        bucket["cat.jpeg"]


def test_assigning_an_object_names_put(store):
    with pytest.raises(TypeError, match=r"bucket\.put\('cat\.jpg', ...\)"):
        store["photos"]["cat.jpg"] = b"meow"


def test_misuse_as_a_dict_says_what_to_write(store):
    with pytest.raises(TypeError, match=r"bucket\.delete\('cat\.jpg'\)"):
        del store["photos"]["cat.jpg"]
    with pytest.raises(TypeError, match=r"store\.create_bucket\('films'\)"):
        store["films"] = []
    with pytest.raises(TypeError, match="DELETE Bucket"):
        del store["photos"]


def test_what_belongs_to_a_store_cannot_be_pickled_and_says_so(store):
    for value in (store, store["photos"], store.session(), store.adapter(), store.snapshot()):
        with pytest.raises(TypeError, match=r"another process reaches it through its server: with store\.serve\(\)"):
            pickle.dumps(value)
    for copied in (copy.copy, copy.deepcopy):
        for value in (store, store.snapshot()):
            with pytest.raises(TypeError, match=r"cannot be pickled or copied; .* store\.snapshot\(\) keeps its cont"):
                copied(value)


def test_missing_key_suggests_the_key_in_another_spelling():
    store = FakeStore(buckets=["photos"])
    bucket = store["photos"]
    for key in ("summer 2024/ü.jpg", "50%25.txt", "/slash"):
        bucket.put(key)
    for key, near in [
        ("summer%202024/%C3%BC.jpg", "summer 2024/ü.jpg"),
        ("summer+2024/ü.jpg", "summer 2024/ü.jpg"),
        ("50%.txt", "50%25.txt"),
        ("slash", "/slash"),
        ("/summer 2024/ü.jpg", "summer 2024/ü.jpg"),
        ("photos/summer 2024/ü.jpg", "summer 2024/ü.jpg"),
    ]:
        send(store, "GET", "photos", f"/{quote(key)}")
        assert store.exchanges[-1].explanation.endswith(f"Did you mean {near!r}?")
        with pytest.raises(KeyError, match=f"Did you mean {near!r}"):
            bucket[key]
    bucket.delete("/slash")
    send(store, "GET", "photos", "/slash")
    assert "Did you mean" not in store.exchanges[-1].explanation


def test_key_without_an_entry_has_no_versions(store):
    assert store["photos"].versions("cat.jpg") == []


def test_of_many_keys_a_key_error_names_some(store):
    for number in range(20):
        store["photos"].put(f"{number:02}")
    with pytest.raises(KeyError, match="'00', '01', '02', '03', '04', '05', '06', '07' and 12 more"):
        store["photos"]["zebra"]


# -- URLs


def test_member_of_a_text_enum_stands_for_its_value():
    class Text(str, Enum):  # noqa: UP042  (str() of a StrEnum is its value)
        DOCS = "docs"

    store = FakeStore(buckets={Text.DOCS: "enabled"})
    docs = store[Text.DOCS]
    docs.seed(Text.DOCS, [(WHEN, b"meow")])
    docs.delete(Text.DOCS)
    docs.put(Text.DOCS, tags={Text.DOCS: Text.DOCS})
    docs.expire(rule_id=Text.DOCS, prefix=Text.DOCS, days=100_000)
    account = store.create_account(Text.DOCS)
    shown = [store.describe(), str(account), repr(account)]
    shown += [
        send(store, "GET", "docs", target).body.decode() for target in ("/?versions", "/?lifecycle", "/docs?tagging")
    ]
    assert [("docs" in text, "Text." in text) for text in shown] == [(True, False)] * 6
    assert store.url(Text.DOCS, Text.DOCS) == "http://docs.objects.test/docs"
    assert store.url("docs", prefix=Text.DOCS) == "http://docs.objects.test/?prefix=docs"


def test_url_of_a_bucket_has_no_slash_so_that_a_key_can_be_appended():
    for base_url, bucket_url in [
        ("http://objects.test", "http://photos.objects.test"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000/photos"),
    ]:
        with fake_store(dialect="s3", base_url=base_url, buckets=["photos"], signatures="verify") as store:
            url = store.url("photos")
            assert url == bucket_url
            assert store.url("photos", acl=None) == f"{bucket_url}/?acl"
            store.session().put(f"{url}/cat.jpg", data=b"meow").raise_for_status()
            assert list(store["photos"]) == ["cat.jpg"]
            for each in (url, f"{url}/"):
                assert "<Key>cat.jpg</Key>" in store.session().get(each).text


def test_slash_at_the_beginning_of_a_key_is_encoded_in_its_url(store):
    for case in each(("/cat.jpg", "%2Fcat.jpg"), ("//", "%2F/"), ("a/", "a/"), ("a//b", "a//b")):
        with case as (key, path):
            assert store.url("photos", key) == f"http://photos.objects.test/{path}"


def test_name_that_is_not_a_text_is_refused(store):
    docs = store.create_bucket("docs")
    for case in each(store.create_account, store.create_bucket, docs.put, docs.delete, lambda key: docs.seed(key, [])):
        with case as use:
            with pytest.raises(TypeError, match="expected str, not tuple"):
                use(("photos",))


def test_other_arguments_of_a_wrong_type_are_refused(store):
    for name in ("id", "email", "access_key_id", "secret_key"):
        with pytest.raises(TypeError, match=f"invalid {name} 1: expected str"):
            store.create_account("bob", **{name: 1})
    for name in ("bucket", "key"):
        for use in (store.calls, partial(store.fail, None, faults.ServiceError("SlowDown"))):
            with pytest.raises(TypeError, match=f"invalid {name} 1: expected str"):
                use(**{name: 1})
    with pytest.raises(TypeError, match="invalid key 1: expected str"):
        store["photos"].versions(1)
    with pytest.raises(TypeError, match="invalid method None: expected str"):
        store.presign(None, "docs", "k", expires_in=60)
    with pytest.raises(TypeError, match=r"expected a fakestore\.Request, not 'GET'"):
        store.handle("GET")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("",), ValueError, "the name of the bucket is empty"),
        ((None,), TypeError, "invalid name of a bucket None"),
        (("docs", 5), TypeError, "invalid key 5"),
        (("docs", None), TypeError, "invalid key None"),
    ],
)
def test_a_url_of_something_else_than_names_is_refused(store, arguments, error, message):
    with pytest.raises(error, match=message):
        store.url(*arguments)


# -- accounts

USES = {
    "auth": lambda store, account: store.auth(account),
    "session": lambda store, account: store.session(account),
    "create_bucket": lambda store, account: store.create_bucket("films", owner=account),
    "put": lambda store, account: store["photos"].put("cat.jpg", account=account),
    "delete": lambda store, account: store["photos"].delete("cat.jpg", account=account),
    "allow": lambda store, account: store["photos"].allow(account, "s3:GetObject"),
    "deny": lambda store, account: store["photos"].deny(account, "s3:GetObject"),
}


@pytest.mark.parametrize("name", USES)
def test_the_name_of_an_account_is_refused_with_the_known_ones(store, name):
    for account in ("bob", "default"):
        message = rf"store.default_account or .*create_account\(\), not '{account}'; known accounts: 'default', 'bob'"
        with pytest.raises(TypeError, match=message):
            USES[name](store, account)
    assert list(store) == ["photos"]
    USES[name](store, store.default_account)


@pytest.mark.parametrize("name", [name for name in USES if name not in ("auth", "session")])
def test_an_account_of_another_store_or_time_is_refused(store, name):
    snapshot = store.snapshot()
    dave = store.create_account("dave")
    store.restore(snapshot)
    for stranger in (FakeStore().create_account("eve"), dave):
        with pytest.raises(ValueError, match=r"does not belong to this store .*; known accounts: 'default', 'bob'"):
            USES[name](store, stranger)


def test_account_of_the_same_name_in_another_store_is_named_by_its_access_key(store):
    stranger = FakeStore(base_url="http://elsewhere.test").default_account
    with pytest.raises(ValueError, match="comes from another store") as refused:
        store["photos"].put("cat.jpg", account=stranger)
    for account in (stranger, store.default_account):
        assert f"has the access key {account.access_key_id!r}".removeprefix("has ") in str(refused.value)


def test_unknown_action_suggests_a_similar_one(store):
    for action in ("GetObject", "getobject", "s3:GetObjekt", "S3:GetObjects"):
        with pytest.raises(ValueError, match=r"Did you mean 's3:GetObject'\?$") as refused:
            store["photos"].allow(store.default_account, action)
        assert len(str(refused.value)) < 160


def test_unknown_action_suggests_the_action_of_an_operation(store):
    for case in each(
        ("ListObjectsV2", "s3:ListBucket"),
        ("s3:ListObjects", "s3:ListBucket"),
        ("headobject", "s3:GetObject"),
        ("list_objects_v2", "s3:ListBucket"),
        ("CreateMultipartUpload", "s3:PutObject"),
        ("PUT Object Copy", "s3:PutObject"),
        ("DeleteObjects", "s3:DeleteObject"),
        ("PutBucketLifecycleConfiguration", "s3:PutLifeCycleConfiguration"),
        ("PutBucketLifecycle", "s3:PutLifeCycleConfiguration"),
        ("s3:get_bucket_lifecycle", "s3:GetLifecycleConfiguration"),
    ):
        with case as (name, action):
            with pytest.raises(ValueError, match=rf"Did you mean '{action}'\?$"):
                store["photos"].deny(store.default_account, name)
            policy = policy_of(statement("Deny", "*", name, ["photos", "photos/*"]))
            assert send(store, "PUT", "photos", "/?policy", body=policy).status == 400
            assert store.exchanges[-1].explanation.endswith(f"Did you mean '{action}'?")


def test_operation_that_the_store_lacks_suggests_no_action(store):
    for case in each("PutBucketAbac", "get_object_torrent", "DeleteObjectAnnotation", "CreateSession", "", "s3:"):
        with case as name, pytest.raises(ValueError, match=r"'s3:GetObject', 's3:PutObject' or 's3:\*'\.$"):
            store["photos"].deny(store.default_account, name)


def test_actions_in_a_list_are_refused(store):
    with pytest.raises(ValueError, match=r"expected actions such as .* as separate arguments, not \['s3:GetObject'\]"):
        store["photos"].deny(store.default_account, ["s3:GetObject"])


# -- the tree


def test_the_tree_of_unversioned_buckets():
    store = FakeStore()
    assert store.describe() == "no buckets"
    photos = store.create_bucket("photos")
    store.create_bucket("films")
    photos.put("cat.jpg", b"meow", content_type="image/jpeg", last_modified=WHEN, tags={"pet": "cat", "new": ""})
    photos.put("line\nbreak", b"x" * 1234, last_modified=WHEN, acl="public-read")
    assert store.describe().splitlines() == [
        "films  (of default, versioning never)",
        "└── (empty)",
        "photos  (of default, versioning never)",
        "├── cat.jpg  4 bytes  image/jpeg  2026-11-21 12:00:00  tags pet=cat, new=  'meow'",
        "└── 'line\\nbreak'  1,234 bytes  binary/octet-stream  2026-11-21 12:00:00  grants AllUsers:READ"
        f"  '{'x' * 40}'...",
    ]


def test_the_tree_of_a_versioned_bucket(store):
    alice = store.create_account("alice")
    films = store.create_bucket("films", owner=alice)
    films.versioning = "enabled"
    films.enable_mfa_delete(MfaDevice("20899872", "301749"))
    films.expire(rule_id="soon", days=100_000, prefix="old/")
    films.deny(alice, "s3:GetObject")
    first = films.put("cat.mp4", b"meow", last_modified=WHEN)
    marker = films.delete("cat.mp4", last_modified=WHEN)
    assert store.describe().splitlines()[:5] == [
        "films  (of alice, versioning enabled, MFA Delete, 1 lifecycle rule, 1 policy statement)",
        "  lifecycle rule 'soon': prefix 'old/', enabled, acts on nothing that is stored now",
        "└── cat.mp4",
        f"    ├── {marker.version_id}  delete marker  2026-11-21 12:00:00  (latest)",
        f"    └── {first.version_id}  4 bytes  binary/octet-stream  2026-11-21 12:00:00  'meow'",
    ]


RULES = b"""<LifecycleConfiguration>
<Rule><ID>a</ID><Filter><Prefix>thumbnails/</Prefix></Filter><Status>Enabled</Status>
    <Expiration><Days>3</Days></Expiration></Rule>
<Rule><ID>b</ID><Filter><Prefix>thumbnails/</Prefix></Filter><Status>Disabled</Status>
    <Expiration><Days>3</Days></Expiration></Rule>
<Rule><ID>c</ID><Filter><And><Prefix></Prefix><Tag><Key>pet</Key><Value>cat</Value></Tag></And></Filter>
    <Status>Enabled</Status><Expiration><Days>30</Days></Expiration></Rule>
<Rule><ID>d</ID><Filter></Filter><Status>Enabled</Status>
    <NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration></Rule>
<Rule><ID>e</ID><Filter></Filter><Status>Enabled</Status>
    <AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>
<Rule><ID>f</ID><Filter><ObjectSizeGreaterThan>1000</ObjectSizeGreaterThan></Filter><Status>Enabled</Status>
    <Transition><Days>0</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>
</LifecycleConfiguration>"""


def test_the_tree_says_when_each_lifecycle_rule_acts_next(tmp_path):
    with freeze_time(WHEN), fake_store(dialect="s3", buckets={"photos": "enabled"}) as store:
        photos = store["photos"]
        photos.put("thumbnails/cat.jpg", b"meow")
        photos.put("dog.jpg", b"woof", tags={"pet": "dog"})
        store.session().post(store.url("photos", "film.mp4", uploads=None)).raise_for_status()
        digest = b64encode(hashlib.md5(RULES).digest()).decode()
        url = store.url("photos", lifecycle=None)
        store.session().put(url, data=RULES, headers={"Content-MD5": digest}).raise_for_status()
        lines = [
            "  lifecycle rule 'a': prefix 'thumbnails/', enabled, next due 2026-11-25T00:00:00Z",
            "  lifecycle rule 'b': prefix 'thumbnails/', disabled",
            "  lifecycle rule 'c': prefix '', tags pet=cat, enabled, acts on nothing that is stored now",
            "  lifecycle rule 'd': prefix '', enabled, acts on nothing that is stored now",
            "  lifecycle rule 'e': prefix '', enabled, next due 2026-11-29T00:00:00Z",
            "  lifecycle rule 'f': prefix '', over 1,000 bytes, enabled, acts on nothing that is stored now",
        ]
        assert store.describe().splitlines()[1:7] == lines
        store.to_html(tmp_path / "store.html")
        assert lines[0].strip() in (tmp_path / "store.html").read_text()
        photos.put("thumbnails/cat.jpg", b"purr")
        photos.put("dog.jpg", b"w" * 1001, tags={"pet": "cat"})
        due = [line.rpartition(" ")[2][:10] for line in store.describe().splitlines()[1:7]]
        assert due == ["2026-11-25", "disabled", "2026-12-22", "2026-11-23", "2026-11-29", "2026-11-22"]


def test_the_tree_shows_the_first_ten_rules(store):
    for number in range(12):
        store["photos"].expire(rule_id=f"{number:02}", days=1)
    assert store.describe().splitlines()[10:12] == [
        "  lifecycle rule '09': prefix '', enabled, acts on nothing that is stored now",
        "  ... and 2 more rules",
    ]


def test_the_tree_names_every_setting_that_a_request_has_made(fakestore):
    fakestore.create_bucket("photos")
    for case in each(
        (
            "encryption",
            "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
            "<SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule>"
            "</ServerSideEncryptionConfiguration>",
        ),
        (
            "cors",
            "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
            "</CORSRule></CORSConfiguration>",
        ),
        ("requestPayment", "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>"),
        ("website", "<WebsiteConfiguration><IndexDocument><Suffix>x</Suffix></IndexDocument></WebsiteConfiguration>"),
    ):
        with case as (subresource, document):
            assert request(fakestore, "PUT", "photos", body=document.encode(), **{subresource: None}).status == 200
    settings = "versioning never, default encryption AES256, 1 CORS rule, requester pays, website configuration"
    assert fakestore.describe().startswith(f"photos  (of default, {settings})\n")


def test_large_trees_are_shortened(store):
    for number in range(1205):
        store["photos"].put(f"{number:04}")
    assert store.describe().splitlines()[-1] == "└── ... and 1,005 more keys"
    versioned = FakeStore(buckets={"photos": "enabled"})
    for _ in range(25):
        versioned["photos"].put("cat.jpg")
    assert versioned.describe().splitlines()[-1] == "    └── ... and 5 older versions"


def test_control_characters_are_escaped_for_people(store):
    store["photos"].put("cat.jpg", content_type="text/plain\x1b[2J")
    requests_session = store.session()
    requests_session.mount("http://", store.adapter())
    requests_session.get(store.url("photos", "x") + "?versionId=%0A::error::")
    assert "\x1b" not in store.describe()
    assert "\n" not in str(store.exchanges[-1])


# -- reprs


def test_reprs():
    with fake_store(base_url="https://s3.internal:9000", buckets={"photos": "enabled"}) as store:
        store.session().get(store.url("photos", "none"))
        photos = store["photos"]
        version = photos.put("cat.jpg", b"meow", last_modified=WHEN)
        marker = photos.delete("cat.jpg", last_modified=WHEN)
        photos.put("cat.jpg", last_modified=WHEN)
    assert repr(store) == "<FakeStore https://s3.internal:9000: buckets photos; 1 exchange>"
    assert repr(photos) == "<Bucket 'photos' of default, versioning enabled, 1 key>"
    assert version.version_id in repr(version)
    assert marker.version_id in repr(marker)
    assert repr(SparseContent(5)) == "SparseContent(size=5)"
    assert repr(store.snapshot()) == "<Snapshot of 1 bucket>"
    assert repr(store.auth()) == "<signs as default for https://s3.internal:9000>"
    assert repr(S3) == "<Dialect 's3'>"


def test_a_session_and_its_deep_copies_use_the_same_store(store):
    from copy import deepcopy

    session = store.session()
    session.mount("http://", store.adapter(max_retries=2))
    copy = deepcopy(session)
    assert copy.put(store.url("photos", "cat.jpg"), data=b"meow").status_code == 200
    assert (store["photos"]["cat.jpg"].content, copy.get_adapter("http://").max_retries.total) == (b"meow", 2)
    with fake_store(buckets=["photos"]) as patched:
        assert deepcopy(patched.session()).get(patched.url("photos")).status_code == 200
