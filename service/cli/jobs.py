"""Options of commands that work for long: how many processes they spread it over, and the file for what comes of it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
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


class NewFile(click.Path):
    """A file that is written when all is done. That it cannot be is said before the work, and not after it."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.is_dir():  # an empty name is one too
            self.fail(f"{str(path)!r} is a folder", param, ctx)
        if not path.exists() and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            self.fail(f"{str(path.parent)!r} is no folder that can be written to", param, ctx)
        return path


class Duration(click.FloatRange):
    """More than nothing of a unit of time; without an end too, but a number."""

    def __init__(self) -> None:
        super().__init__(0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Nothing is ever longer than what is none."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number", param, ctx)
        return number


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """What goes wrong with the file while it is written is said in a sentence."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror or error}.") from error
