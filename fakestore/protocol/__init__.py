"""How a service is spoken to: addresses, routes, authentication, dialects."""
