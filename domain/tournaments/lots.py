"""Lots: an order that follows from the seed of a tournament, and that anyone can compute with SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def draw_lots(numbers: Iterable[int], seed: str, purpose: str) -> list[int]:
    """The numbers in the order of the SHA-256 of ``<seed> <purpose> <number>``."""
    return sorted(numbers, key=lambda number: hashlib.sha256(f"{seed} {purpose} {number}".encode()).digest())
