"""State machines: random histories of a store, each step compared with the oracle of `tests/trust/oracle`.

Every machine is about one part of the service and keeps the key space small, so that its rules meet each other often.
Hypothesis draws for each history which rules take part in it (swarm testing). Requests go to `store.handle`.
"""

from __future__ import annotations

from freezegun import freeze_time
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.trust.machines.access import Access
from tests.trust.machines.conditions import ConditionsAndCopies
from tests.trust.machines.lifecycle import Lifecycle
from tests.trust.machines.locks import Locks
from tests.trust.machines.ownership import Ownership
from tests.trust.machines.store_machine import START
from tests.trust.machines.uploads import Uploads
from tests.trust.machines.versions import Versions

#: Each machine, with how many histories of how many steps `make test` runs: as many as the rules of
#: `tests/trust/inverted_rules.py` need. `make soak` runs more.
MACHINES = {
    "versions": (Versions, 120, 25),
    "access": (Access, 60, 5),
    "conditions": (ConditionsAndCopies, 90, 25),
    "lifecycle": (Lifecycle, 90, 20),
    "uploads": (Uploads, 100, 20),
    "locks": (Locks, 120, 20),
    "ownership": (Ownership, 60, 7),
}


def run(name, *, number=None, examples=None, steps=None, shrink=True):
    """Run a machine with the budget of `make test`, or with another; the same number repeats the same histories."""
    machine, usual_examples, usual_steps = MACHINES[name]
    chosen = settings(
        max_examples=examples or usual_examples,
        stateful_step_count=steps or usual_steps,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        print_blob=shrink,
        report_multiple_bugs=False,
    )
    # Hypothesis measures how long it shrinks a failure. A freeze takes 10 ms, so the histories share one.
    with freeze_time(START, ignore=["hypothesis"]) as clock:
        test = type(machine.__name__, (machine,), {"clock": clock})
        if number is not None:
            test = seed(number)(test)
        run_state_machine_as_test(test, settings=chosen)
