"""A store and a naive oracle, led through the same random history, give the same answers and hold the same."""

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.trust.machine import Machine

#: Kept short for ``make test``; ``make soak`` runs the machine for as long as one likes.
SHORT = settings(max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))


def test_a_store_answers_and_holds_what_a_list_of_events_says():
    run_state_machine_as_test(Machine, settings=SHORT)
