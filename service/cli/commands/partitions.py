"""``oraclewheel partitions``: into how many parts the games are divided, and dividing them anew."""

from __future__ import annotations

import sys

import click
from redis.exceptions import RedisError

from service.cli.serving.gate import check_queue
from service.cli.stores.opened import alone
from service.instance.identity import durable_after
from service.queue import POSTED, Queue
from service.settings import Settings
from service.store.redis.connect import Wire
from service.store.redis.probe import divided
from service.store.upkeep.dividing import QUIET, Division

SERVERS = 10.0
"""Seconds that a key of a cluster stands in two places at the least: meanwhile a replica of its new place has it too."""


@click.command("partitions")
@click.argument("number", type=click.IntRange(1, 16384), required=False)
def command(number: int | None) -> None:
    """Divide the games of the store into NUMBER partitions; without it, say into how many they are divided.

    The service must be stopped, on every host. What was begun and stopped at any line is gone on with by the same command;
    until it is done, nothing starts on the store.
    """
    with alone() as (settings, wire):
        before, to = divided(wire)
        if number is None:
            click.echo(before or settings.partitions)
            if to is not None:
                click.echo(f"They are being divided into {to}: go on with `oraclewheel partitions {to}`.", err=True)
            return
        check_queue(settings)  # once the store is shut it cannot be opened again without it
        try:
            _divide(settings, wire, number)
        except RedisError as error:
            raise click.ClickException(
                f"A server refuses: {str(error).rstrip('.')}. Nothing is lost; set that right, and call this again."
            ) from error


def _divide(settings: Settings, wire: Wire, number: int) -> None:
    division = Division(wire, number, max(SERVERS, durable_after(wire)) if wire.is_cluster else 0.0)
    try:
        # On the embedded server nobody else can be: whoever runs it has the folder's lock.
        if not division.begin(QUIET if settings.redis_url else 0.0, _waiting):
            click.echo(f"The games are divided into {number} partitions already.")
            return
        survey = division.survey()
        with click.progressbar(length=len(survey.games), label="Carrying games", file=sys.stderr) as bar:
            for arrived in division.carry(survey):
                bar.update(arrived)
        # What waits there tells of partitions that are others now; a sweep finds all of it.
        Queue(settings.queue or wire.url).connection.delete(POSTED)
        division.end()
    finally:
        division.leave()
    click.echo(
        f"The games are divided into {number} partitions; {len(survey.games)} were carried. Set ORACLEWHEEL_PARTITIONS={number}"
        " for every process before the service starts; `oraclewheel doctor` then looks at every game."
    )


def _waiting() -> None:
    click.echo(f"Looking for {QUIET:.0f} seconds whether a service runs on the store …", err=True)
