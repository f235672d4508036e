"""The attacks use the fixtures of tests/api."""

from __future__ import annotations

from tests.api.conftest import pennies, world

__all__ = ["pennies", "world"]
