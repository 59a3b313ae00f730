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
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult}
#: Two words in a row are text for people; header names, resources and ranges have none.
PROSE = re.compile("[a-z]+ [a-z]+")
#: The functions whose arguments are text for people, or names that only a person reads.
LEFT_ALONE = ("ValueError", "TypeError", "KeyError", "TypeVar", "NewType", "UnsupportedRequest")


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
        #: The statement without statements of its own that is visited at the moment.
        self.statement = None
        self.depth = 0
        self.visit(ast.parse(source))

    def _add(self, node, new):
        """Add the mutant with another expression, or with another text, in the place of a node."""
        start = self.offsets[node.lineno - 1] + node.col_offset
        end = self.offsets[node.end_lineno - 1] + node.end_col_offset
        text = new if isinstance(new, str) else f"({ast.unparse(new)})"
        before, after = (re.sub(r"\s+", " ", each)[:90] for each in (self.source[start:end].decode(), text))
        scope = self.statement or node
        lines = range(scope.lineno, scope.end_lineno + 1)
        what = f"{before}  ->  {after}"
        self.found.append(Mutant(self.file, node.lineno, lines, start, end, text, what, self.depth > 0))

    # -- what is left alone, and what is visited

    def visit_FunctionDef(self, node):
        if node.name in ("__repr__", "__str__"):
            return
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list]:
            self.visit(default)
        self.depth += 1
        self.visit_Module(node)
        self.depth -= 1

    def visit_ClassDef(self, node):
        for decorator in node.decorator_list:
            if "dataclass" not in ast.unparse(decorator):
                self.visit(decorator)
        self.visit_Module(node)

    def visit_Module(self, node):
        for statement in node.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self.visit(statement)

    def visit_Assign(self, node):
        if ast.unparse(node.targets[0]) not in ("__all__", "__slots__"):
            self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

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
        if not isinstance(node, ast.stmt) or hasattr(node, "body"):
            super().visit(node)
            return
        self.statement = node
        self._change_statement(node)
        super().visit(node)
        self.statement = None

    def _change_statement(self, node):
        match node:
            case ast.AugAssign() | ast.Raise() | ast.Delete():
                self._add(node, "pass")
            case ast.Expr() | ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]) if self.depth:
                self._add(node, "pass")
            case ast.Continue():
                self._add(node, "break")
            case ast.Break():
                self._add(node, "continue")
            case ast.Return(value=None | ast.Constant(value=None)):
                pass
            case ast.Return():
                self._add(node, "return None")

    # -- conditions

    def visit_If(self, node):
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self._negate(node.test)
            self.generic_visit(node)

    visit_While = visit_IfExp = visit_If

    def visit_comprehension(self, node):
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def _negate(self, test):
        # A comparison and a `not` have mutants of their own.
        if not isinstance(test, (ast.Compare, ast.UnaryOp)):
            self._add(test, ast.UnaryOp(ast.Not(), test))

    def visit_Compare(self, node):
        for place, operator in enumerate(node.ops):
            operators = [*node.ops[:place], COMPARISONS[type(operator)](), *node.ops[place + 1 :]]
            self._add(node, ast.Compare(node.left, operators, node.comparators))
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        for place in range(1, len(node.values)):
            parts = [ast.BoolOp(node.op, values) for values in (node.values[:place], node.values[place:])]
            self._add(node, ast.BoolOp(other, parts))
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self._add(node, node.operand)
        elif isinstance(node.op, ast.USub):
            self._add(node, ast.UnaryOp(ast.UAdd(), node.operand))
        self.generic_visit(node)

    # -- values

    def visit_BinOp(self, node):
        if type(node.op) in ARITHMETIC and not isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            self._add(node, ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))
        self.generic_visit(node)

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool):
            self._add(node, repr(not value))
        elif isinstance(value, (int, float)):
            self._add(node, repr(value + 1))
        elif isinstance(value, str):
            self._add(node, repr(changed(value)))
        elif isinstance(value, bytes):
            self._add(node, repr(value + b"X"))

    def visit_JoinedStr(self, node):
        """Change each constant part. Python 3.11 has no positions of the expressions in braces, so these stay."""
        constants = [part.value for part in node.values if isinstance(part, ast.Constant)]
        if any(map(PROSE.search, constants)):
            return
        for place, part in enumerate(node.values):
            if isinstance(part, ast.Constant):
                parts = [*node.values[:place], ast.Constant(changed(part.value)), *node.values[place + 1 :]]
                self._add(node, ast.unparse(ast.JoinedStr(parts)))


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
