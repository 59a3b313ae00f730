"""What client libraries keep of their configuration: the default session of boto3, and the filesystems of s3fs."""

from __future__ import annotations

import sys
from copy import copy
from functools import cache
from typing import Any

#: The loader, which needs 0.1 s to read the description of S3, and the handlers of botocore, which need 8 ms to be
#: registered. All sessions made here use this loader, and each has a copy of the handlers.
_shared: tuple[Any, Any] | None = None


def forget_filesystems() -> None:
    """Let s3fs, which pandas uses, make new filesystems. It would return those for an earlier store."""
    s3fs: Any = sys.modules.get("s3fs")
    if s3fs is not None:
        s3fs.S3FileSystem.clear_instance_cache()


def default_session() -> Any:
    """Return the default session. It is None if boto3 is not imported or has not made it yet."""
    return getattr(sys.modules.get("boto3"), "DEFAULT_SESSION", None)


def set_default_session(session: Any) -> None:
    """Replace the default session if boto3 is imported."""
    boto3: Any = sys.modules.get("boto3")
    if boto3 is not None:
        boto3.DEFAULT_SESSION = session


def new_session() -> Any:
    """Return a session that finds its credentials in the environment, or None if boto3 is not imported."""
    return None if "boto3.session" not in sys.modules else _session_class()()


@cache
def _session_class() -> Any:
    import boto3.session

    class Session(boto3.session.Session):  # type: ignore[misc]
        """A session that is set up when it is first used: that takes 5 ms, and many tests do not use it."""

        def __init__(self) -> None:
            pass

        def __getattr__(self, name: str) -> Any:
            if "_session" in self.__dict__:
                raise AttributeError(name)
            self.__dict__.update(vars(_new_boto3_session()))
            return getattr(self, name)

    return Session


def _new_boto3_session() -> Any:
    global _shared
    from boto3.session import Session
    from botocore.hooks import HierarchicalEmitter
    from botocore.session import Session as Core

    if _shared is None:
        handlers = HierarchicalEmitter()
        _shared = Core(event_hooks=handlers).get_component("data_loader"), copy(handlers)
    loader, handlers = _shared
    core = Core(event_hooks=copy(handlers), include_builtin_handlers=False)
    core.register_component("data_loader", loader)
    session = Session(botocore_session=core)
    loader.search_paths[:] = dict.fromkeys(loader.search_paths)  # each session adds the path of boto3
    return session
