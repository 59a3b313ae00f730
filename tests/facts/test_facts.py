"""The recorded facts, replayed; see ``replay.py`` for where they come from and how to read them."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from fakestore import UnsupportedRequest
from tests.facts import replay, report

FACTS = [fact for topic in replay.topics() for fact in replay.load(topic)]
LEFT_OUT = replay.load("left_out")
CASES = [(fact, value) for fact in FACTS for value in fact.get("for", [""])]
REFUSED = [group for group in LEFT_OUT if "request" in group]


def name_of(case):
    fact, value = case
    return f"{fact['id']}[{value}]" if value else fact["id"]


@pytest.fixture(scope="module")
def clock():
    with freeze_time(replay.START) as frozen:  # once, since it looks into every module there is
        yield frozen


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_answer_is_the_recorded_one(case, clock):
    fact, value = case
    with replay.Replay(clock, value) as store:
        for step in fact.get("given", []):
            store.arrange(step)
        assert store.told(store.ask(fact["request"]), fact) == replay.expected(fact, value)


@pytest.mark.parametrize("group", REFUSED, ids=lambda group: group["ids"][0])
def test_what_is_not_modelled_is_refused_as_unsupported(group, clock):
    with replay.Replay(clock) as store:
        for step in group.get("given", []):
            store.arrange(step)
        with pytest.raises(UnsupportedRequest):
            store.ask(group["request"])


def test_every_recorded_fact_is_replayed_or_left_out_once():
    replayed = [fact["id"] for fact in FACTS]
    left_out = [each for group in LEFT_OUT for each in group["ids"]]
    assert sorted(replayed + left_out) == sorted(replay.recorded_ids())


def test_the_facts_of_a_topic_stand_in_its_file_in_order():
    for topic in replay.topics():
        ids = [fact["id"] for fact in replay.load(topic)]
        assert ids == sorted(each for each in ids if each.startswith(f"{topic}-"))


@pytest.mark.parametrize("group", LEFT_OUT, ids=lambda group: group["ids"][0])
def test_what_is_left_out_is_of_a_known_kind_and_has_a_reason(group):
    assert (group["kind"] in report.KINDS, bool(group["reason"])) == (True, True)


def test_the_page_on_facts_is_what_the_data_says():
    assert report.PAGE.read_text() == report.page()
