"""Every command has a help text with a short summary, a description, an example, and its exit statuses."""

from __future__ import annotations

import click
import pytest

from service.cli import SUBCOMMANDS, main
from service.cli.grouped import Grouped

SUMMARY = 45
UNGROUPED = 8
"""The most options that a command may list without groups."""


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_is_complete(name):
    each = command(name)
    summary, _, description = (each.help or "").partition("\n\n")

    assert 0 < len(" ".join(summary.split())) <= SUMMARY
    assert len(description.split("Exit status")[0].split()) > 3
    assert "Exit status:" in description
    assert f"Example: oraclewheel {name}" in description
    options = [option for option in each.params if isinstance(option, click.Option)]
    assert [] == [option.name for option in options if not option.help]
    assert len(options) <= UNGROUPED or isinstance(each, Grouped)


@pytest.mark.parametrize("name", [name for name in SUBCOMMANDS if isinstance(command(name), Grouped)])
def test_groups_name_existing_options(name):
    each = command(name)
    options = {opt.removeprefix("--") for param in each.params for opt in param.opts}

    assert isinstance(each, Grouped)
    assert set() == {opt for group in each._groups.values() for opt in group} - options
    text = each.get_help(click.Context(each, info_name="x"))
    assert "Other options:" in text
    arguments = [param.make_metavar(click.Context(each)) for param in each.params if isinstance(param, click.Argument)]
    listed = {line.split()[0] for line in text.partition("Other options:")[2].splitlines() if line.strip()}
    assert set() == listed & set(arguments)


def test_summaries_are_shown_in_full():
    listing = main.get_help(click.Context(main, info_name="oraclewheel"))

    assert "..." not in listing.partition("Commands:")[2]
