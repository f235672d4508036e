"""Computes tournaments again, from their documents and exports of their games."""
