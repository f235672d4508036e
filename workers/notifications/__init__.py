"""Notifications: their jobs."""
