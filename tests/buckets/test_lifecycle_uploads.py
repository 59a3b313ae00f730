"""Lifecycle rules that abort uploads that were begun and not completed."""

from __future__ import annotations

import datetime

import pytest

from fakestore import DOCUMENT, S3, fake_store
from tests.multipart.arrange import Client, text
from tests.support.documents import lifecycle
from tests.support.wire import outcome

RULE = """<Rule><ID>{id}</ID><Filter><Prefix>{prefix}</Prefix></Filter><Status>{status}</Status>
<AbortIncompleteMultipartUpload><DaysAfterInitiation>{days}</DaysAfterInitiation></AbortIncompleteMultipartUpload>
</Rule>"""

pytestmark = pytest.mark.decision("abort-of-incomplete-uploads")


@pytest.fixture(autouse=True)
def clock(frozen_clock):
    frozen_clock.move_to("2030-01-10 12:00:00")
    return frozen_clock


@pytest.fixture(params=[DOCUMENT, S3], ids=lambda dialect: dialect.name)
def store(request):
    with fake_store(dialect=request.param, buckets=["photos"]) as store:
        yield store


@pytest.fixture
def client(store):
    return Client(store)


def put_rules(client, *rules):
    return client.send("PUT", body=lifecycle(*rules), lifecycle=None)


def rule(*, id="tidy", prefix="", status="Enabled", days=2):
    return RULE.format(id=id, prefix=prefix, status=status, days=days)


def test_upload_is_aborted_at_the_midnight_after_its_days(store, client, clock):
    assert put_rules(client, rule()).status == 200
    upload = client.begin()
    clock.move_to("2030-01-12 23:59:59")
    assert len(store["photos"].uploads) == 1
    clock.move_to("2030-01-13 00:00:00")
    assert store["photos"].uploads == []
    assert outcome(client.send("GET", "/film", uploadId=upload)) == (404, "NoSuchUpload")


def test_upload_begun_at_midnight_is_aborted_at_midnight(store, client, clock):
    put_rules(client, rule(days=1))
    clock.move_to("2030-01-11 00:00:00.9")  # its date has whole seconds
    client.begin()
    clock.move_to("2030-01-12 00:00:00")
    assert store["photos"].uploads == []


def test_rule_holds_for_uploads_that_were_begun_before_it(store, client, clock):
    client.begin()
    clock.move_to("2030-02-01 12:00:00")
    assert len(store["photos"].uploads) == 1
    put_rules(client, rule())
    assert store["photos"].uploads == []


def test_rule_with_a_size_or_an_open_prefix_aborts_what_it_selects(store, client, clock):
    sizes = "<ObjectSizeGreaterThan>0</ObjectSizeGreaterThan>", "<ObjectSizeLessThan>9</ObjectSizeLessThan>"
    for size in (*sizes, f"<And><Prefix></Prefix>{sizes[0]}</And>", f"<And>{''.join(sizes)}</And>"):
        assert put_rules(client, rule().replace("<Prefix></Prefix>", size)).status == 200
        client.begin()
        clock.tick(datetime.timedelta(days=9))
        assert len(store["photos"].uploads) == 1
        assert put_rules(client, rule()).status == 200
        assert store["photos"].uploads == []


def test_disabled_rules_and_other_prefixes_abort_nothing(store, client, clock):
    put_rules(client, rule(status="Disabled"), rule(id="other", prefix="logs/"))
    client.begin("film")
    client.begin("logs/film")
    clock.move_to("2030-02-01 12:00:00")
    assert [each.key for each in store["photos"].uploads] == ["film"]


def test_objects_are_not_affected(store, client, clock):
    put_rules(client, rule())
    client.upload(b"meow")
    clock.move_to("2031-01-01 12:00:00")
    assert store["photos"]["film"].content == b"meow"
    assert client.header(client.send("HEAD", "/film"), "expiration") is None


def test_headers_say_when_an_upload_is_aborted(store, client):
    rule_id = {"document": "tidy up/50%", "s3": "tidy%20up%2F50%25"}[store.dialect.name]
    put_rules(client, rule(id="tidy up/50%", days=2), rule(id="late", days=9))
    begun = client.send("POST", "/film", uploads=None)
    listed = client.send("GET", "/film", uploadId=text(begun, "UploadId"))
    for reply in (begun, listed):
        assert client.header(reply, "abort-date") == "Sun, 13 Jan 2030 00:00:00 GMT"
        assert client.header(reply, "abort-rule-id") == rule_id


def test_uploads_are_aborted_when_the_store_travels(store, client):
    put_rules(client, rule())
    client.begin()
    store.travel(days=3)
    assert store["photos"].uploads == []
    assert datetime.datetime.now(datetime.UTC).day == 13
