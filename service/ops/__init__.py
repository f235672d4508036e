"""Running the service: settings, logging, metrics, processes, the embedded servers, keys, backups, and the web server."""
