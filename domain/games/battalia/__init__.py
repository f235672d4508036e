"""Battalia: the Creation."""
