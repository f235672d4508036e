"""Responses on the wire: bodies, headers, entity tags, problems; and the health and metrics of a process."""
