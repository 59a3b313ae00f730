"""Longer random runs: the machine against its oracle, crowds of threads, hostile input.

    python -m tests.soak [--seed N] [--minutes M] [--only machine|threads|hostile]

Prints its seed first, then a line for every round, and what failed with the command that repeats it. Each round has a
seed of its own, counted up from the one given. Ends with 1 where something failed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.trust.crowd import Crowd
from tests.trust.hostility import ROUTES, Judge, bodies, hostile_requests, request_of
from tests.trust.machine import Machine


def options(examples, **more):
    """Without the time-keeping of hypothesis, and without its database: the seed alone repeats a round."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=True,
        **more,
    )


def machine(number):
    """100 histories of up to 100 steps."""
    test = seed(number)(type("Machine", (Machine,), {}))
    run_state_machine_as_test(test, settings=options(100, stateful_step_count=100))
    return 100


def threads(number):
    """Four crowds of 32 threads and 25 operations each."""
    for part in range(4):
        crowd = Crowd(f"{number} {part}", steps=25)
        crowd.run()
        crowd.check()
    return 4 * 32 * 25


def hostile(number):
    """4,000 requests and documents."""
    judge = Judge()

    @seed(number)
    @options(2000)
    @given(hostile_requests())
    def requests(request):
        judge.handle(request)

    @seed(number)
    @options(250)
    @given(bodies)
    def documents(body):
        for route in ROUTES:
            judge.handle(request_of(*route, body=body))

    requests()
    documents()
    return 2000 + 250 * len(ROUTES)


KINDS = {"machine": machine, "threads": threads, "hostile": hostile}
COUNTED = {"machine": "histories", "threads": "operations", "hostile": "requests"}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--only", choices=KINDS)
    given_options = parser.parse_args()
    kinds = [given_options.only] if given_options.only else list(KINDS)
    print(f"seed {given_options.seed}, {given_options.minutes:g} minutes", flush=True)
    end = time.monotonic() + 60 * given_options.minutes
    done = dict.fromkeys(kinds, 0)
    failures = []
    number = given_options.seed
    while time.monotonic() < end:
        for kind in kinds:
            started = time.monotonic()
            try:
                done[kind] += KINDS[kind](number)
            except Exception:
                again = f"python -m tests.soak --only {kind} --seed {number} --minutes 0.01"
                failures.append(again)
                traceback.print_exc()
                print(f"FAILED: {kind}, seed {number}; again: {again}", flush=True)
            else:
                print(f"{kind} {number}: {time.monotonic() - started:.0f} s", flush=True)
        number += 1
    told = ", ".join(f"{count:,} {COUNTED[kind]}" for kind, count in done.items())
    print(f"done: {told}; {len(failures)} failed")
    for again in failures:
        print(f"  {again}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
