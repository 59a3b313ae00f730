"""Between bytes and the model: requests and replies as values, routes, headers, documents, authentication."""
