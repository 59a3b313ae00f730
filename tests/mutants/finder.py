"""Finds the mutants of a file: small changes of the source, each of which some test should notice.

The constant parts of formatted text are changed, such as the names of headers, but not the expressions in its braces.
Left alone are annotations, `assert`, and text for people: docstrings, explanations, messages of Python's own errors and
of `UnsupportedRequest`, `__repr__` and `__str__`, and formatted text that has two words in a row.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

COMPARISONS = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
#: Two words in a row are text for people; header names, resources and ranges have none.
PROSE = re.compile("[a-z]+ [a-z]+")
#: The functions whose arguments are text for people, or names that only a person reads.
LEFT_ALONE = ("ValueError", "TypeError", "KeyError", "TypeVar", "NewType", "UnsupportedRequest")
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "*"}


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes from `start` to `end` of a file become `text`."""

    file: str
    line: int
    #: The lines of its statement: a test that runs one of them meets it.
    lines: range
    start: int
    end: int
    text: str
    what: str
    in_function: bool

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"

    def applied(self, source):
        return source[: self.start] + self.text.encode() + source[self.end :]


class Finder(ast.NodeVisitor):
    """Finds the mutants of one file."""

    def __init__(self, file, source):
        self.file, self.source = file, source
        self.offsets = [0]
        for line in source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.found = []
        self.statement = None
        self.depth = 0
        self.visit(ast.parse(source))

    def _span(self, node):
        return (
            self.offsets[node.lineno - 1] + node.col_offset,
            self.offsets[node.end_lineno - 1] + node.end_col_offset,
        )

    def _text(self, node):
        start, end = self._span(node)
        return self.source[start:end].decode()

    def _add(self, node, text, within=None):
        """Add a mutant. `within` is the expression to show if `node` is only a part of it."""
        start, end = self._span(node)
        before, after = self._text(node), text
        if within is not None:
            first, last = self._span(within)
            before = self.source[first:last].decode()
            after = (self.source[first:start] + text.encode() + self.source[end:last]).decode()
        shown = [re.sub(r"\s+", " ", each)[:90] for each in (before, after)]
        scope = self.statement or node
        lines = range(scope.lineno, scope.end_lineno + 1)
        what = f"{shown[0]}  ->  {shown[1]}"
        self.found.append(Mutant(self.file, node.lineno, lines, start, end, text, what, self.depth > 0))

    # -- what is left alone, and what is visited

    def visit_FunctionDef(self, node):
        if node.name in ("__repr__", "__str__"):
            return
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list]:
            self.visit(default)
        self.depth += 1
        self._body(node)
        self.depth -= 1

    def visit_ClassDef(self, node):
        for decorator in node.decorator_list:
            if "dataclass" not in self._text(decorator):
                self.visit(decorator)
        self._body(node)

    def visit_Module(self, node):
        self._body(node)

    def _body(self, node):
        for statement in node.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self.visit(statement)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.statement = node
            self.visit(node.value)
            self.statement = None

    def visit_Import(self, node):
        return

    visit_ImportFrom = visit_Assert = visit_Import

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in LEFT_ALONE:
            return
        for part in [node.func, *node.args, *node.keywords]:
            if not (isinstance(part, ast.keyword) and part.arg in ("explanation", "maxsize")):
                self.visit(part)

    # -- statements

    def visit(self, node):
        if isinstance(node, ast.stmt) and not isinstance(
            node, (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)
        ):
            self.statement = node
            super().visit(node)
            self.statement = None
        else:
            super().visit(node)

    def visit_Expr(self, node):
        if self.depth:
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node):
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in ("__all__", "__slots__"):
            return
        if self.depth and not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node):
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Delete(self, node):
        self._add(node, "pass")

    def visit_Continue(self, node):
        self._add(node, "break")

    def visit_Break(self, node):
        self._add(node, "continue")

    def visit_Return(self, node):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._add(node, "return None")
        self.generic_visit(node)

    # -- conditions

    def visit_If(self, node):
        if self._text(node.test) != "TYPE_CHECKING":
            self._negate(node.test)
            self.generic_visit(node)

    def visit_While(self, node):
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node):
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def _negate(self, test):
        # A comparison and a `not` have mutants of their own.
        if not isinstance(test, (ast.Compare, ast.UnaryOp)):
            self._add(test, f"(not ({self._text(test)}))")

    def visit_Compare(self, node):
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            gap = _between(left, right)
            before = self._text(gap)
            # Brackets around an operand are in the gap, too.
            symbol = re.sub(r"[()\s]+", " ", before).strip()
            self._add(gap, before.replace(symbol, f" {COMPARISONS[type(operator)]} ", 1), node)
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            gap = _between(left, right)
            self._add(gap, re.sub(rf"\b{symbol}\b", other, self._text(gap), count=1), node)
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self._add(node, f"({self._text(node.operand)})")
        elif isinstance(node.op, ast.USub):
            self._add(node, f"(+{self._text(node.operand)})")
        self.generic_visit(node)

    # -- values

    def visit_BinOp(self, node):
        if type(node.op) in ARITHMETIC and not isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            left, right = self._text(node.left), self._text(node.right)
            self._add(node, f"({left} {ARITHMETIC[type(node.op)]} {right})")
        self.generic_visit(node)

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool):
            self._add(node, repr(not value))
        elif isinstance(value, (int, float)):
            self._add(node, repr(value + 1))
        elif isinstance(value, str) and value:
            self._add(node, repr(changed(value)))
        elif isinstance(value, (str, bytes)):
            self._add(node, repr(value + (b"X" if isinstance(value, bytes) else "X")))

    def visit_JoinedStr(self, node):
        """Change each constant part. Python 3.11 has no positions of the expressions in braces, so these stay."""
        constants = [part.value for part in node.values if isinstance(part, ast.Constant)]
        if any(map(PROSE.search, constants)):
            return
        for place, part in enumerate(node.values):
            if isinstance(part, ast.Constant):
                parts = [*node.values[:place], ast.Constant(changed(part.value)), *node.values[place + 1 :]]
                self._add(node, ast.unparse(ast.JoinedStr(parts)))


def _between(left, right):
    """Return a node that stands for the source between two nodes."""
    gap = ast.Constant(None, lineno=left.end_lineno, col_offset=left.end_col_offset)
    gap.end_lineno, gap.end_col_offset = right.lineno, right.col_offset
    return gap


def changed(value):
    """Return another text."""
    return f"{value}X" if "X" not in value else value[1:]


def find(tree, files):
    """Return every mutant of these files that compiles."""
    mutants = []
    for file in files:
        source = (tree / file).read_bytes()
        for mutant in Finder(file, source).found:
            try:
                compile(mutant.applied(source), file, "exec")
            except SyntaxError:
                continue
            mutants.append(mutant)
    return mutants
