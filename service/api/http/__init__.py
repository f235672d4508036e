"""How answers look on the wire: bodies, headers, entity tags, problems; and the health and the metrics of a process."""
