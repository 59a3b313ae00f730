"""The framework performs operations. It defines what an operation declares and reads."""
