"""Values of the model: object versions, ACLs, accounts, version ids, MFA devices and limits."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore import S3, Dialect, FakeStore, fake_store
from fakestore.model.accounts import Accounts
from fakestore.model.acl import CannedAcl
from fakestore.model.content import SparseContent
from fakestore.model.entity_tag import EntityTag
from fakestore.model.metadata import Metadata
from fakestore.model.object_version import Encryption, NewObject, StorageClass
from fakestore.model.semantics import Limits
from fakestore.model.versioning import NULL, MfaDevice, VersionIds, Versioning
from tests.model.arrange import ALICE, NOON, empty_bucket
from tests.support.cases import each

BOB = Accounts().create("bob")


def values() -> list[object]:
    bucket = empty_bucket()
    bucket.versioning = Versioning.ENABLED
    new = NewObject(content=SparseContent(3), etag=EntityTag.parse("d"), all_metadata=Metadata(user={"color": "red"}))
    version = bucket.put("k", new, writer=ALICE, now=NOON)
    marker = bucket.delete("k", writer=ALICE, now=NOON).created
    return [version, marker, version.acl, ALICE]


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_value_can_be_hashed_pickled_and_copied(value):
    copies = [pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)]
    assert [(each, hash(each)) for each in copies] == [(value, hash(value))] * 3
    fields = dataclasses.asdict(value)
    assert list(fields) == [field.name for field in dataclasses.fields(value)]


@pytest.mark.parametrize("dialect", [S3, Dialect()], ids=lambda dialect: dialect.name)
def test_dialect_equals_its_copies(dialect):
    copies = [pickle.loads(pickle.dumps(dialect)), copy.deepcopy(dialect), dataclasses.replace(dialect)]
    assert [(each, hash(each)) for each in copies] == [(dialect, hash(dialect))] * 3


def test_dialect_needs_schemes_and_signs_with_one_for_headers():
    for name in ("auth", "form_auth"):
        with pytest.raises(TypeError, match="not a signature scheme"):
            Dialect(**{name: ("v4",)})
    with fake_store(dialect=Dialect(auth=()), buckets=["photos"]) as store:
        with pytest.raises(TypeError, match=r"'custom'.* no scheme for headers"):
            store.session().get(store.url("photos"))


def test_object_version_shows_metadata_and_quoted_entity_tag():
    version = values()[0]
    assert (version.etag, version.metadata, version.size) == ('"d"', {"color": "red"}, 3)
    assert dataclasses.asdict(version)["all_metadata"]["user"] == {"color": "red"}


def test_user_metadata_is_a_read_only_copy():
    sent = {"color": "red"}
    metadata = Metadata(user=sent)
    sent["color"] = "blue"
    assert metadata.user == {"color": "red"}
    with pytest.raises(TypeError):
        metadata.user["color"] = "blue"


def test_objects_without_metadata_share_one_value():
    store = FakeStore(buckets=["photos"])
    session = store.session()
    session.mount("http://", store.adapter())
    for key, headers in {"a": {}, "b": {}, "c": {"Content-Type": "image/jpeg"}}.items():
        session.put(store.url("photos", key), data=b"meow", headers=headers)
    store["photos"].put("d", content_type="image/png")
    versions = store["photos"].versions()
    assert len({id(each.metadata) for each in versions}) == 1
    assert versions[0].all_metadata is versions[1].all_metadata


def test_choices_equal_the_text_on_the_wire():
    assert StorageClass.REDUCED_REDUNDANCY == "REDUCED_REDUNDANCY" == str(StorageClass.REDUCED_REDUNDANCY)
    assert (Encryption.KMS, CannedAcl.PUBLIC_READ) == ("aws:kms", "public-read")


# -- accounts


def test_account_with_other_credentials_is_not_in_the_store():
    accounts = Accounts()
    assert accounts.create("alice") in accounts
    assert Accounts().create("alice", access_key_id="OTHER") not in accounts
    assert BOB not in accounts


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("", {}, "must not be empty"),
        ("alice", {}, "account 'alice' already exists"),
        ("eve", {"id": "1" * 64}, "the canonical id '1+' already belongs to account 'alice'"),
        ("eve", {"access_key_id": "TAKEN"}, "access key 'TAKEN' already belongs to account 'alice'"),
        ("eve", {"access_key_id": "a b"}, "access key"),
        ("eve", {"access_key_id": "a:b"}, "access key"),
        ("eve", {"access_key_id": "é"}, "access key"),
        ("eve", {"access_key_id": ""}, "access key"),
    ],
)
def test_account_needs_its_own_name_id_and_valid_access_key(name, options, words):
    accounts = Accounts()
    accounts.create("alice", access_key_id="TAKEN", id="1" * 64)
    with pytest.raises(ValueError, match=words):
        accounts.create(name, **options)


def test_accounts_of_a_snapshot_do_not_change():
    accounts = Accounts()
    alice = accounts.create("alice", email="Team@example.test")
    snapshot = accounts.copy()
    bob = accounts.create("bob", email="team@example.test")
    assert (accounts.by_email("TEAM@example.test"), snapshot.by_email("team@example.test")) == ([alice, bob], [alice])
    assert (list(snapshot), snapshot.by_id(bob.id), snapshot.by_access_key(bob.access_key_id)) == ([alice], None, None)


# -- version ids


@given(st.integers(), st.integers(0, 2**47))
def test_version_ids_are_recognised_and_ordered(seed, issued_before):
    ids = VersionIds(seed, "http://a.test")
    ids.skip_to(issued_before)
    first, second = ids.issue(), ids.issue()
    assert [ids.sequence_number(each) for each in (first, second)] == [issued_before + 1, issued_before + 2]
    assert all(ids.is_issued(each) and len(each) == 32 for each in (first, second))
    assert not ids.is_issued(first[:24] + second[24:])
    assert ids.is_issued(NULL)


def test_version_ids_repeat_for_the_same_seed_and_origin_only():
    first = VersionIds(0, "http://a.test").issue()
    others = [VersionIds(1, "http://a.test"), VersionIds(0, "http://b.test"), VersionIds(0)]
    assert VersionIds(0, "http://a.test").issue() == first
    assert not any(ids.is_issued(first) for ids in others)
    assert len({ids.sign("k") for ids in others}) == 3


def test_skipped_version_ids_are_not_issued_again():
    ids = VersionIds(0)
    issued = [ids.issue() for _ in range(3)]
    ids.restart()
    ids.skip_to(2)
    ids.skip_to(1)
    assert (ids.issue(), ids.issued_count) == (issued[2], 3)


# -- devices and limits


def test_mfa_device_compares_serial_and_code_exactly():
    device = MfaDevice("Serial", lambda: "Code")
    codes = [("Serial", "Code"), ("Serial", "code"), ("serial", "Code")]
    assert [device.displays(*each) for each in codes] == [True, False, False]


@pytest.mark.parametrize(
    ("serial", "code", "error"),
    [("", "1", ValueError), ("1 2", "1", ValueError), ("1", "é", ValueError), ("1", 301749, TypeError)],
)
def test_mfa_device_needs_ascii_without_blanks(serial, code, error):
    with pytest.raises(error):
        MfaDevice(serial, code)


def test_code_of_mfa_device_must_be_text():
    with pytest.raises(TypeError):
        MfaDevice("1", lambda: 301749).displays("1", "301749")


def test_limit_must_not_be_negative():
    for case in each("object_size", "copy_size", "metadata", "header_section"):
        with case as name:
            assert getattr(Limits(**{name: 0}), name) == 0
            with pytest.raises(ValueError, match=f"limit {name} must be 0 or more bytes, not -1"):
                Limits(**{name: -1})
