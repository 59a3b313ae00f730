"""The environment of a store: while the store is entered, clients are configured for its default account.

Each store that is entered, and each server that it runs, adds a layer of values. The last layer is in force. If a layer
is left before a later layer, the later layer gets the values that the first one replaced.
"""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from fakestore.api.options import Options
from fakestore.clients.caches import default_session, forget_filesystems, new_session, set_default_session
from fakestore.clients.moto import (
    CREDENTIALS,
    is_active,
    moto_started,
    moto_stopped,
    replaces_credentials,
    replaces_session,
)
from fakestore.clients.target import Target
from fakestore.locks import new_lock
from fakestore.model.accounts import Account
from fakestore.model.regions import HOME_REGION
from fakestore.service.service import Service

#: The name of ``boto3.DEFAULT_SESSION`` among the names of environment variables.
_DEFAULT_SESSION = "boto3.DEFAULT_SESSION"
#: Stands for a value that moto knows, and puts back itself.
_BY_MOTO = "known to moto"
_NO_PROXY = ("no_proxy", "NO_PROXY")


class Configured(Protocol):
    """The part of a store that the configuration of clients needs."""

    _options: Options
    _service: Service
    _target: Target
    _default_account: Account


@dataclass(eq=False)
class Layer:
    """The values of a store and what they replaced, by name of the variable; None for a variable that is not set.

    An active moto has a layer, too, because it puts back what it has replaced itself. Its values are not known.
    """

    #: The store; None for moto.
    configured: Configured | None
    values: dict[str, Any]
    replaced: dict[str, Any] = field(default_factory=dict)


#: The layers in the order in which they were entered.
_layers: list[Layer] = []
#: Held while the environment is changed, because it belongs to the whole process.
_changing = new_lock()


def enter(store: Configured, served_at: str | None = None) -> Layer | None:
    """Configure clients for a store, until :func:`leave`. Return None if the options of the store forbid it.

    Args:
        served_at: The URL of the server that the store begins to run; None if the store is entered.
    """
    if not store._options.set_environment:
        return None
    with _changing:
        if is_active():
            _add_moto()
        is_in_force = bool(_layers) and _layers[-1].configured is store
        values = _values(store, served_at, with_account=not is_in_force)
        layer = Layer(store, values)
        for name, value in values.items():
            layer.replaced[name] = before = _read(name)
            if before != value:
                _write(name, value)
        _layers.append(layer)
        forget_filesystems()
    return layer


def leave(layer: Layer | None) -> None:
    """Put back what a layer replaced."""
    if layer is None:
        return
    with _changing:
        position = _layers.index(layer)
        later = _layers[position + 1 :]
        del _layers[position]
        for name, value in layer.replaced.items():
            heirs = [each for each in later if name in each.replaced]
            if heirs:
                heirs[0].replaced[name] = value
            if all(each.configured is None for each in heirs):
                _write(name, _in_force(name, value) if heirs else value)
        if all(each.configured is None and set(each.replaced.values()) <= {_BY_MOTO} for each in _layers):
            _layers.clear()
        forget_filesystems()


def explain_unknown_key(access_key_id: str) -> str | None:
    """Return when a variable got this access key, and what to do, or None if no variable has or had it."""
    for layer in _layers[::-1]:
        names = () if layer.configured is None else layer.configured._service.dialect.environment.access_key_id
        for name in layer.values.keys() & names:
            if _read(name) == access_key_id != _in_force(name, None):
                return (
                    f"{name} was set to {access_key_id!r} after the store was entered: leave it as it is; if a fixture"
                    " sets it, list this fixture before 'fakestore'"
                )
            if layer.replaced[name] == access_key_id:
                return (
                    f"{name} was {access_key_id!r} before the store was entered: make the client while the store is"
                    " entered, or give the default account this key, with fake_store(access_key_id=..., secret_key=...)"
                )
    return None


def _in_force(name: str, default: Any) -> Any:
    """Return the value of the last store that has set a variable, or else of moto."""
    layers = [each for each in _layers if name in each.values]
    of_stores = [each for each in layers if each.configured is not None]
    return (of_stores or layers)[-1].values[name] if layers else default


def _add_moto() -> None:
    """Add the layer of an active moto. What a store has set is still in force.

    Each store gets a new session: one that was set up before moto was imported does not send to moto.
    """
    if any(each.configured is None for each in _layers):
        return
    for each in _layers:
        if each.configured is not None and _DEFAULT_SESSION in each.values:
            each.values[_DEFAULT_SESSION] = new_session(each.configured._target.reach)
    names = [*(CREDENTIALS if replaces_credentials() else ()), *([_DEFAULT_SESSION] if replaces_session() else ())]
    _layers.append(Layer(None, {name: _read(name) for name in names}, dict.fromkeys(names, _BY_MOTO)))
    for name in names:
        _write(name, _in_force(name, None))


def _note_moto_start() -> None:
    with _changing:
        if _layers:
            _add_moto()


def _note_moto_stop() -> None:
    """Remove the layer of moto, which has just put back what it had replaced itself."""
    with _changing:
        layer = next((each for each in _layers if each.configured is None), None)
        if layer is None:
            return
        later = _layers[_layers.index(layer) + 1 :]
        _layers.remove(layer)
        for name, value in layer.replaced.items():
            before = _read(name) if value is _BY_MOTO else value
            heir = next((each for each in later if name in each.replaced), None)
            if heir is not None:
                heir.replaced[name] = before
            _write(name, _in_force(name, before))


moto_started.append(_note_moto_start)
moto_stopped.append(_note_moto_stop)


def _values(store: Configured, served_at: str | None, *, with_account: bool) -> dict[str, Any]:
    """Return the values of a layer.

    Without the account, the layer below names it already, and the test may have changed those values.
    """
    environment, options = store._service.dialect.environment, store._options
    values: dict[str, Any] = {}
    if with_account:
        account = store._default_account
        values |= dict.fromkeys(environment.access_key_id, account.access_key_id)
        values |= dict.fromkeys(environment.secret_key, account.secret_key)
        values |= _regions(environment.region, options.region)
        values |= dict.fromkeys(environment.removed)
        values |= environment.fixed
        if environment.empty_files:
            values |= dict.fromkeys(environment.empty_files, _empty_file())
        if environment.access_key_id:
            values[_DEFAULT_SESSION] = new_session(store._target.reach)
    if served_at is not None:
        values |= dict.fromkeys((*environment.endpoint, *environment.endpoint_while_served), served_at)
        values |= dict.fromkeys(environment.netloc_while_served, urlsplit(served_at).netloc)
        values |= environment.fixed_while_served
    elif with_account:
        values |= dict.fromkeys(environment.endpoint, options.base_url)
        values |= dict.fromkeys((*environment.endpoint_while_served, *environment.netloc_while_served))
    if getproxies_environment():
        values |= dict.fromkeys(_NO_PROXY, _without_proxy(store, served_at))
    return values


def _empty_file() -> str:
    """Return the path of an empty file. All stores of the process share it."""
    path = _path_of_empty_file()
    with suppress(FileNotFoundError):  # clients can do without the file
        os.truncate(path, 0)  # a program of an earlier test may have written settings into it
    return path


@cache
def _path_of_empty_file() -> str:
    file, path = mkstemp(prefix="fakestore-", suffix="-no-settings")
    os.close(file)
    process = os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # not in a forked child
            Path(path).unlink(missing_ok=True)

    atexit.register(remove)
    return path


def _regions(names: tuple[str, ...], option: str | None) -> dict[str, str]:
    """Return the user's regions, which an option replaces. By default, return the region of a store without options."""
    before = {
        name: next((layer.replaced[name] for layer in _layers if name in layer.replaced), _read(name)) for name in names
    }
    default = next(filter(None, before.values()), HOME_REGION)
    return {name: option or region or default for name, region in before.items()}


def _without_proxy(store: Configured, served_at: str | None) -> str:
    """Return the hosts without a proxy: the user's hosts and the store's hosts."""
    hosts = [host for name in _NO_PROXY for host in (_read(name) or "").split(",")]
    if served_at is not None:
        hosts.append(urlsplit(served_at).hostname or "")
    host = store._service.endpoint.host
    hosts += [host, f".{host}", *store._service.dialect.environment.hosts]  # httpx needs the dot before an IP address
    return ",".join(filter(None, dict.fromkeys(hosts)))


def _read(name: str) -> Any:
    return default_session() if name == _DEFAULT_SESSION else os.environ.get(name)


def _write(name: str, value: Any) -> None:
    if name == _DEFAULT_SESSION:
        set_default_session(value)
    elif value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
