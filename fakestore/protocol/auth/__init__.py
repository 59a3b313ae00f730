"""Authentication: one module for each form of credentials."""
