"""One instance on one machine: its data folder, its embedded server, its keys, its back-ups."""
