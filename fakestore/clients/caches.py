"""Caches of client libraries: the default session of boto3, and the filesystems of s3fs."""

from __future__ import annotations

import sys
from copy import copy
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

from fakestore.clients.target import Reach, is_for


def forget_filesystems() -> None:
    """Let s3fs, which pandas uses, make new filesystems. The cached filesystems belong to an earlier store."""
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


def new_session(reach: Reach) -> Any:
    """Return a session that finds its credentials in the environment, or None if boto3 is not imported.

    Its clients refuse requests to the store after it was left.
    """
    return None if "boto3.session" not in sys.modules else _session_class()(reach)


@cache
def _session_class() -> Any:
    import boto3.session

    class Session(boto3.session.Session):  # type: ignore[misc]
        """A session that is set up at its first use. The setup takes 5 ms, and many tests do not use the session."""

        def __init__(self, reach: Reach) -> None:
            self._reach = reach

        def __getattr__(self, name: str) -> Any:
            if "_session" in self.__dict__ or "_reach" not in self.__dict__:  # a copy begins without these two
                raise AttributeError(name)
            self.__dict__.update(vars(_new_boto3_session(self._reach)))
            return getattr(self, name)

    return Session


@cache
def _shared_handlers(handler_count: int) -> Any:
    """Return the handlers of botocore, whose registration takes 8 ms. Each session made here has a copy.

    Args:
        handler_count: How many handlers botocore has. Other libraries, such as moto, add some when they are imported.
    """
    from botocore.hooks import HierarchicalEmitter
    from botocore.session import Session

    handlers = HierarchicalEmitter()
    Session(event_hooks=handlers)
    return handlers


def _new_boto3_session(reach: Reach) -> Any:
    from boto3.session import Session
    from botocore.handlers import BUILTIN_HANDLERS
    from botocore.session import Session as Core

    core = Core(event_hooks=copy(_shared_handlers(len(BUILTIN_HANDLERS))), include_builtin_handlers=False)
    core.register("before-send.s3", partial(_before_send, reach))
    return Session(botocore_session=core)


def _before_send(reach: Reach, request: Any, **_: Any) -> None:
    """Refuse a request to a store that was left. Note a request to the store, which another mock may answer."""
    from fakestore.clients.unexpected import refuse_if_left

    url = urlsplit(request.url)
    refuse_if_left(reach, request.method, url)
    if is_for(reach.endpoint, url.scheme, url.netloc):
        reach.last_sent = f"{request.method} {url._replace(query='').geturl()}"
