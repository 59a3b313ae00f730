"""The framework performs operations. It defines what the row of an operation can declare."""
