"""How `requests` reaches a store."""
