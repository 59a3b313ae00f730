"""The dialects of the fake. Each has a module, which is imported with its forms of credentials when it is used."""

from __future__ import annotations

from importlib import import_module

from fakestore.protocol.dialect import Dialect

#: The names that ``fake_store(dialect=...)`` accepts: of the modules, and in upper case of the dialects in them.
DIALECT_NAMES = ("document", "s3")


def get_dialect(name: str) -> Dialect:
    """Return the dialect with this name.

    Raises:
        ValueError: If no dialect has this name.
    """
    if name not in DIALECT_NAMES:
        raise ValueError(f"unknown dialect {name!r}: expected one of {', '.join(DIALECT_NAMES)}, or a Dialect")
    dialect: Dialect = getattr(import_module(f"{__name__}.{name}"), name.upper())
    return dialect
