"""A store while it is entered."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import takewhile
from types import TracebackType

from fakestore.api import active_stores, environment, on_enter
from fakestore.api.options import StoreOptions
from fakestore.api.store import FakeStore
from fakestore.clients.target import active
from fakestore.model.accounts import IssuedKey


class Activation:
    """A new store that answers the requests of this process until :meth:`leave`.

    Args:
        keys: The access keys in the environment when the test was decorated.
    """

    def __init__(self, options: StoreOptions, keys: Mapping[str, IssuedKey] | None = None) -> None:
        # Imported here, so that a recipe costs no client library.
        from fakestore.clients import aiohttp as aiohttp_patch
        from fakestore.clients import crt, descriptions, lookup, moto
        from fakestore.clients import httpx as httpx_patch
        from fakestore.clients import requests as requests_patch
        from fakestore.clients import urllib3 as urllib3_patch

        moto.note_entry()
        serve, others = options.get("serve", False), options.copy()
        others.pop("serve", None)
        self._server = ExitStack()
        if serve == "process":
            from fakestore.api.process import remote_store

            self.store: FakeStore = self._server.enter_context(remote_store(others))
        else:
            self.store = FakeStore(**others)
            if serve:
                self.store._server_url = self._server.enter_context(self.store.serve())
        self._patches = requests_patch, urllib3_patch, httpx_patch, aiohttp_patch, lookup, crt, descriptions, moto
        if keys:
            moto.note_decoration(self.store._target, keys)
        active.append(self.store._target)
        for patch in self._patches:
            patch.install(self.store._target)
        self._environment = environment.enter(self.store)
        self.store._service.outer_services = lambda: [
            each._service for each in takewhile(lambda each: each is not self.store, active_stores)
        ]
        active_stores.append(self.store)
        for call in on_enter:
            call(self.store)

    def __enter__(self) -> FakeStore:
        return self.store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        self.leave(failing=kind is not None, error=error)

    def leave(self, *, failing: bool = False, error: BaseException | None = None) -> None:
        """Stop answering, put the clock back, and raise the errors that the test must not miss.

        Args:
            failing: Whether the test fails already. Then nothing is raised, so that its exception is not replaced.
            error: The exception of a failing test. It gets a note if the travel could not end. If it is None, a
                warning is shown instead.
        """
        __tracebackhide__ = True
        if not failing:
            try:
                self.store._service.outbox.deliver_late()  # while its handlers still reach the store
            except BaseException as interruption:
                self._leave(failing=True, error=interruption)
                raise
        self._leave(failing=failing, error=error)

    def _leave(self, *, failing: bool, error: BaseException | None) -> None:
        __tracebackhide__ = True
        self.store._service.outbox.is_left = True
        environment.leave(self._environment)
        # This precedes `active.remove`. Otherwise a client in another thread could reach the network in between.
        self.store._target.reach.is_left = True
        active.remove(self.store._target)
        for patch in self._patches:
            patch.uninstall(self.store._target)
        self.store._service.outer_services = tuple
        active_stores.remove(self.store)
        try:
            self._server.close()
            self.store._travel.end()  # kept for the report of a failed test
        except RuntimeError as not_put_back:
            if not failing:
                raise
            if error is None:
                warnings.warn(str(not_put_back), RuntimeWarning, stacklevel=2)
            else:
                error.add_note(str(not_put_back))
        finally:
            if not failing:
                self.store.check()
                self.store._target.check_responses()
