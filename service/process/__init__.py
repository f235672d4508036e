"""Process basics: logging, metrics, and child processes."""
