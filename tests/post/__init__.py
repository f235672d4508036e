"""Word that reaches people, and how."""
