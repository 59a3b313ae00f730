"""The framework of all operations: the registry, the request context, authorization, preconditions."""
