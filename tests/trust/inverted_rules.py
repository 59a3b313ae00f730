"""Do the state machines notice when a rule of the service is inverted?

    python -m tests.trust.inverted_rules [--seeds N] [--only TEXT ...] [--machine NAME ...] [--workers N]

Inverts each rule of `rules.py` in a copy of the tree. Then it runs the machine of the rule for ten seeds, each with the
budget of `make test`. Fails if fewer than nine of ten seeds notice a rule, or if a machine fails without any inversion.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.trust.inversions import ROOT, find_markers, inverted
from tests.trust.machines import MACHINES
from tests.trust.rules import RULES

#: The share of the seeds that must notice a rule.
REQUIRED = 0.9
#: In seconds, for all seeds of one rule: an inverted rule may never end, and that counts as noticed. It is long,
#: because a busy machine must not count as well.
TIMEOUT = 3600
#: Runs in a process of its own in the copy; prints for each seed whether the machine failed.
PROGRAM = """
import json, sys
import fakestore
assert fakestore.__file__.startswith(sys.argv[1]), fakestore.__file__
from tests.support.profile import load_profile
from tests.trust.machines import run
load_profile()
noticed = []
for number in range(int(sys.argv[3])):
    try:
        run(sys.argv[2], number=number, shrink=False)
    except Exception as error:
        noticed.append(f"{type(error).__name__}: {error}")
    else:
        noticed.append(None)
print(json.dumps(noticed))
"""


def notices(tree, machine, seeds, timeout):
    """Return for each seed the error by which the machine notices the change of this tree, or None."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM, str(tree), machine, str(seeds)]
    try:
        result = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return ["it does not end"] * seeds
    if result.returncode:
        sys.exit(f"the machine {machine!r} could not be run:\n{result.stderr}")
    return json.loads(result.stdout.splitlines()[-1])


def judge(machine, seeds, rule=None):
    """Return the errors by which the machine notices the inversion of a rule, or any errors if no rule is inverted."""
    with tempfile.TemporaryDirectory(prefix="rules-") as folder:
        tree = Path(folder).resolve()
        for name in ("fakestore", "tests"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        if rule is not None:
            path, line = find_markers(tree)[rule.marker]
            path.write_text(inverted(path.read_text(), line, rule.inversion))
        return notices(tree, machine, seeds, TIMEOUT if rule else None)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.trust.inverted_rules", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds (default 10)")
    parser.add_argument("--only", nargs="*", default=[""], help="only the rules whose name contains one of these texts")
    parser.add_argument("--machine", nargs="*", default=list(MACHINES), choices=MACHINES, help="only these machines")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    rules = [
        (machine, name, rule)
        for machine in options.machine
        for name, rule in RULES[machine].items()
        if any(text in name for text in options.only)
    ]
    started = time.monotonic()
    print(f"{len(rules)} rules, {options.seeds} seeds each; first every machine without an inversion", flush=True)
    missed = []
    with ThreadPoolExecutor(options.workers) as pool:
        machines = sorted({machine for machine, _, _ in rules})
        for errors in pool.map(lambda machine: judge(machine, options.seeds), machines):
            if failures := [error for error in errors if error]:
                sys.exit(f"a machine fails although no rule is inverted: {failures[0]}")
        judged = pool.map(lambda row: judge(row[0], options.seeds, row[2]), rules)
        for (machine, name, _), errors in zip(rules, judged, strict=True):
            found = sum(error is not None for error in errors)
            enough = found >= REQUIRED * options.seeds
            if not enough:
                missed.append(name)
            mark = "  " if enough else "!!"
            # A failed comparison is what should notice a rule; anything else may be a mistake of the edit.
            others = {error.partition(":")[0] for error in errors if error} - {"AssertionError"}
            note = f"  ({', '.join(sorted(others))})" if others else ""
            print(f"{mark} {found:2} of {options.seeds}  {machine:10}  {name}{note}", flush=True)
    print(f"{len(rules) - len(missed)} of {len(rules)} rules are noticed; {time.monotonic() - started:.0f} s")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
