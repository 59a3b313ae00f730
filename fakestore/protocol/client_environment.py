"""The environment variables of a service's clients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fakestore.model.frozen_mapping import FrozenMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientEnvironment:
    """The environment variables that the clients of a service read.

    While a store is entered, they configure clients for its default account. Afterwards they have the values from
    before.

    Example:
        >>> from fakestore import Dialect
        >>> environment = ClientEnvironment(access_key_id=("ACME_KEY",), secret_key=("ACME_SECRET",))
        >>> dialect = Dialect(header_prefix="x-acme-", auth_scheme="ACME", environment=environment)

    Args:
        access_key_id: The variables for the access key of the account.
        secret_key: The variables for its secret key.
        region: The variables for the region. If one of them is set already, its value is kept, unless the store has the
            option ``region``.
        endpoint: The variables for the URL of this service. They have the option ``base_url`` of the store, or the URL
            of its server. Otherwise they are not set.
        general_endpoint: The variables for one URL of several services. They have the URL of the server of the store.
            Otherwise they are not set.
        fixed: Variables with the same value for every store.
        fixed_while_served: Variables with the same value for every store, while its server runs.
        removed: Variables that are not set, because clients would prefer them to those of the store.
        hosts: Hosts that are added to ``no_proxy``, beside the host of the store.
    """

    access_key_id: tuple[str, ...] = ()
    secret_key: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    endpoint: tuple[str, ...] = ()
    general_endpoint: tuple[str, ...] = ()
    fixed: Mapping[str, str] = FrozenMapping({})
    fixed_while_served: Mapping[str, str] = FrozenMapping({})
    removed: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


#: That of a service whose clients read no variables.
NO_ENVIRONMENT = ClientEnvironment()
