"""What several subjects share. The framework does not know it."""
