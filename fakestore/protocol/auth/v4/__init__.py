"""Signature version 4: AWS4-HMAC-SHA256, in the Authorization header or in the query of a presigned URL."""
