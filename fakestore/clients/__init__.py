"""How client libraries reach a store."""
