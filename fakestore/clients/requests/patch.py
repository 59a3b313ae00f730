"""One patch of `requests` for all active stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import requests
import requests.adapters
from requests.adapters import HTTPAdapter
from responses import RequestsMock

from fakestore.clients.replacement import leave_to_mock
from fakestore.clients.requests.convert import split_url
from fakestore.clients.requests.send import send, timeout_argument
from fakestore.clients.served import is_at_parent
from fakestore.clients.target import Target
from fakestore.clients.unexpected import note_unexpected
from fakestore.clients.urllib3.patch import passing_on
from fakestore.clients.wire import find_target
from fakestore.locks import new_lock

_Send = Callable[..., requests.Response]

#: Held while `HTTPAdapter.send` is replaced, because it belongs to the whole process.
_patching = new_lock()


class _Patch(RequestsMock):
    """The replacement of `HTTPAdapter.send` for some stores.

    Stores share one patch, unless another mock was started between them. It is a `RequestsMock` because
    :meth:`unbound_on_send` is the public seam at which `responses` and its subclasses nest; nothing else is used.
    """

    def __init__(self) -> None:
        super().__init__(assert_all_requests_are_fired=False)
        #: The function that answers requests to other hosts.
        self.previous: _Send = HTTPAdapter.send
        #: The stores that it serves, innermost last.
        self.targets: tuple[Target, ...] = ()
        self.start()
        self.installed: _Send = HTTPAdapter.send

    def unbound_on_send(self) -> Any:
        def fakestore_send(
            adapter: HTTPAdapter, request: requests.PreparedRequest, *args: Any, **kwargs: Any
        ) -> requests.Response:
            __tracebackhide__ = True
            targets = self.targets
            url = split_url(request)
            target = find_target(targets, url)
            if target is not None:
                return send(target, adapter, request, timeout_argument(args, kwargs))
            below = self.previous
            if not targets or targets[0].allow_network or not _is_network(below) or is_at_parent(url):
                with passing_on():  # also if another library has patched urllib3 on top
                    return below(adapter, request, *args, **kwargs)
            recorded = request.copy()
            recorded.body = None
            raise note_unexpected(targets[0], str(request.method), url, recorded)

        return fakestore_send


#: The patches that are in place, in order of their start.
_installed: list[_Patch] = []


def install(target: Target) -> None:
    """Let a store answer requests to its hosts, before all stores and mocks that were started earlier."""
    with _patching:
        _uninstall_unused()
        patch = _patch_of(HTTPAdapter.send)
        if patch is None:
            patch = _Patch()
            _installed.append(patch)
        patch.targets = (*patch.targets, target)


def uninstall(target: Target) -> None:
    """Stop answering for a store.

    If another mock was started later and is still active, it puts back what was there before the patch. If it is not
    one of `unittest.mock`, the patch stays below it, only forwards, and is removed when the next store is entered or
    left.
    """
    with _patching:
        for patch in _installed:
            patch.targets = tuple(each for each in patch.targets if each is not target)
        _uninstall_unused()


def _uninstall_unused() -> None:
    while (patch := _patch_of(HTTPAdapter.send)) is not None and not patch.targets:
        patch.stop()
        _installed.remove(patch)
    for patch in [each for each in _installed if not each.targets]:
        if leave_to_mock(patch.installed, patch.previous):
            on_top = HTTPAdapter.send
            patch.stop()  # which replaces what is on top
            HTTPAdapter.send = on_top  # type: ignore[method-assign]
            _installed.remove(patch)


def _patch_of(send: _Send) -> _Patch | None:
    return next((patch for patch in _installed if patch.installed is send), None)


def _is_network(send: _Send) -> bool:
    """Return whether `send` is the function of `requests` itself.

    It is recognised by the module that defines it: when this module is imported, a mock may already stand in its place.
    """
    return getattr(send, "__globals__", None) is vars(requests.adapters)
