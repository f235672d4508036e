"""``oraclewheel migrate``: convert the store of release 0.3.0 into the form of this release."""

from __future__ import annotations

import sys

import click

from service.cli.stores.opened import opened
from service.core.followers.runner import GROUP
from service.store.redis.log.schedule import SWEPT
from service.store.upkeep.migration import migrate

RUNNING = 10_000
"""Milliseconds since the last sweep within which a service counts as running."""


@click.command("migrate")
def command() -> None:
    """Convert the store of release 0.3.0.

    Running games are included. Stop the service first, and make a backup. Reads the log of every game and compares its end with its head. If it is
    interrupted, run it again.

    Exit status: 0 if the store is converted, 1 if not or if a game is broken.

    Example: oraclewheel migrate
    """
    with opened(existing=True, older=True) as (_, store):
        swept = store.schedule.last_beat(SWEPT)
        if swept is not None and 0 <= store.schedule.now() - swept < RUNNING:
            raise click.ClickException("A service runs on this store. Stop it, and try again after ten seconds.")
        done = migrate(
            store,
            GROUP,
            lambda games: click.echo(f"{games} games …", err=True),
        )
    for error in done.broken:
        click.echo(str(error))
    click.echo(f"{done.games} games with correct chains and heads, {done.converted} converted.")
    sys.exit(1 if done.broken else 0)
