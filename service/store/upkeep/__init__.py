"""Inspecting and repairing a Redis store: for operators, never for a request."""
