"""Prints the steps of an operation, each with what it calls: ``python -m docs.generate.itinerary "PUT Object"``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from textwrap import wrap

from docs.generate.calls import Step, codes_of, place_of
from docs.generate.steps import steps_of
from fakestore.api.arguments import parse_operation_name
from fakestore.operations import TABLE


def lines_of(steps: Iterable[Step], indent: str = "") -> Iterator[str]:
    """Yield a line for each step and each of its calls, with the place of the definition and the note."""
    for step in steps:
        if step.function is None:
            yield from wrap(step.note, 120, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
        else:
            note = "; ".join(filter(None, (step.note, ", ".join(codes_of(step.function)))))
            yield f"{indent + step.name:<42} {place_of(step.function):<57} {note}".rstrip()
        yield from lines_of(step.calls, f"{indent}  ")


arguments = argparse.ArgumentParser(prog="python -m docs.generate.itinerary", description=__doc__)
arguments.add_argument("operation", help="its name, such as 'PUT Object' or PutObject")
name = parse_operation_name(arguments.parse_args().operation, TABLE)
(operation,) = (each for each in TABLE if each.name == name)
print("Functions below another are in the order of its source; a request calls some of them.")
print("Behind a function are its note, and the codes of the errors that it raises itself.\n")
print(*lines_of(steps_of(operation)), sep="\n")
