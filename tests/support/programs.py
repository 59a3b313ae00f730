"""Programs that run in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent


def run_program(code: str, *options: str) -> str:
    """Run a program in a new process, and return what it prints. It must not fail, nor warn."""
    command = [sys.executable, *options, "-c", dedent(code)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout
