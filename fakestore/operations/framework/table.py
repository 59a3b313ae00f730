"""The table of operations, which is a value: it finds the operation that a request is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from fakestore.errors import UnsupportedRequest
from fakestore.http.secrets import hide_parameters
from fakestore.messages import did_you_mean, escaped
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.allowed_names import AllowedNames, LateRefusal
from fakestore.operations.framework.call import Call, ConditionKeys
from fakestore.operations.framework.inputs import Guard
from fakestore.operations.framework.operation import Operation
from fakestore.protocol.addressing import Address, Scope
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import Route, Router
from fakestore.protocol.unsupported import LEFT_OUT, LEFT_OUT_OF_KEYS, feature_of_parameter

#: No key has a value.
_NO_CONDITION_KEYS = ConditionKeys(lambda *_: {}, lambda *_: False)


class OperationTable:
    """A table of operations, as a service has it. A module that defines an operation does not add it to any table.

    Args:
        guards: The checks of the bucket of a request, in this order.
        check_host: Refuses a request for a bucket whose host leads elsewhere, before the requester is known.
        headers_of_every_reply: Each function returns standard headers of a reply, even if the request is refused.
        condition_keys: What the conditions of policies can ask about a request.
        misplaced_headers: Returns the headers of the dialect that the service refuses in requests for an operation,
            unless it reads them.
        refuse: Refuses a request without an operation as the public service does, if its answer is known. Its arguments
            are the method, what the request names, and the routes of all operations.
    """

    def __init__(
        self,
        operations: Iterable[Operation],
        guards: tuple[type[Guard], ...] = (),
        check_host: Callable[[Call, BucketRecord], None] = lambda *_: None,
        headers_of_every_reply: tuple[Callable[[Call], Mapping[str, str]], ...] = (),
        condition_keys: ConditionKeys = _NO_CONDITION_KEYS,
        misplaced_headers: Callable[[Operation], Iterable[LateRefusal]] = lambda _: (),
        refuse: Callable[[str, Address, list[Route]], None] = lambda *_: None,
    ) -> None:
        self.guards = guards
        #: The guards that check a request without their headers.
        self.guards_without_headers = tuple(guard() for guard in guards if not guard.needs_header)
        self.guard_headers = frozenset().union(*(guard.header_names for guard in guards))
        self._refuse = refuse
        self.check_host = check_host
        self.headers_of_every_reply = headers_of_every_reply
        self.condition_keys = condition_keys
        #: What a request may carry, by the name of its operation.
        self.allowed_names: dict[str, AllowedNames] = {}
        for each in operations:
            if each.name in self.allowed_names:
                raise ValueError(f"operation {each.name!r} is already in the table")
            for parameter in LEFT_OUT.keys() & each.route.parameters:
                raise ValueError(
                    f"the route {each.route} of {each.name!r} has the query parameter {parameter!r}, which"
                    " fakestore/protocol/unsupported.py lists as not supported; remove it there"
                )
            own = [guard for guard in guards if each.needs_bucket or not guard.needs_bucket]
            headers = frozenset().union(*(guard.header_names for guard in own))
            self.allowed_names[each.name] = AllowedNames.of(each, headers, misplaced_headers(each))
        on_objects = self._actions("object")
        #: The actions of the policy language that the operations name, by what they act on. An operation on a bucket
        #: also needs actions on the objects that its body names.
        self.actions: Mapping[Scope, frozenset[str]] = {
            "service": self._actions("service"),
            "bucket": self._actions("bucket") - on_objects,
            "object": on_objects,
        }
        self._router = Router((names.operation.route, names) for names in self.allowed_names.values())
        #: The query parameters that select an operation by their value.
        self._selectors = frozenset().union(*(each.route.query for each in self))

    def __iter__(self) -> Iterator[Operation]:
        return (names.operation for names in self.allowed_names.values())

    def _actions(self, scope: Scope) -> frozenset[str]:
        of_scope = [each for each in self if each.route.scope == scope]
        accesses = [access for each in of_scope for access in (each.access, *each.further_access) if access is not None]
        return frozenset(each.action for access in accesses for each in (access, access.version) if each is not None)

    def find_name(self, name: str) -> str | None:
        """Return the name of the operation with this name or API name, or None if no operation has it."""
        if name in self.allowed_names:
            return name
        return next((each.name for each in self if name == each.api_name), None)

    def suggest_action(self, text: str) -> str:
        """Return a question with the action of a policy that is meant by an unknown one, or an empty string.

        Authors write the name of an operation: ``ListObjectsV2`` or ``list_objects_v2`` needs ``s3:ListBucket``.
        ``PutBucketLifecycle`` is an older name of ``PutBucketLifecycleConfiguration``.
        """
        name = text.rpartition(":")[2]
        api_name = name.lower().replace("_", "")
        spellings = name.lower(), api_name, f"{api_name}configuration"
        named = (
            each for each in self if {each.name.lower(), (each.api_name or each.name).lower()}.intersection(spellings)
        )
        accesses = (access for each in named for access in (each.access, *each.checks_itself) if access is not None)
        action = next((each.action for each in accesses), f"s3:{name}")
        # An operation that the fake lacks can have a similar name: PutBucketAbac and s3:PutBucketAcl reach 0.903.
        return did_you_mean(action, self.actions["object"] | self.actions["bucket"], cutoff=0.91)

    def names_that_can_embed_error(self) -> list[str]:
        """Return the names of the operations that can embed an error in a reply with status 200."""
        return sorted(each.name for each in self if each.can_embed_error)

    def find(self, call: Call) -> AllowedNames:
        """Return the operation of a request, with the names that the request may carry."""
        request, address = call.request, call.address
        names = self._router.find(request.method, address, call.service_headers)
        selectors = self._selectors.intersection(address.query)
        if names is None or not (names.operation.route.any_query or selectors <= names.query):
            sent = escaped(f"{request.method} {hide_parameters(request.target)}")
            _check_features(sent, address, call.dialect)
            if call.semantics.refuses_requests_without_an_operation:
                self._refuse(request.method, address, [each.route for each in self])
            if names is None:
                raise self._unsupported(sent, request.method, address.scope)
        return names

    def _unsupported(self, sent: str, method: str, scope: Scope) -> UnsupportedRequest:
        of_scope = [each for each in self if each.route.scope == scope]
        of_method = [each for each in of_scope if each.route.method == method]
        operations = f"{scope} operations" + (f" with {method}" if of_method else "")
        known = ", ".join(sorted(each.name for each in of_method or of_scope))
        return UnsupportedRequest(
            f"{sent} is not supported; supported {operations}: {known}. {self.describe_subresources(scope)}"
        )

    def describe_subresources(self, scope: Scope) -> str:
        """Return a sentence that names the known subresources, for a message."""
        routes = [each.route for each in self if each.route.scope == scope]
        names = sorted({route.subresource for route in routes if route.subresource is not None})
        return f"{scope.capitalize()} subresources: {', '.join(names) or 'none'}"

    @property
    def query_parameters(self) -> frozenset[str]:
        return frozenset().union(*(names.query for names in self.allowed_names.values()))


def _check_features(sent: str, address: Address, dialect: Dialect) -> None:
    """Check that no query parameter belongs to a part of the public interface that the fake leaves out."""
    for parameter in address.query:
        feature = feature_of_parameter(parameter, address.query, dialect)
        if feature is None and address.scope == "object":
            feature = LEFT_OUT_OF_KEYS.get(parameter)
        if feature is not None:
            raise UnsupportedRequest(f"{sent}: the query parameter {parameter!r} belongs to {feature}")
