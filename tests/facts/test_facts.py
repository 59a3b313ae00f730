"""The recorded facts, replayed; `replay.py` says where they come from and how to read them."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from fakestore import UnsupportedRequest
from tests.facts import replay, report

FACTS = {dialect: replay.replayed(dialect) for dialect in replay.DIALECTS}


@contextmanager
def naming(fact):
    """Add the name of the fact to an error."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the fact {fact}")
        raise


@pytest.mark.decision("unexpected-body")
@pytest.mark.parametrize("topic", replay.topics())
@pytest.mark.parametrize("dialect", replay.DIALECTS)
def test_answers_are_the_recorded_ones(dialect, topic, frozen_clock):
    wrong = []
    values = [(fact, value) for fact in FACTS[dialect] for value in fact.get("for", [""])]
    for fact, value in values:
        if not fact["id"].startswith(f"{topic}-"):
            continue
        name = f"{fact['id']} {value}".rstrip()
        with naming(name), replay.Replay(frozen_clock, dialect, value, fact.get("options")) as store:
            for step in fact.get("given", []):
                store.arrange(step)
            answer, recorded = store.answer(store.send(fact["request"]), fact), replay.expected(fact, dialect, value)
        wrong += [
            f"{name}: {part} is {answer.get(part)!r}, recorded was {recorded.get(part)!r}"
            for part in sorted(answer.keys() | recorded.keys())
            if answer.get(part) != recorded.get(part)
        ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dialect", replay.DIALECTS)
def test_request_that_is_not_supported_says_so(dialect, frozen_clock):
    for group in replay.left_out(dialect):
        if "request" in group:
            with naming(group["ids"][0]), replay.Replay(frozen_clock, dialect) as store:
                with pytest.raises(UnsupportedRequest):
                    store.send(group["request"])


@pytest.mark.parametrize("dialect", replay.DIALECTS)
def test_every_recorded_fact_is_replayed_or_left_out_once(dialect):
    replayed = [fact["id"] for fact in FACTS[dialect]]
    left_out = [each for group in replay.left_out(dialect) for each in group["ids"]]
    assert sorted(replayed + left_out) == sorted(replay.recorded_ids())


def test_the_page_about_the_facts_counts_every_fact():
    assert f"| all | {len(replay.recorded_ids())} |" in report.page()
