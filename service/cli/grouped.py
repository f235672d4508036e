"""Help texts of commands with many options: the options appear in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class Grouped(click.Command):
    """A command whose help lists the options of each group under its title, and all others after them."""

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (*self._groups, "Other options")}
        for each in self.get_params(ctx):
            if isinstance(each, click.Option) and (row := each.get_help_record(ctx)) is not None:
                rows[self._title(each)].append(row)
        for title, records in rows.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def _title(self, option: click.Parameter) -> str:
        names = {name.removeprefix("--") for name in option.opts}
        return next((title for title, group in self._groups.items() if names & set(group)), "Other options")
