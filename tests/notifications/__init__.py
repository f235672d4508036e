"""Notifications by email, push and webhook."""
