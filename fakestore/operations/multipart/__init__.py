"""The operations of multipart upload."""
