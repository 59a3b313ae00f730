"""The operations on objects."""
