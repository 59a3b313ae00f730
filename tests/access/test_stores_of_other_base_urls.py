"""Two stores with different base URLs share neither version ids nor generated credentials."""

from __future__ import annotations

import dataclasses

from fakestore import FakeStore
from tests.support.wire import outcome, request


def store_at(name, **options):
    return FakeStore(base_url=f"http://{name}.test", buckets={"photos": "enabled"}, **options)


def test_version_id_of_another_base_url_was_never_issued():
    one, two = store_at("one"), store_at("two")
    kept = one["photos"].put("cat.jpg", b"kept")
    foreign = two["photos"].put("cat.jpg", b"other")
    reply = request(one, "DELETE", "photos", "cat.jpg", versionId=foreign.version_id)
    assert outcome(reply) == (400, "InvalidArgument")
    assert one["photos"].versions() == [kept]


def test_generated_credentials_differ_between_base_urls():
    one, two = store_at("one"), store_at("two")
    for ours, theirs in [
        (one.default_account, two.default_account),
        (one.create_account("a"), two.create_account("a")),
    ]:
        mine, others = dataclasses.asdict(ours), dataclasses.asdict(theirs)
        shared = {field for field in mine if mine[field] == others[field]}
        assert shared.isdisjoint({"access_key_id", "secret_key"})
        assert outcome(request(one, "GET", account=theirs)) == (403, "InvalidAccessKeyId")


def test_chosen_credentials_are_the_same_for_every_base_url():
    stores = [store_at(name, access_key_id="AKCHOSEN", secret_key="chosen") for name in ("one", "two")]
    chosen = {(store.default_account.access_key_id, store.default_account.secret_key) for store in stores}
    assert chosen == {("AKCHOSEN", "chosen")}
