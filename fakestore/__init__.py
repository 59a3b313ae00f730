"""An in-process fake of an HTTP object storage service, for tests.

`fakestore.public` lists the public names. It is imported when a name is first used, because pytest imports the package
of every plugin in every run. A run without a store should not pay for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakestore.clients.unexpected import UnexpectedRequest as UnexpectedRequest
    from fakestore.public import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        if name.startswith("_") and name != "__all__":  # programs look for such names in every module
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "UnexpectedRequest":  # its module imports `requests`, which a store alone does not need
            return import_module("fakestore.clients.unexpected").UnexpectedRequest
        public = import_module("fakestore.public")
        # Without `__file__`, and without the `@py_builtins` of pytest, which rewrites the modules of a plugin.
        names = ["UnexpectedRequest", *(each for each in dir(public) if each[0].isalpha())]
        if name == "__all__":
            return names
        if name not in names:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(names)}")
        return getattr(public, name)

    def __dir__() -> list[str]:
        return sorted(__getattr__("__all__"))
