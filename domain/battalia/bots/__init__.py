"""Bots for Battalia."""
