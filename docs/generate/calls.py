"""Functions of fakestore with what they call, and the errors that they raise, as their source says."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple, get_type_hints

from docs.generate.operations import describe_requirement
from fakestore.errors import ErrorCode, ErrorResponse
from fakestore.model.bucket import BucketRecord
from fakestore.model.multipart_upload import MultipartUpload, UploadIndex
from fakestore.model.state import State
from fakestore.operations import TABLE
from fakestore.operations.condition_keys import condition_keys
from fakestore.operations.framework.access import Access, authorize
from fakestore.operations.framework.preconditions import VersionConditions
from fakestore.protocol.dialect import DOCUMENT

_ROOT = Path(__file__).parents[2]

#: A function, or a class.
Function = Callable[..., object]


class Step(NamedTuple):
    """A step of a request, or something that it calls.

    Args:
        function: The function or class; None if there is only a note.
        note: What it reads, checks or changes, or when it is called.
        calls: What it calls for the operation, in this order. A request may need only some of them.
    """

    function: Function | None
    note: str = ""
    calls: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        return "" if self.function is None else self.function.__qualname__.replace("<locals>.", "")


@cache
def place_of(function: Function) -> str:
    """Return the file and the line of a definition, as editors open them."""
    lines, number = inspect.getsourcelines(function)
    if function.__name__ != "<lambda>":  # decorators come first
        number += next(index for index, line in enumerate(lines) if re.match(r" *(def|class) ", line))
    return f"{Path(inspect.getfile(function)).relative_to(_ROOT)}:{number}"


@cache
def source_of(function: Any) -> str:
    return dedent(inspect.getsource(function))


@cache
def codes_of(function: Any) -> list[str]:
    """Return the codes of the errors that a function raises itself, in the order of its source.

    A function of its module, or that it imports, may make the error.
    """
    codes, functions = [], [function]
    for each in functions:
        names = getattr(each, "__globals__", {})
        classes = [own for own in names.values() if inspect.isclass(own) and own.__module__ == each.__module__]
        # In `NO_SUCH_KEY.error`, the method is that of ErrorCode. A code that is compared is not raised.
        for word in re.findall(r"\b(\w+)\b(?:(?<=[A-Z\d])\.error)?(?!\.code\b)", source_of(each)):
            for named in (space.get(word) for space in (names, *map(vars, classes))):
                if isinstance(named, ErrorCode):
                    codes.append(named.code)
                elif _returns_error(named) and named not in functions:
                    functions.append(named)
    return list(dict.fromkeys(codes))


def _returns_error(function: Any) -> bool:
    return inspect.isfunction(function) and function.__annotations__.get("return") == ErrorResponse.__name__


#: The modules whose functions are listed below the functions that call them.
_LISTED = re.compile(r"fakestore\.(operations\.(\w+|framework\.preconditions)|model\.(bucket|multipart_upload|state))")

#: The types of expressions that functions have in common. The types of arguments come from their annotations.
_TYPES: dict[str, type] = {
    "bucket": BucketRecord,
    "existing": BucketRecord,
    "self.bucket(name)": BucketRecord,
    "bucket.uploads": UploadIndex,
    "self.uploads": UploadIndex,
    "upload": MultipartUpload,
    "call.state": State,
    "self.conditions": VersionConditions,
}


def step_of(function: Any, note: str = "", owner: Any = None, levels: int = 1) -> Step:
    """Return a function with what it authorizes, sets and calls, in the order of its source.

    Args:
        owner: The class whose method it is. Another class may define the method.
        levels: How many levels of calls are listed below it.
    """
    return Step(function, note, tuple(dict.fromkeys(_calls(function, owner, levels))))


def _calls(function: Any, owner: Any, levels: int) -> Iterator[Step]:
    if not hasattr(function, "__globals__") or function.__name__ == "<lambda>":
        return
    names = function.__globals__
    types = {**get_type_hints(function), "self": owner, "cls": owner, **_TYPES}
    types["super()"] = owner and super(names[function.__qualname__.partition(".")[0]], owner)
    nodes = ast.walk(ast.parse(source_of(function)))
    for node in sorted(nodes, key=lambda each: (getattr(each, "lineno", 0), getattr(each, "col_offset", 0))):
        receiver, called = None, None
        match node:
            case ast.Assign([ast.Attribute(ast.Name(record), name)]) if types.get(record) is BucketRecord:
                yield Step(None, f"sets bucket.{name}")
            case ast.Call(ast.Name("authorize" | "is_authorized"), [ast.Name(access), *_]):
                yield authorization(names[access])
            case ast.Name(name):
                called = names.get(name)
            case ast.Attribute(value, name):
                receiver = types.get(ast.unparse(value))
                called = getattr(receiver, name, None)
        module = getattr(called, "__globals__", {}).get("__name__", "")
        if levels and _LISTED.fullmatch(module) and not _returns_error(called):
            yield step_of(called, owner=owner if isinstance(receiver, super) else receiver, levels=levels - 1)


def authorization(access: Access) -> Step:
    both = [each for each in (access, access.version) if each is not None]
    actions = [each.action for each in both]
    keys = condition_keys(DOCUMENT.header_prefix).values()
    names = [key.name for key in keys if key.actions is not None and any(map(key.applies_to, actions))]
    values = Step(TABLE.condition_keys.values, "if the policy has statements", (Step(None, ", ".join(names)),))
    refusals = [Step(each.requirement.find_refusal) for each in both if each.requirement.find_refusal is not None]
    note = f"{' or, with a version, '.join(actions)}: {describe_requirement(access)}"
    return Step(authorize, note, (values, *refusals))
