"""Bots for History of Fronela."""
