"""One instance on one machine: the data folder, the embedded servers and their files."""
