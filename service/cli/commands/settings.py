"""``oraclewheel settings``: all settings with their meaning and the source of their value."""

from __future__ import annotations

import sys

import click

from service.ops.settings import BadSetting, Settings, every, unknown_settings


@click.command("settings")
def command() -> None:
    """Show all settings with value and meaning.

    Shows the value of each setting, its source (environment, .env or default), and its meaning. Secret values are hidden.

    Exit status: 0 if all settings are valid, 1 if not.

    Example: oraclewheel settings
    """
    try:
        settings = every()
    except BadSetting as error:
        raise click.ClickException(str(error)) from error
    for known in settings:
        default = "" if known.source == "default" or not known.default else f"; default: {known.default}"
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
