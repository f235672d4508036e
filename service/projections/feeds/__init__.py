"""What feed readers and calendar programs get: a history from its newest end, and deadlines, each in its form."""
