"""The operations on buckets."""
