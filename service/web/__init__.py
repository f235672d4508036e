"""The client in the browser: pages, styles and modules as files, which speak to the public API alone."""
