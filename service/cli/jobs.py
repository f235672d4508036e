"""Options of long-running commands: the number of processes, input and output files."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from service.audit.files import require_readable
from service.ops.settings import cores

C = TypeVar("C", bound=Callable[..., Any])


def jobs_option(command: C) -> C:
    """Adds ``--jobs`` to a command; by default one process for each core."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=cores,
        show_default="one for each core",
        help="Number of parallel processes. Does not change the result.",
    )(command)


class ExportFile(click.Path):
    """An export to read: a regular file or a pipe."""

    def __init__(self, *, allow_dash: bool = False) -> None:
        super().__init__(exists=True, dir_okay=False, allow_dash=allow_dash, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Fails for devices, which may have no end, and for files that are too large."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if str(path) != "-":
            try:
                require_readable(path)
            except OSError as error:
                self.fail(f"{str(path)!r} cannot be read: {error.strerror or error}", param, ctx)
        return path


class NewFile(click.Path):
    """An output file that is written at the end, but checked before the work starts."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.is_dir():  # an empty name also means the current folder
            self.fail(f"{str(path)!r} is a folder. Give the name of a file", param, ctx)
        if not path.exists() and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            self.fail(f"{str(path.parent)!r} does not exist or is not a writable folder", param, ctx)
        return path


class Duration(click.FloatRange):
    """A positive amount of time; may be infinite."""

    def __init__(self) -> None:
        super().__init__(0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; NaN is rejected."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Turn an `OSError` while the file is written into a `click.ClickException`."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror or error}.") from error
