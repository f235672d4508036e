"""Schemas of all request and response bodies."""
