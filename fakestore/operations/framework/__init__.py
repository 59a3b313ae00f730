"""What performs an operation, and what its row can declare."""
