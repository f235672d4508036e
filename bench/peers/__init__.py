"""Similar projects, set up and played for comparison."""
