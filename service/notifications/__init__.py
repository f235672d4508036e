"""Notifications: their content for each subscription, and delivery by email, push and webhook."""
