"""The browser client: pages, styles and modules as files. It uses only the public API."""
