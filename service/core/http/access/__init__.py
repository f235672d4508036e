"""The caller, their rights, and reading with those rights: history, outcomes, dry runs."""
