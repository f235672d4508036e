"""How answers look on the wire: bodies, problems, headers, figures."""
