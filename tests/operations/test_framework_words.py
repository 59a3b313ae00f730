"""The framework of operations names no noun of the service: what a noun needs is a value that an operation declares."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import fakestore

FRAMEWORK = Path(fakestore.__file__).parent / "operations" / "framework"
NOUNS = {"copy", "copies", "copied", "cors", "form", "kms", "lock", "mfa", "multipart", "payer", "tag"}
#: What contains one of the words and means something else: entity tags of HTTP, the method `copy` of a value, and the
#: module with the locks of threads.
OTHER_MEANINGS = (r"(entity[ _]|split_|content_)tags?\b|EntityTags?", r"\.copy\(\)", r"^from fakestore\.locks import ")
#: An example in a docstring: a literal in two backquotes, or an indented block after a line such as ``Example::``.
EXAMPLES = (r"``[^`]*``", r"::\n\n(?:(?:    ){2,}.*\n|\n)+")


def words_of(source):
    """Return the words of a text in lower case. Names are split at underscores and where the case changes."""
    for pattern in (*EXAMPLES, *OTHER_MEANINGS):
        source = re.sub(pattern, " ", source, flags=re.MULTILINE | re.IGNORECASE)
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", source)]


def nouns_in(source):
    return {word for word in words_of(source) if word in NOUNS or word.removesuffix("s") in NOUNS}


def test_framework_names_no_noun():
    found = {file.name: nouns_in(file.read_text("utf-8")) for file in FRAMEWORK.glob("*.py")}
    assert len(found) > 5
    assert {name: nouns for name, nouns in found.items() if nouns} == {}


def imports_in(source):
    """Return the full names of everything that a text imports, also in functions. Dots stand for relative imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{each.name}" for each in node.names)


def operations_in(names):
    """Return the names that may be an operation: relative ones, and those in the package outside of the framework."""
    dotted = [f"{name}." for name in names]
    outside = re.compile(r"\.|fakestore\.operations\.(?!framework\.)")
    return [name.removesuffix(".") for name in dotted if outside.match(name)]


def test_framework_imports_no_operation():
    imported = {name for file in FRAMEWORK.glob("*.py") for name in imports_in(file.read_text("utf-8"))}
    assert "fakestore.operations.framework.call.Call" in imported
    assert operations_in(imported) == []


def test_every_form_of_import_is_found():
    source = """
import fakestore.operations.acl
from fakestore import operations
from fakestore.operations import acl, framework
from fakestore.operations.framework.call import Call
def later():
    from fakestore.operations.acl import ACL_HEADERS
    from .. import acl
"""
    assert operations_in(imports_in(source)) == [
        "fakestore.operations.acl",
        "fakestore.operations",
        "fakestore.operations.acl",
        "fakestore.operations.acl.ACL_HEADERS",
        "...acl",
    ]


def test_words_are_parts_of_names():
    assert nouns_in("def check_MFATransport(copySource, tags): ...") == {"copy", "tags", "mfa"}
    assert nouns_in("parse_entity_tags(information, platform)  # an entity tag, stage, blocked") == set()
    assert nouns_in('    """Do.\n\n    Example::\n\n        lock = form()\n\n    A tag.\n    """') == {"tag"}
