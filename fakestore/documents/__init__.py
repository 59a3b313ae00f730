"""The XML and JSON documents that requests and replies carry."""
