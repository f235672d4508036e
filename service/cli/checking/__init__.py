"""Whether this release decides games as they were decided: those in files and in the archive."""
