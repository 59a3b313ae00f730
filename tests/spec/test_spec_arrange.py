"""What tests compare to see that nothing was changed tells every change."""

from __future__ import annotations

import pytest

from fakestore import MfaDevice
from tests.spec.arrange import holdings

CHANGES = {
    "an object": lambda bucket, alice: bucket.put("dog.jpg", b"woof"),
    "a delete marker": lambda bucket, alice: bucket.delete("cat.jpg"),
    "a version that is gone": lambda bucket, alice: bucket.delete_version("cat.jpg", bucket["cat.jpg"].version_id),
    "ACL": lambda bucket, alice: setattr(bucket, "acl", "public-read"),
    "versioning": lambda bucket, alice: bucket.set_versioning("suspended"),
    "MFA Delete": lambda bucket, alice: bucket.set_versioning("enabled", mfa_device=MfaDevice("20899872", "301749")),
    "policy": lambda bucket, alice: bucket.deny(alice, "s3:GetObject"),
    "lifecycle": lambda bucket, alice: bucket.expire(rule_id="old", days=1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_holdings_of_a_store_differ_after_each_change(store, alice, change):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    assert holdings(store) == before
    change(store["kept"], alice)
    assert holdings(store) != before


#: What may differ of two objects that are put at the same moment, both of them the null version.
DIFFERENCES = {
    "content": {"content": b"MEOW"},
    "metadata": {"metadata": {"by": "ada"}},
    "ACL of an object": {"acl": "public-read"},
    "content type": {"content_type": "image/jpeg"},
    "storage class": {"storage_class": "REDUCED_REDUNDANCY"},
}


@pytest.mark.parametrize("difference", DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_holdings_of_a_store_differ_after_an_object_was_put_in_the_place_of_another(store, noon, difference):
    cat = {"key": "cat.jpg", "content": b"meow"}
    store["photos"].put(**cat)
    before = holdings(store)
    store["photos"].put(**cat)
    assert holdings(store) == before
    store["photos"].put(**cat | difference)
    assert holdings(store) != before


def test_the_holdings_of_a_store_differ_after_a_bucket_or_an_account_was_made(store):
    seen = [holdings(store)]
    store.create_bucket("films")
    seen.append(holdings(store))
    store.create_account("carol")
    seen.append(holdings(store))
    assert [each for each in seen if seen.count(each) > 1] == []
