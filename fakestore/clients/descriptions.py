"""botocore's descriptions of services. Each session parses them again, which takes 50 ms, unless a store is entered."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, patching

#: The methods of botocore's Loader whose results are shared. They call one another.
_SHARED = (
    "list_available_services",
    "determine_latest_version",
    "list_api_versions",
    "load_service_model",
    "load_data_with_path",
)


def install(target: Target) -> None:
    """Let the sessions that are made from now on share what they read."""
    if "botocore.session" in sys.modules:
        with patching:
            _replacement().put_in_place()


def uninstall(target: Target) -> None:
    """Let new sessions read for themselves again after the last store."""
    if "botocore.session" in sys.modules:
        with patching:
            if not active:
                _replacement().remove()


@cache
def _replacement() -> Replacement:
    import botocore.session

    return Replacement(botocore.session, "create_loader", _make_create_loader)


def _make_create_loader(original: Any) -> Any:
    def create_sharing_loader(search_path_string: str | None = None) -> Any:
        loader = original(search_path_string)
        return _sharing_loader_class()(loader.search_paths, include_default_search_paths=False)

    return create_sharing_loader


@cache
def _sharing_loader_class() -> Any:
    from botocore.loaders import Loader

    return type("SharingLoader", (Loader,), {name: _sharing(getattr(Loader, name)) for name in _SHARED})


def _sharing(load: Any) -> Any:
    """Return a method of a loader that asks a loader of all sessions, if both search the same libraries only.

    Other folders, such as ``~/.aws/models``, may have changed since. botocore completes some descriptions in place when
    it first uses them: the path of an operation of S3, an endpoint, a reference. It does so in the same way for each
    client, because the clients of one session share them, too.
    """

    def load_shared(self: Any, *args: Any, **kwargs: Any) -> Any:
        paths = tuple(filter(os.path.isdir, dict.fromkeys(self.search_paths)))
        if not _library_paths().issuperset(paths):
            return load(self, *args, **kwargs)
        loaded = load(_shared_loader(paths), *args, **kwargs)
        return loaded.copy() if isinstance(loaded, list) else loaded

    return load_shared


def _library_paths() -> set[str]:
    """Return the folders of botocore and boto3. A session of boto3 adds the second one."""
    packages = (sys.modules.get(name) for name in ("botocore", "boto3"))
    return {str(Path(each.__file__).parent / "data") for each in packages if each and each.__file__}


@cache
def _shared_loader(paths: tuple[str, ...]) -> Any:
    from botocore.loaders import Loader

    return Loader([*paths], include_default_search_paths=False)
