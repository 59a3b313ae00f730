"""The expiration header (specification, sections 4.1 and 4.2): which answers have it, and what it says."""

from __future__ import annotations

import pytest

from tests.spec.arrange import own_headers

statement = pytest.mark.statement

EXPIRATION = 'expiry-date="Mon, 23 Nov 2026 00:00:00 GMT", rule-id="old-photos"'


@statement("3-06", "4.1-40", "4.2-44")
def test_writes_and_reads_of_the_current_object_tell_when_it_expires(store, session, noon):
    store["kept"].expire(rule_id="old-photos", days=1)
    url = store.url("kept", "cat.jpg")
    answers = [
        session.put(url, data=b"meow"),
        session.put(store.url("kept", "copy.jpg"), headers={"x-svc-copy-source": "/kept/cat.jpg"}),
        session.get(url),
        session.head(url),
        session.get(url, headers={"Range": "bytes=0-1"}),
        session.get(url, headers={"If-Modified-Since": "Sat, 21 Nov 2026 12:00:00 GMT"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 206, 304]
    assert [answer.headers.get("x-svc-expiration") for answer in answers] == [EXPIRATION] * 6


def test_answers_that_name_a_version_or_are_not_of_the_object_do_not_tell_when_it_expires(store, session, noon):
    store["kept"].expire(rule_id="old-photos", days=1)
    version = store["kept"].put("cat.jpg", b"meow")
    url, named = store.url("kept", "cat.jpg"), store.url("kept", "cat.jpg", versionId=version.version_id)
    answers = [
        session.get(named),
        session.head(named),
        session.get(store.url("kept", "cat.jpg", acl=None)),
        session.delete(url),
        session.get(url),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 204, 404]
    assert [own_headers(answer).get("x-svc-expiration") for answer in answers] == [None] * 5


@statement("4.1-43")
@pytest.mark.parametrize(
    ("rule_id", "told"),
    [
        ("Az09_.-~", "Az09_.-~"),
        ("a b/1", "a%20b%2F1"),
        ('"quoted"', "%22quoted%22"),
        ("100%, +1", "100%25%2C%20%2B1"),
        ("a\nb", "a%0Ab"),
        ("\u732b", "%E7%8C%AB"),
    ],
)
def test_the_id_of_a_rule_is_percent_encoded_for_it_may_be_any_text(store, session, noon, rule_id, told):
    store["photos"].expire(rule_id=rule_id, days=1)
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow")
    assert answer.headers["x-svc-expiration"] == f'expiry-date="Mon, 23 Nov 2026 00:00:00 GMT", rule-id="{told}"'
