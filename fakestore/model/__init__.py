"""The store as pure values and rules: no HTTP, no XML, no URL, no clock; ``now`` and ids come in."""
