"""Longer random runs: the state machines against their oracle, crowds of threads, hostile input.

    python -m tests.soak [--seed N] [--minutes M] [--only machines|threads|hostile]

Prints its seed first, then a line for every round, and for every failure the command that repeats it. The seed of a
round is one more than that of the round before. Exits with 1 if something failed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.support.profile import load_profile
from tests.trust.crowd import Crowd
from tests.trust.hostility import ROUTES, Judge, bodies, hostile_requests, request_of
from tests.trust.hostility_s3 import S3Judge, hostile_s3_requests
from tests.trust.machines import MACHINES, run


def options(examples):
    """Return settings without a database: the seed alone repeats a round."""
    return settings(
        max_examples=examples,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=True,
    )


def machines(number):
    """Run 200 histories of up to 60 steps of each machine."""
    for name in MACHINES:
        run(name, number=number, examples=200, steps=60)
    return 200 * len(MACHINES)


def threads(number):
    """Run four crowds of 32 threads and 25 operations each."""
    for part in range(4):
        crowd = Crowd(f"{number} {part}", steps=25)
        crowd.run()
        crowd.check()
    return 4 * 32 * 25


def hostile(number):
    """Send 2,000 random requests and 250 documents to every route, and 2,000 requests in the dialect S3."""
    judge, s3_judge = Judge(), S3Judge()

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

    @seed(number)
    @options(2000)
    @given(hostile_s3_requests)
    def s3_requests(request):
        s3_judge.handle(request)

    requests()
    documents()
    s3_requests()
    return 4000 + 250 * len(ROUTES)


KINDS = {"machines": machines, "threads": threads, "hostile": hostile}
COUNTED = {"machines": "histories", "threads": "operations", "hostile": "requests"}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--only", choices=KINDS)
    arguments = parser.parse_args()
    load_profile()
    kinds = [arguments.only] if arguments.only else list(KINDS)
    print(f"seed {arguments.seed}, {arguments.minutes:g} minutes", flush=True)
    end = time.monotonic() + 60 * arguments.minutes
    done = dict.fromkeys(kinds, 0)
    failures = []
    number = arguments.seed
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
    summary = ", ".join(f"{count:,} {COUNTED[kind]}" for kind, count in done.items())
    print(f"done: {summary}; {len(failures)} failed")
    for again in failures:
        print(f"  {again}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
