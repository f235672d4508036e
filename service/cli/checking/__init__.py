"""Checks whether this release decides games as before, in files and in the archive."""
