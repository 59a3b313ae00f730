"""An extension of mkdocstrings: docstrings are shown as they are meant.

- A name in the form of Sphinx, such as ``:class:`Headers```, is shown as code, with a link if a page describes it.
- The section ``Example:`` is one with code, as the plural is. A session of the interpreter is a program in which each
  output is a comment, so that a copy of it runs.
- The name of a decision in brackets, such as ``[transitions]``, is a sentence in parentheses with a link to its entry.
- The members of an enumeration are listed, with the comments above them.
- The comment above a constant, which begins with ``#:``, is its docstring.
- The parameters of a named tuple have their types and defaults, as those of a dataclass have.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import takewhile
from pathlib import Path

import griffe

_ROLE = re.compile(r":[a-z]+:`~?(?P<name>[\w.]+)`")
_EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)
_SESSION = re.compile(r"^(?P<indent> *)>>> .*(?:\n(?P=indent)\S.*|\n(?P=indent)\.\.\. .*)*", re.MULTILINE)
_NAME = re.compile(r"\[([a-z0-9-]+)\]")
_DECISION = re.compile(r"^### ([a-z0-9-]+)$", re.MULTILINE)
_DECISIONS = frozenset(_DECISION.findall((Path(__file__).parents[1] / "semantics.md").read_text(encoding="utf-8")))
_MEMBER = re.compile(r"^(?P<comments>(?: +#: .*\n)*) +(?P<member>[A-Z][A-Z0-9_]* = .+)$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Replaces these parts in all docstrings."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Replace them in the docstring of a module, class, function or attribute."""
        if isinstance(obj, griffe.Attribute) and obj.parent is not None and obj.parent.is_module:
            obj.docstring = obj.docstring or _comment_above(obj)
        if obj.docstring is not None:
            text = _ROLE.sub(partial(_reference, obj), obj.docstring.value)
            text = _NAME.sub(_link, text)
            obj.docstring.value = _SESSION.sub(_program, _EXAMPLE.sub("Examples:", text))

    def on_class_members(self, *, cls: griffe.Class, **_: object) -> None:
        """Add its members to the docstring of an enumeration, and its parameters to a named tuple."""
        if "NamedTuple" in map(str, cls.bases):
            kind = griffe.ParameterKind.positional_or_keyword
            fields = [
                griffe.Parameter(name, annotation=field.annotation, kind=kind, default=field.value)
                for name, field in cls.attributes.items()
            ]
            cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*fields)))
        if cls.docstring is not None and any(str(base).endswith("Enum") for base in cls.bases):
            members = []
            for found in _MEMBER.finditer("\n".join(cls.lines)):
                comment = " ".join(line.strip(" #:") for line in found["comments"].splitlines())
                members.append(f"- `{found['member']}`{comment and f': {comment}'}")
            cls.docstring.value += "\n\n" + "\n".join(members)


def _program(session: re.Match[str]) -> str:
    """Return a session of the interpreter as a block of code without prompts."""
    indent = session["indent"]
    lines = [line.removeprefix(indent) for line in session[0].splitlines()]
    code = [line[4:] if line.startswith((">>> ", "... ")) else "" if line == "..." else f"# {line}" for line in lines]
    return "\n".join(indent + line for line in ["```python", *code, "```"])


def _comment_above(constant: griffe.Attribute) -> griffe.Docstring | None:
    above = constant.lines_collection[Path(str(constant.filepath))][: (constant.lineno or 1) - 1]
    comments = list(takewhile(lambda line: line.startswith("#:"), reversed(above)))
    return griffe.Docstring("\n".join(line[3:] for line in reversed(comments)), parent=constant) if comments else None


def _reference(obj: griffe.Object, role: re.Match[str]) -> str:
    name = role["name"]
    first, dot, rest = name.partition(".")
    try:
        path = name if first == "fakestore" else obj.resolve(first) + dot + rest
    except griffe.NameResolutionError:
        return f"`{name}`"
    return f'<autoref identifier="{path}" optional><code>{name}</code></autoref>'


def _link(name: re.Match[str]) -> str:
    return f"(See [{name[1]}](../semantics.html#{name[1]}).)" if name[1] in _DECISIONS else name[0]
