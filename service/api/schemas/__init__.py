"""The form of every body that comes in or goes out."""
