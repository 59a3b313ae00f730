"""The dialects of the fake. Each has a module, which is imported with its signature schemes when it is used."""

from __future__ import annotations

from importlib import import_module

from fakestore.messages import did_you_mean
from fakestore.protocol.dialect import Dialect

#: The names that ``fake_store(dialect=...)`` accepts: of the modules, and in upper case of the dialects in them.
DIALECT_NAMES = ("document", "s3")


def get_dialect(name: str) -> Dialect:
    """Return the dialect with this name.

    Raises:
        ValueError: If no dialect has this name.
    """
    if name not in DIALECT_NAMES:
        expected = ", ".join(map(repr, DIALECT_NAMES))
        raise ValueError(
            f"unknown dialect {name!r}: expected {expected} or a Dialect.{did_you_mean(name, DIALECT_NAMES)}"
        )
    dialect: Dialect = getattr(import_module(f"{__name__}.{name}"), name.upper())
    return dialect
