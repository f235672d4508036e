"""Squares, roads and figures (MAP)."""
