"""One instance on one machine: data folder, embedded servers, keys and backups."""
