"""Cases of a parametrized test that only `make soak` runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest


def soak(*values):
    """Each value as a parameter with the soak mark; a tuple gives the values of several arguments."""
    cases = (value if isinstance(value, tuple) else (value,) for value in values)
    return [pytest.param(*case, marks=pytest.mark.soak) for case in cases]


def chosen(values: Iterable, *gate) -> list:
    """Parameters: the gate runs those in ``gate``, the soak the others."""
    return [pytest.param(value, marks=() if value in gate else pytest.mark.soak) for value in values]


def sample(values: Iterable, every: int, *, whole: bool = False) -> list:
    """Parameters: the gate runs every ``every``-th, starting with the first, the soak the others.

    A tuple gives the values of several arguments, unless it is ``whole``.
    """
    made = []
    for number, value in enumerate(values):
        case: Sequence = value if isinstance(value, tuple) and not whole else (value,)
        made.append(pytest.param(*case, marks=pytest.mark.soak if number % every else ()))
    return made
