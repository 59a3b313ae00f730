"""Ways to invert a rule of the service, at the place in the source that the comment `# rule: name` marks.

A marker stands at the end of the first line of a statement or expression, or alone on the line above. An inversion is a
function of the marked node. It returns the part to replace, and the nodes that take its place.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARKER = re.compile(r"# rule: ([a-z-]+)$")


def find_markers(tree):
    """Return the file and the line that each marker in the package marks.

    Raises:
        ValueError: If two markers have the same name.
    """
    places = {}
    for path in (tree / "fakestore").rglob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := MARKER.search(line):
                if match[1] in places:
                    raise ValueError(f"{path} and {places[match[1]][0]} have the same marker {match[1]!r}")
                is_above = line.lstrip() == match[0]
                places[match[1]] = path, number + is_above
    return places


def inverted(source, line, inversion):
    """Return the source with the statement or expression inverted that begins at a line."""
    module = ast.parse(source)
    marked = next(node for node in ast.walk(module) if getattr(node, "lineno", None) == line)
    return ast.unparse(_Replacement(*inversion(marked)).visit(module))


class _Replacement(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else super().visit(node)


# -- conditions: of an `if`, of a conditional expression, or what is returned, assigned or passed


def always(marked):
    return condition(marked), expression("True")


def never(marked):
    return condition(marked), expression("False")


def negate(number):
    """Negate an operand of the condition."""

    def invert(marked):
        found = operands(marked)[number - 1]
        is_negated = isinstance(found, ast.UnaryOp) and isinstance(found.op, ast.Not)
        return found, found.operand if is_negated else ast.UnaryOp(ast.Not(), found)

    return invert


def omit(number):
    """Omit an operand of the condition."""
    return lambda marked: (operands(marked)[number - 1], None)


def operand(number, text):
    """Replace an operand of the condition."""
    return lambda marked: (operands(marked)[number - 1], expression(text))


def compare(number, operator):
    """Compare with another operator in an operand of the condition."""

    def invert(marked):
        comparison = operands(marked)[number - 1]
        return comparison, ast.Compare(comparison.left, expression(f"a {operator} b").ops, comparison.comparators)

    return invert


# -- other parts of a statement


def argument(key, text):
    """Pass another argument to the outermost call. The key is its name, or its number from 1."""

    def invert(marked):
        call = next(node for node in ast.walk(marked) if isinstance(node, ast.Call))
        new = expression(text)
        if isinstance(key, int):
            return call.args[key - 1], new
        keywords = {keyword.arg: keyword.value for keyword in call.keywords} | {key: new}
        return call, ast.Call(call.func, call.args, [ast.keyword(*each) for each in keywords.items()])

    return invert


def loop_over(text):
    """Iterate over something else in the first loop."""
    return lambda marked: (next(node.iter for node in ast.walk(marked) if hasattr(node, "iter")), expression(text))


# -- statements


def instead(text):
    return lambda marked: (marked, ast.parse(text).body)


skip = instead("pass")


def before(text):
    """Insert statements before the marked statement."""
    return lambda marked: (marked, [*ast.parse(text).body, marked])


def separate(marked):
    """Let the part after `else` or `elif` run always."""
    return marked, [ast.If(marked.test, marked.body, []), *marked.orelse]


def expression(text):
    return ast.parse(text, mode="eval").body


def condition(marked):
    found = marked.test if isinstance(marked, ast.If) else getattr(marked, "value", marked)
    return found.test if isinstance(found, ast.IfExp) else found


def operands(marked):
    """Return the operands of `and` and `or` in the condition, from left to right."""

    def split(part):
        inner = part.operand if isinstance(part, ast.UnaryOp) else part
        return [each for value in inner.values for each in split(value)] if isinstance(inner, ast.BoolOp) else [part]

    return split(condition(marked))
