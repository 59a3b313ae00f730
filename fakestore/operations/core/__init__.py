"""What operations share: the registry, the request context, authorization, preconditions."""
