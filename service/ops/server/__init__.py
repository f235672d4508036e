"""Serving the API with gunicorn: its configuration, and the application that it loads."""
