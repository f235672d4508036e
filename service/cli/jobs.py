"""The option that says how many processes a command spreads its work over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from service.settings import cores

C = TypeVar("C", bound=Callable[..., Any])


def jobs_option(shared: str) -> Callable[[C], C]:
    """``--jobs``, for a command whose processes share what is named; as many as there are cores unless it is given."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=cores,
        show_default="one for each core",
        help=f"How many processes share the {shared}. What they find does not depend on it.",
    )
