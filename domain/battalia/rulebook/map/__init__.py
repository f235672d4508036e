"""Squares, roads, and who stands where (MAP)."""
