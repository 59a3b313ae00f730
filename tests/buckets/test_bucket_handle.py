"""The handle of a bucket: arranging and looking, without a request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
import requests
from freezegun import freeze_time

from fakestore import Account, DeleteMarker, Limits, MfaDevice, ObjectVersion, SparseContent, fake_store

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def sentence(raised):
    """What a person reads; a KeyError's own text is quoted."""
    return raised.value.args[0]


# -- putting


@freeze_time("2030-01-01 12:00")
def test_an_object_has_the_defaults_of_the_service(store, photos):
    version = photos.put("k", b"1")
    got = requests.get(store.url("photos", "k"), auth=store.auth())
    assert (version.content_type, got.headers["Content-Type"]) == ("binary/octet-stream", "binary/octet-stream")
    assert (version.storage_class.value, version.encryption, dict(version.metadata)) == ("STANDARD", None, {})
    assert (version.owner, version.last_modified, version.version_id) == (store.default_account, NOON, "null")


def test_everything_that_a_put_can_say_is_answered_to_a_get(store, photos):
    photos.put(
        "k",
        b"<p>",
        metadata={"Camera": " Leica "},
        content_type="text/html",
        cache_control="no-cache",
        content_disposition="inline",
        content_encoding="identity",
        content_language="de",
        expires=5000,
        storage_class="REDUCED_REDUNDANCY",
        encryption="AES256",
    )
    got = requests.get(store.url("photos", "k"), auth=store.auth())
    expected = {
        "x-svc-meta-camera": "Leica",
        "Content-Type": "text/html",
        "Cache-Control": "no-cache",
        "Content-Disposition": "inline",
        "Content-Encoding": "identity",
        "Content-Language": "de",
        "Expires": "5000",
        "x-svc-storage-class": "REDUCED_REDUNDANCY",
        "x-svc-server-side-encryption": "AES256",
    }
    assert {name: got.headers.get(name) for name in expected} == expected


def test_an_empty_content_type_is_the_default_one_as_over_http(photos):
    given = ["", " \t", "text/plain "]
    stored = [photos.put("k", content_type=each).content_type for each in given]
    assert stored == ["binary/octet-stream", "binary/octet-stream", "text/plain"]


def test_an_empty_bucket_is_there(photos):
    assert (len(photos), bool(photos)) == (0, True)


def test_an_object_belongs_to_who_puts_it(store, photos):
    bob = store.create_account("bob")
    assert (photos.put("k", account=bob).owner, photos.put("k").owner) == (bob, store.default_account)


def test_an_acl_is_given_by_its_canned_name(store, photos):
    bob = store.create_account("bob")
    photos.put("open", b"1", acl="public-read")
    photos.put("shut", b"1")
    asked = [requests.get(store.url("photos", key), auth=store.auth(bob)).status_code for key in ("open", "shut")]
    assert asked == [200, 403]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (datetime(2020, 5, 6, 7, 8, 9), datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)),
        (datetime(2020, 5, 6, 7, tzinfo=timezone(timedelta(hours=2))), datetime(2020, 5, 6, 5, tzinfo=UTC)),
        (datetime(2020, 5, 6, 7, 8, 9, 999999, UTC), datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)),
    ],
    ids=["naive", "zone", "fraction"],
)
def test_another_date_is_in_utc_and_to_the_second(photos, given, expected):
    assert photos.put("k", last_modified=given).last_modified == expected


def test_a_put_through_the_handle_leaves_no_trace_in_the_journal(store, photos):
    photos.put("k")
    assert list(store.exchanges) == []


WRONG = [
    ({"key": ""}, "a key must have at least one character"),
    ({"key": "é" * 513}, "the key has 1,026 bytes of UTF-8; the maximum is 1,024"),
    ({"key": "\ud800"}, "key '\\ud800' has no UTF-8 form"),
    ({"content": bytes(11)}, "11 bytes of content, and Limits.object_size is 10"),
    ({"content": SparseContent(2**70)}, "1,180,591,620,717,411,303,424 bytes of content, and Limits.object_size is 10"),
    ({"metadata": {"a b": "1"}}, "'a b' cannot be part of a header's name, so it is no name of user metadata"),
    ({"metadata": {"": "1"}}, "'' cannot be part of a header's name, so it is no name of user metadata"),
    ({"metadata": {"a": "日"}}, "'日' is no header text (ISO-8859-1); encode it as your application does"),
    ({"metadata": {"a": "1\n2"}}, "'1\\n2' has a line break or a NUL, which header text cannot have"),
    ({"metadata": {"a": "1", "A": "2"}}, "names of user metadata differ by more than their case; not so a, A"),
    ({"metadata": {"a": "x" * 2048}}, "2,049 bytes of user metadata, and Limits.metadata is 2,048"),
    ({"content_type": "text/\nhtml"}, "'text/\\nhtml' has a line break or a NUL, which header text cannot have"),
    ({"cache_control": "日"}, "'日' is no header text (ISO-8859-1); encode it as your application does"),
    ({"expires": -1}, "expires is a number of milliseconds of at most 18 digits, not -1"),
    ({"expires": "5"}, "expires is a number of milliseconds of at most 18 digits, not '5'"),
    ({"acl": "open"}, "'open' is no canned ACL; there are 'private', 'public-read', "),
    ({"storage_class": "GLACIER"}, "'GLACIER' is no storage class; there are 'STANDARD', 'REDUCED_REDUNDANCY'"),
    ({"encryption": "rot13"}, "'rot13' is no encryption algorithm; there are 'AES256', 'aws:kms'"),
]


@pytest.mark.parametrize(
    ("wrong", "expected"), WRONG, ids=[f"{next(iter(wrong))}-{n}" for n, (wrong, _) in enumerate(WRONG)]
)
def test_what_the_service_would_refuse_is_a_value_error_and_stores_nothing(wrong, expected):
    with fake_store(buckets=["photos"], limits=Limits(object_size=10)) as store:
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the sentence is compared below
            store["photos"].put(**{"key": "k", **wrong})
        assert sentence(raised).startswith(expected)
        assert store["photos"].versions() == []


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"key": b"k"}, "a key must be text, not bytes"),
        ({"content": "text"}, "content is bytes or SparseContent, not str; encode text first"),
        ({"content": None}, "content is bytes or SparseContent, not NoneType; encode text first"),
        ({"metadata": [("a", "b")]}, "user metadata is a mapping of names to values, not [('a', 'b')]"),
        ({"metadata": {1: "b"}}, "a name of user metadata is text, not 1"),
        ({"acl": 3}, "a canned ACL is given by its name, not as 3"),
        ({"storage_class": None}, "a storage class is given by its name, not as None"),
        ({"metadata": {"a": 5}}, "5 is no text, and stands for the value of a header"),
        ({"content_language": 5}, "5 is no text, and stands for the value of a header"),
        ({"last_modified": date(2030, 1, 1)}, "a moment is a datetime, not "),
        ({"account": "bob"}, "an account is what store.create_account() gives, not 'bob'"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_a_type_error_and_stores_nothing(photos, wrong, expected):
    with pytest.raises(TypeError) as raised:
        photos.put(**{"key": "k", **wrong})
    assert sentence(raised).startswith(expected)
    assert photos.versions() == []


# -- deleting


def test_a_delete_gives_the_marker_that_it_made(photos):
    photos.set_versioning("enabled")
    photos.put("k")
    marker = photos.delete("k")
    assert photos.versions("k")[0] is marker


def test_a_delete_in_a_bucket_never_versioned_gives_none(photos):
    photos.put("k")
    assert (photos.delete("k"), "k" in photos) == (None, False)


def test_a_version_that_is_deleted_for_good_is_given(photos):
    photos.set_versioning("enabled")
    version = photos.put("k")
    assert photos.delete_version("k", version.version_id) is version


def test_a_version_that_is_not_there_is_a_key_error(photos):
    photos.put("k")
    with pytest.raises(KeyError) as raised:
        photos.delete_version("other", "null")
    assert sentence(raised) == "key 'other' in bucket 'photos' has no version 'null'"


def test_an_id_that_was_never_issued_is_a_value_error(photos):
    photos.put("k")
    with pytest.raises(ValueError, match="this store never issued the version id"):
        photos.delete_version("k", "v1")


@pytest.mark.parametrize("wrong", [{"key": b"k"}, {"key": "k", "account": "bob"}])
def test_a_delete_with_an_argument_of_the_wrong_kind_deletes_nothing(photos, wrong):
    photos.put("k")
    with pytest.raises(TypeError):
        photos.delete(**wrong)
    assert "k" in photos


# -- looking


def test_a_key_gives_its_current_object(photos):
    photos.put("k", b"1")
    photos.put("k", b"2")
    assert photos["k"].content == b"2"


def test_a_key_that_is_not_there_is_a_key_error_that_names_those_there_are(photos):
    photos.put("a")
    photos.put("b")
    with pytest.raises(KeyError) as raised:
        photos["c"]
    assert sentence(raised) == "bucket 'photos' has no key 'c'; it has 'a', 'b'"


def test_of_many_keys_the_error_names_a_few(photos):
    for number in range(10):
        photos.put(str(number))
    with pytest.raises(KeyError) as raised:
        photos["c"]
    assert sentence(raised).endswith("it has '0', '1', '2', '3', '4', '5', '6', '7' and 2 more")


def test_a_marker_on_top_is_a_key_error_that_says_so(photos):
    photos.set_versioning("enabled")
    photos.put("k")
    marker = photos.delete("k")
    with pytest.raises(KeyError) as raised:
        photos["k"]
    assert sentence(raised) == f"on top of 'k' in bucket 'photos' is {marker!r}"


def test_only_current_objects_are_iterated_counted_and_contained(photos):
    photos.set_versioning("enabled")
    for key in ("\U0001f600", "b", "\uffee", "a", "gone"):
        photos.put(key)
    photos.delete("gone")
    assert (list(photos), len(photos)) == (["a", "b", "\uffee", "\U0001f600"], 4)
    assert ("a" in photos, "gone" in photos, 5 in photos) == (True, False, False)


def test_a_bucket_may_change_while_it_is_iterated(photos):
    for key in "abc":
        photos.put(key)
    for key in photos:
        photos.delete(key)
    assert list(photos) == []


def test_versions_of_a_bucket_come_by_key_and_newest_first(photos):
    photos.set_versioning("enabled")
    b = photos.put("b")
    old, new = photos.put("a", b"1"), photos.put("a", b"2")
    marker = photos.delete("b")
    assert photos.versions() == [new, old, marker, b]
    assert photos.versions("b") == [marker, b]


def test_versions_of_a_key_that_has_none_are_a_key_error(photos):
    photos.put("a")
    with pytest.raises(KeyError) as raised:
        photos.versions("b")
    assert sentence(raised) == "bucket 'photos' has no version of 'b'; it has 'a'"


def test_a_list_of_versions_is_the_callers_own(photos):
    photos.put("a")
    photos.versions("a").clear()
    assert len(photos.versions("a")) == 1


# -- a history in one call


def test_what_makes_a_history_may_ask_the_store_from_another_thread(store, photos):
    def history():
        with ThreadPoolExecutor() as pool:
            yield NOON, pool.submit(lambda: bytes(len(store["photos"]))).result(timeout=10)

    assert photos.seed("k", history())[0].content == b""


def test_a_history_is_seeded_oldest_first_with_its_dates(photos):
    photos.set_versioning("enabled")
    moments = [datetime(2020, month, 1, tzinfo=UTC) for month in (1, 2, 3)]
    written = photos.seed("k", zip(moments, [b"1", DeleteMarker, SparseContent(3)], strict=True))
    assert written == photos.versions("k")[::-1]
    assert [(type(entry), entry.last_modified) for entry in written] == [
        (ObjectVersion, moments[0]),
        (DeleteMarker, moments[1]),
        (ObjectVersion, moments[2]),
    ]
    assert (written[0].content, written[2].content) == (b"1", SparseContent(3))


def test_a_history_goes_on_top_of_what_is_there(photos):
    photos.set_versioning("enabled")
    before = photos.put("k")
    (seeded,) = photos.seed("k", [(datetime(2020, 1, 1), b"1")])
    assert photos.versions("k") == [seeded, before]


def test_a_history_of_a_bucket_never_versioned_leaves_its_last_object(photos):
    written = photos.seed("k", [(NOON, b"1"), (NOON, b"2")])
    assert ([each.content for each in written], photos.versions("k")) == ([b"1", b"2"], [written[1]])


def test_rules_act_on_a_history_when_it_is_whole(photos):
    photos.set_versioning("enabled")
    photos.expire(rule_id="r", days=3)
    old = datetime(2020, 1, 1, tzinfo=UTC)
    first, second = photos.seed("k", [(old, b"1"), (old, b"2")])
    marker, *rest = photos.versions("k")
    assert (type(marker), rest) == (DeleteMarker, [second, first])


@pytest.mark.parametrize(
    ("history", "kind", "expected"),
    [
        ([(NOON, b"1"), (NOON, DeleteMarker)], ValueError, "bucket 'photos' was never versioned, so 'k' gets no"),
        ([(NOON, b"1"), (NOON, ObjectVersion)], TypeError, "content is bytes or SparseContent, not "),
        ([(NOON, b"1"), (NOON, "text")], TypeError, "content is bytes or SparseContent, not str"),
        ([(NOON, b"1"), ("2030-01-01", b"2")], TypeError, "a moment is a datetime, not '2030-01-01'"),
    ],
)
def test_a_history_that_cannot_be_writes_nothing(photos, history, kind, expected):
    with pytest.raises(kind) as raised:
        photos.seed("k", history)
    assert sentence(raised).startswith(expected)
    assert photos.versions() == []


def test_a_history_has_a_key(photos):
    with pytest.raises(ValueError, match="a key must have at least one character"):
        photos.seed("", [(NOON, b"1")])


# -- settings


@pytest.mark.parametrize("name", ["Enabled", "", "off"])
def test_another_versioning_is_a_value_error(photos, name):
    with pytest.raises(ValueError, match="there are 'never', 'enabled', 'suspended'"):
        photos.set_versioning(name)
    assert photos.versioning == "never"


@pytest.mark.parametrize("state", ["enabled", "suspended"])
def test_there_is_no_way_back_to_never(photos, state):
    photos.set_versioning(state)
    with pytest.raises(ValueError, match="it can be 'suspended', not 'never' again"):
        photos.set_versioning("never")
    assert photos.versioning == state


def test_a_device_goes_with_versioning(store, photos):
    photos.set_versioning("enabled", mfa_device=MfaDevice("serial", "123456"))
    got = requests.get(store.url("photos", versioning=None), auth=store.auth())
    assert b"<MfaDelete>Enabled</MfaDelete>" in got.content


def test_a_device_without_versioning_is_a_value_error_and_changes_nothing(store, photos):
    with pytest.raises(ValueError, match="MFA Delete goes with versioning; set 'enabled' or 'suspended' with a device"):
        photos.set_versioning("never", mfa_device=MfaDevice("serial", "123456"))
    got = requests.get(store.url("photos", versioning=None), auth=store.auth())
    assert b"MfaDelete" not in got.content


def test_a_device_that_is_none_is_a_type_error_and_changes_nothing(photos):
    with pytest.raises(TypeError, match=r"mfa_device is a fakestore.MfaDevice\(serial, code\), not 'serial'"):
        photos.set_versioning("enabled", mfa_device="serial")
    assert photos.versioning == "never"


def test_the_buckets_own_acl_is_set_by_its_canned_name(store, photos):
    photos.acl = "public-read"
    bob = store.create_account("bob")
    assert requests.get(store.url("photos"), auth=store.auth(bob)).status_code == 200


def test_an_unknown_canned_acl_leaves_the_old_one(photos):
    before = photos.acl
    with pytest.raises(ValueError, match="'open' is no canned ACL"):
        photos.acl = "open"
    assert photos.acl == before


# -- a handle stands for a name


def test_handles_of_one_name_and_store_are_equal(store, photos):
    another = store.create_bucket("another")
    assert (photos == store["photos"], photos == another, photos == "photos") == (True, False, False)
    assert len({photos, store["photos"], another}) == 2
    with fake_store(base_url="http://other.test", buckets=["photos"]) as other:
        assert photos != other["photos"]


def test_a_handle_sees_the_state_after_a_restore(store, photos):
    photos.put("k", b"1")
    snapshot = store.snapshot()
    photos.put("k", b"2")
    photos.set_versioning("enabled")
    store.restore(snapshot)
    assert (photos["k"].content, photos.versioning) == (b"1", "never")


def test_a_snapshot_is_restored_as_often_as_wanted(store, photos):
    photos.put("k", b"1")
    snapshot = store.snapshot()
    for content in (b"2", b"3"):
        photos.put("k", content)
        store.restore(snapshot)
        assert photos["k"].content == b"1"


def test_ids_go_on_after_a_restore(store, photos):
    photos.set_versioning("enabled")
    snapshot = store.snapshot()
    first = photos.put("k").version_id
    store.restore(snapshot)
    assert photos.put("k").version_id != first


def test_a_handle_of_a_bucket_that_is_deleted_is_a_key_error(store, photos):
    store.create_bucket("another")
    requests.delete(store.url("photos"), auth=store.auth())
    for act in (
        photos.versions,
        lambda: photos["k"],
        lambda: photos.put("k"),
        lambda: photos.owner,
        lambda: len(photos),
    ):
        with pytest.raises(KeyError) as raised:
            act()
        assert sentence(raised) == "there is no bucket 'photos' (any more); buckets: another"
    assert repr(photos) == "<Bucket 'photos': not there any more>"


def test_a_handle_sees_a_bucket_made_anew_under_its_name(store, photos):
    photos.set_versioning("enabled")
    requests.delete(store.url("photos"), auth=store.auth())
    store.create_bucket("photos").put("k", b"new")
    assert (photos["k"].content, photos.versioning) == (b"new", "never")


def test_a_bucket_that_was_deleted_is_back_after_a_restore(store, photos):
    photos.put("k", b"1")
    snapshot = store.snapshot()
    photos.delete("k")
    requests.delete(store.url("photos"), auth=store.auth())
    store.restore(snapshot)
    assert photos["k"].content == b"1"


def test_a_bucket_made_after_the_snapshot_is_gone_after_a_restore(store):
    snapshot = store.snapshot()
    later = store.create_bucket("later")
    store.restore(snapshot)
    with pytest.raises(KeyError):
        later.versions()
    assert list(store.buckets) == ["photos"]


def test_a_handle_prints_what_it_stands_for(photos):
    photos.put("k")
    assert repr(photos) == "<Bucket 'photos' of default, versioning never, 1 key>"


def test_the_repr_counts_what_is_there_now(store, photos):
    photos.set_versioning("enabled")
    photos.put("k")
    photos.expire(rule_id="r", days=1)
    store.travel(days=3)
    assert (repr(photos), len(photos)) == ("<Bucket 'photos' of default, versioning enabled, 0 keys>", 0)


def test_a_bucket_that_is_not_there_is_a_key_error_that_names_those_there_are(store):
    with pytest.raises(KeyError) as raised:
        store["photo"]
    assert sentence(raised) == "there is no bucket 'photo'; buckets: 'photos'"


def test_the_mapping_of_buckets_is_by_name_and_read_only(store):
    store.create_bucket("apes")
    assert list(store.buckets) == ["apes", "photos"]
    with pytest.raises(TypeError):
        store.buckets["zebras"] = store["apes"]


def test_the_owner_of_a_bucket_is_an_account(store):
    bob = store.create_account("bob")
    owner = store.create_bucket("of-bob", owner=bob).owner
    assert (owner, isinstance(owner, Account)) == (bob, True)
