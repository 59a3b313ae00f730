"""An in-process fake of an HTTP object storage service, for tests.

`fakestore.public` lists the public names. It is imported when a name is first used, because pytest imports the package
of every plugin in every run. A run without a store should not pay for it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakestore.clients.unexpected import UnexpectedRequest as UnexpectedRequest
    from fakestore.public import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        if name.startswith("_") and name != "__all__":  # programs look for such names in every module
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "UnexpectedRequest":  # its module imports `requests`, which a store alone does not need
            from fakestore.clients.unexpected import UnexpectedRequest

            globals()[name] = UnexpectedRequest
            return UnexpectedRequest
        import fakestore.public as public

        # pytest rewrites the modules of a plugin. It adds names that are not identifiers.
        names = [each for each in vars(public) if each.isidentifier() and not each.startswith("_")]
        globals().update({each: getattr(public, each) for each in names}, __all__=["UnexpectedRequest", *names])
        if name not in globals():
            known = ", ".join(globals()["__all__"])
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {known}")
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted(__getattr__("__all__"))
