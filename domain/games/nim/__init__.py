"""Nim (docs/rules/nim.md): heaps of objects, taken by two seats in turn."""
