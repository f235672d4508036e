"""``oraclewheel settings``: everything an operator may choose, what it means, and where its value comes from."""

from __future__ import annotations

import sys

import click

from service.settings import BadSetting, Settings, every, unknown_settings


@click.command("settings")
def command() -> None:
    """Show every setting: its value, where that comes from, and what it means. Exit status 1 if one is wrong."""
    try:
        settings = every()
    except BadSetting as error:
        raise click.ClickException(str(error)) from error
    for known in settings:
        default = "" if known.source == "default" or not known.default else f"; by default {known.default}"
        click.echo(f"{known.name} = {known.shown or '(empty)'}  [{known.source}{default}]")
        choices = f" One of: {', '.join(known.choices)}." if known.choices else ""
        click.echo(f"    {known.meaning}{choices}")
    for warning in unknown_settings():
        click.echo(f"Warning: {warning}", err=True)
    try:
        Settings.load()
    except BadSetting as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
