"""The recorded facts, replayed; `replay.py` says where they come from and how to read them."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from fakestore import UnsupportedRequest
from tests.facts import replay, report

CASES = [
    (dialect, fact, value)
    for dialect in replay.DIALECTS
    for fact in replay.replayed(dialect)
    for value in fact.get("for", [""])
]
UNSUPPORTED = [
    (dialect, replay.in_dialect(group, dialect))
    for dialect in replay.DIALECTS
    for group in replay.left_out(dialect)
    if "request" in group
]


def name_of(case):
    dialect, fact, value = case
    return f"{dialect} {fact['id']}" + (f"[{value}]" if value else "")


@pytest.fixture(scope="module")
def clock():
    with freeze_time(replay.START) as frozen:  # once, because it searches every imported module
        yield frozen


@pytest.mark.decision("unexpected-body")
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_answer_is_the_recorded_one(case, clock):
    dialect, fact, value = case
    with replay.Replay(clock, dialect, value, fact.get("options")) as store:
        for step in fact.get("given", []):
            store.arrange(step)
        assert store.answer(store.send(fact["request"]), fact) == replay.expected(fact, dialect, value)


@pytest.mark.parametrize("case", UNSUPPORTED, ids=lambda case: f"{case[0]} {case[1]['ids'][0]}")
def test_request_that_is_not_supported_says_so(case, clock):
    dialect, group = case
    with replay.Replay(clock, dialect) as store:
        for step in group.get("given", []):
            store.arrange(step)
        with pytest.raises(UnsupportedRequest):
            store.send(group["request"])


@pytest.mark.parametrize("dialect", replay.DIALECTS)
def test_every_recorded_fact_is_replayed_or_left_out_once(dialect):
    replayed = [fact["id"] for fact in replay.replayed(dialect)]
    left_out = [each for group in replay.left_out(dialect) for each in group["ids"]]
    assert sorted(replayed + left_out) == sorted(replay.recorded_ids())


def test_page_about_the_facts_is_up_to_date():
    assert report.PAGE.read_text() == report.page()
