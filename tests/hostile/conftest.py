"""What attacks are made on: the service as tests/api has it."""

from __future__ import annotations

from tests.api.conftest import pennies, world

__all__ = ["pennies", "world"]
