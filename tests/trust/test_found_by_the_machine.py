"""What the machine found, each by a history of its own."""

from freezegun import freeze_time

from fakestore import FakeStore

KEEP_ONE = (
    "<LifecycleConfiguration><Rule><ID>r</ID><Prefix/><Status>Enabled</Status><NoncurrentVersionExpiration>"
    "<NoncurrentDays>1</NoncurrentDays><NewerNoncurrentVersions>1</NewerNoncurrentVersions>"
    "</NoncurrentVersionExpiration></Rule></LifecycleConfiguration>"
)


def test_a_write_over_versions_that_a_rule_keeps_makes_the_oldest_due_on_the_same_day():
    store = FakeStore(buckets={"photos": "enabled"})
    photos = store["photos"]
    with freeze_time("2026-01-01 12:00") as clock, store.session() as session:
        session.mount("http://", store.adapter())
        session.put(store.url("photos", lifecycle=None), data=KEEP_ONE)
        for content in (b"1", b"2", b"3"):
            photos.put("k", content)
        clock.move_to("2026-01-06 12:00")
        kept = [entry.content for entry in photos.versions("k")]
        photos.put("k", b"4")
        assert (kept, [entry.content for entry in photos.versions("k")]) == ([b"3", b"2"], [b"4", b"3"])
