"""How urllib3, and the libraries that use it without `requests`, reach a store."""
