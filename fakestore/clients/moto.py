"""moto beside a store: S3 is the store's, and everything else is moto's.

While a store is entered, the configuration of moto lets requests to S3 pass, also if the store does not answer them:
then they are refused, unless the outermost store allows a host of S3. A handler of the event ``before-send`` that comes
before moto's would not be enough: botocore calls all handlers, so moto would store each object, too. This module
imports nothing of moto before the test does.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cache
from typing import Any
from unittest import mock
from urllib.parse import SplitResult

from fakestore.clients.imports import forget, when_imported
from fakestore.clients.replacement import Replacement
from fakestore.clients.target import Target, active, is_for, patching
from fakestore.model.accounts import IssuedKey
from fakestore.protocol.dialect import S3_HOSTS

#: The variables in which moto puts its credentials.
CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")

#: Is called when a `mock_aws` has started, and when the last one has ended, while a store is entered.
moto_started: list[Callable[[], None]] = []
moto_stopped: list[Callable[[], None]] = []

_MODELS = "moto.core.models"
#: The URLs of S3. To moto, buckets with names such as ``logs`` are hosts of other services.
_S3_URLS = rf"https?://{S3_HOSTS.pattern}(?:/|$)"
#: Puts back the configuration of moto.
_undo = ExitStack()
#: The parts of the configuration that let S3 pass.
_changed: list[dict[str, Any]] = []
#: The keys that were in the environment before the first store was entered, and those that moto has put there.
_keys: dict[str, IssuedKey] = {}
#: The keys that were in the environment when a test was decorated, by the store of the test. A `mock_aws` around the
#: store has replaced them.
_decorated: dict[Target, Mapping[str, IssuedKey]] = {}


def install(target: Target) -> None:
    """Let requests to S3 pass moto, unless the outermost store allows them and no store answers them."""
    with patching:
        when_imported(_MODELS, _watch)
        _let_s3_pass()


def uninstall(target: Target) -> None:
    """Put back the configuration of moto after the last store."""
    with patching:
        _decorated.pop(target, None)
        _let_s3_pass()
        _tidy()


def is_active() -> bool:
    models: Any = sys.modules.get(_MODELS)
    return models is not None and models.botocore_stubber.enabled


def is_moto(mock: object) -> bool:
    """Return whether a mock of `responses` is moto's."""
    models: Any = sys.modules.get(_MODELS)
    return models is not None and mock is models.responses_mock


@cache
def _watched() -> tuple[Replacement, Replacement]:
    mock_aws: Any = sys.modules[_MODELS].MockAWS
    return Replacement(mock_aws, "start", _make_start), Replacement(mock_aws, "stop", _make_stop)


def _watch() -> None:
    for each in _watched():
        each.put_in_place()


def _tidy() -> None:
    """Watch moto no longer if no store is entered. A moto that is still active is watched until it ends."""
    if active or is_active():
        return
    forget(_MODELS)
    if _MODELS in sys.modules:
        for each in _watched():
            each.remove()


def _make_start(original: Any) -> Any:
    def fakestore_start(moto: Any, *args: Any, **kwargs: Any) -> None:
        original(moto, *args, **kwargs)
        with patching:
            if is_active() and replaces_credentials():
                _keys.update(_keys_in_environment())
            _let_s3_pass()
        for call in moto_started:
            call()

    return fakestore_start


def _make_stop(original: Any) -> Any:
    def fakestore_stop(moto: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        try:
            original(moto, *args, **kwargs)
        finally:
            if not is_active():
                for call in moto_stopped:
                    call()
                with patching:
                    _tidy()

    return fakestore_stop


def _let_s3_pass() -> None:
    """Change the present configuration of moto, or put it back. Each `mock_aws` can have its own."""
    if not active or (_allows_s3() and not _answers_s3()):  # [s3-beside-moto]
        _undo.close()
        _changed.clear()
        return
    config: Any = sys.modules.get("moto.core.config")
    if config is None:
        return
    core = config.default_user_config.setdefault("core", {})
    if all(core is not each for each in _changed):
        passthrough = dict(core.get("passthrough", {}))
        passthrough["services"] = [*passthrough.get("services", ()), "s3"]
        passthrough["urls"] = [*passthrough.get("urls", ()), _S3_URLS]
        _undo.enter_context(mock.patch.dict(core, passthrough=passthrough))
        _changed.append(core)


def lets_pass(url: SplitResult) -> bool:
    """Return whether the test has configured moto to let a URL pass."""
    if not is_active():
        return False
    config: Any = sys.modules["moto.core.config"]
    whole = f"{url.scheme}://{url.netloc}{url.path}"
    urls = config.default_user_config.get("core", {}).get("passthrough", {}).get("urls", ())
    if any(re.match(each, whole) for each in urls if each != _S3_URLS):
        return True
    service = sys.modules["moto.backends"].get_service_from_url(whole)
    return service != "s3" and bool(config.passthrough_service(service))


def find_issued_key(access_key_id: str) -> IssuedKey | None:
    """Return a key of a client that was made before, or of an active moto, its STS or its IAM."""
    if not is_active():
        return None
    for keys in (_keys, *tuple(_decorated.values())):
        if access_key_id in keys:
            return keys[access_key_id]
    sts: Any = sys.modules.get("moto.sts.models")
    for backend in _backends(sts, "sts_backends"):
        role = backend.get_assumed_role_from_access_key(access_key_id)
        if role is not None:
            return IssuedKey(role.secret_access_key, has_token=True)
    iam: Any = sys.modules.get("moto.iam.models")
    for backend in _backends(iam, "iam_backends"):
        key = backend.access_keys.get(access_key_id)
        if key is not None:
            return IssuedKey(key.secret_access_key)
    return None


def _backends(models: Any, name: str) -> list[Any]:
    accounts = [] if models is None else list(getattr(models, name).values())
    return [backend for account in accounts for backend in list(account.values())]


def _allows_s3() -> bool:
    allowed = active[0].allow_network
    return allowed if isinstance(allowed, bool) else any(S3_HOSTS.fullmatch(each.partition(":")[0]) for each in allowed)


def _answers_s3() -> bool:
    return any(is_for(target.service.endpoint, "https", "s3.amazonaws.com") for target in active)


def note_entry() -> None:
    """Note the credentials in the environment before the first store is entered."""
    with patching:
        if not active:
            _keys.clear()
            _keys.update(_keys_in_environment())


def keys_at_decoration() -> Mapping[str, IssuedKey]:
    """Return the credentials in the environment when a test is decorated, if no store and no moto has set them."""
    return {} if active or is_active() else _keys_in_environment()


def note_decoration(target: Target, keys: Mapping[str, IssuedKey]) -> None:
    """Note the credentials of a decorated test while its store is entered."""
    with patching:
        _decorated[target] = keys


def _keys_in_environment() -> dict[str, IssuedKey]:
    access_key_id, secret = map(os.environ.get, CREDENTIALS)
    if not access_key_id or not secret:
        return {}
    return {access_key_id: IssuedKey(secret, has_token="AWS_SESSION_TOKEN" in os.environ)}


def replaces_credentials() -> bool:
    """Return whether the active moto has put its own credentials into the environment."""
    return bool(sys.modules["moto.core.config"].mock_credentials())


def replaces_session() -> bool:
    """Return whether the active moto has replaced the default session of boto3."""
    config: Any = sys.modules["moto.core.config"]
    return bool(config.default_user_config.get("core", {}).get("reset_boto3_session", True))
