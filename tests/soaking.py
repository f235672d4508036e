"""Cases of a parametrized test that only `make soak` runs."""

from __future__ import annotations

import pytest


def soak(*values):
    """Each value as a parameter with the soak mark; a tuple gives the values of several arguments."""
    cases = (value if isinstance(value, tuple) else (value,) for value in values)
    return [pytest.param(*case, marks=pytest.mark.soak) for case in cases]
