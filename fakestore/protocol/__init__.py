"""The protocol of a service: addresses, routes, authentication, dialects."""
