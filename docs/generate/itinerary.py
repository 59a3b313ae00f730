"""Prints what the framework calls for an operation: ``python -m docs.generate.itinerary "PUT Object"``."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from docs.generate.steps import Step, place_of, steps_of
from fakestore.api.arguments import parse_operation_name
from fakestore.operations import TABLE

_INTRODUCTION = """\
A line names a function or a class, its file and line, and when or why it is used. A sentence says what is done.
Indented below a function is what it calls for this operation. Open a function to see what else it calls.
"s3:PutObject: bucket WRITE" is an action of policies, and what the requester needs if no policy decides.
"field after: ?marker" is a value that is read from the query, "field code: x-svc-mfa" from a header.
"""

#: The most columns of a sentence or a list of names.
_WIDTH = 120


def lines_of(steps: Iterable[Step], indent: str = "") -> Iterator[str]:
    """Yield a line for each step and each of its calls, with the place of the definition and the note."""
    for step in steps:
        if step.function is None:
            yield from textwrap.wrap(
                step.note,
                _WIDTH,
                initial_indent=indent,
                subsequent_indent=f"{indent}  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        else:
            name = step.function.__qualname__.replace("<locals>.", "")
            yield f"{indent + name:<41} {place_of(step.function):<53} {step.note}".rstrip()
        yield from lines_of(step.calls, f"{indent}  ")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.generate.itinerary", description=__doc__)
    parser.add_argument("operation", help="its name, such as 'PUT Object' or PutObject")
    try:
        name = parse_operation_name(parser.parse_args(arguments).operation, TABLE)
    except ValueError as error:
        parser.error(str(error))
    (operation,) = (each for each in TABLE if each.name == name)
    print(_INTRODUCTION, *lines_of(steps_of(operation)), sep="\n")


if __name__ == "__main__":
    main()
