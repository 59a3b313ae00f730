"""Authentication: one module for each signature version, and what they share."""
