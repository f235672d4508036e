"""The attacks use the fixtures of tests/core/http."""

from __future__ import annotations

from tests.core.http.conftest import pennies, world

__all__ = ["pennies", "world"]
