"""Others that do what we do, set up and played for comparison."""
