"""A store and a naive oracle that live through the same random history give the same answers and hold the same."""

import pytest
from freezegun import freeze_time

from fakestore import FakeStore
from tests.support.documents import lifecycle, rule
from tests.support.wire import request
from tests.trust.inverted_rules import RULES, inverted
from tests.trust.machines import MACHINES, run


@pytest.mark.parametrize("name", MACHINES)
def test_store_agrees_with_the_oracle(name):
    run(name)


def test_each_rule_names_a_text_that_its_file_has_once():
    assert list(RULES) == list(MACHINES)
    for each in (each for rules in RULES.values() for each in rules):
        compile(inverted(each), each.file, "exec")


# -- histories that an earlier machine found

KEEP_ONE = (
    "<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>"
    "<NewerNoncurrentVersions>1</NewerNoncurrentVersions></NoncurrentVersionExpiration>"
)


def test_a_write_over_kept_versions_makes_the_oldest_due_that_day():
    store = FakeStore(buckets={"photos": "enabled"})
    photos = store["photos"]
    with freeze_time("2026-01-01 12:00") as clock:
        request(store, "PUT", "photos", body=lifecycle(rule(KEEP_ONE)), lifecycle=None)
        for content in (b"1", b"2", b"3"):
            photos.put("k", content)
        clock.move_to("2026-01-06 12:00")
        assert [entry.content for entry in photos.versions("k")] == [b"3", b"2"]
        photos.put("k", b"4")
        assert [entry.content for entry in photos.versions("k")] == [b"4", b"3"]
