"""The recorded facts, replayed; `replay.py` says where they come from and how to read them."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from fakestore import UnsupportedRequest
from tests.facts import replay, report

FACTS = [fact for topic in replay.topics() for fact in replay.load(topic)]
LEFT_OUT = replay.load("left_out")
CASES = [(fact, value) for fact in FACTS for value in fact.get("for", [""])]
UNSUPPORTED = [group for group in LEFT_OUT if "request" in group]


def name_of(case):
    fact, value = case
    return f"{fact['id']}[{value}]" if value else fact["id"]


@pytest.fixture(scope="module")
def clock():
    with freeze_time(replay.START) as frozen:  # once, because it searches every imported module
        yield frozen


@pytest.mark.decision("unexpected-body")
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_answer_is_the_recorded_one(case, clock):
    fact, value = case
    with replay.Replay(clock, value) as store:
        for step in fact.get("given", []):
            store.arrange(step)
        assert store.answer(store.send(fact["request"]), fact) == replay.expected(fact, value)


@pytest.mark.parametrize("group", UNSUPPORTED, ids=lambda group: group["ids"][0])
def test_request_that_is_not_supported_says_so(group, clock):
    with replay.Replay(clock) as store:
        for step in group.get("given", []):
            store.arrange(step)
        with pytest.raises(UnsupportedRequest):
            store.send(group["request"])


def test_every_recorded_fact_is_replayed_or_left_out_once():
    replayed = [fact["id"] for fact in FACTS]
    left_out = [each for group in LEFT_OUT for each in group["ids"]]
    assert sorted(replayed + left_out) == sorted(replay.recorded_ids())


def test_page_about_the_facts_is_up_to_date():
    assert report.PAGE.read_text() == report.page()
