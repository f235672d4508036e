"""What attacks are made on: the service as tests/api has it."""

from __future__ import annotations

from tests.api.conftest import both_stores, pennies, world

__all__ = ["both_stores", "pennies", "world"]
