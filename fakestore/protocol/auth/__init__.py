"""Authentication: one package for each signature version."""
