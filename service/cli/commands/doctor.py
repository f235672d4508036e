"""``oraclewheel doctor``: find and repair problems of games, queues and servers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import click
from redis.exceptions import RedisError

from domain.kernel.terms import GameId
from service.cli.stores.opened import opened
from service.core.feature import load
from service.core.notifications.game_subscriptions import reconcile
from service.core.positions.cache import Positions
from service.core.queue import Queue, is_periodic
from service.features import FEATURES
from service.ops.doctor.archive import archived
from service.ops.doctor.games import Finding, examined
from service.ops.doctor.largest import largest
from service.ops.doctor.resubmit import resubmit
from service.ops.doctor.servers import queue_url, servers
from service.ops.doctor.transparency_log import LogCheck, Witnessed
from service.ops.instance.folder import open_places
from service.ops.instance.identity import RECORD
from service.ops.keys import push_key, signing
from service.ops.processes import open_files
from service.ops.processes.open_files import raise_limit
from service.ops.settings import BadSetting, Settings
from service.store.redis.store import Store
from service.store.transparency.notes import BadNote
from service.store.upkeep.backlog import Backlog
from service.store.upkeep.queues import strange_dues
from service.store.upkeep.repair import games_of, repair
from workers.followers import open_followers

WORDS = {
    "lists": "wrong entries in lists of games",
    "players": "missing or wrong entries in players' lists of games",
    "wakes": "games with waiting commands that are not marked for a worker",
    "deadlines": "deadlines that are not scheduled",
}

TOLD = 5.0
"""Seconds between two progress messages."""


@click.command("doctor")
@click.option("--repair", "write", is_flag=True, help="Repair what can be repaired.")
@click.option("--quick", is_flag=True, help="Check only stalled games. Skip repairs that need the logs of all games.")
@click.option(
    "--witness",
    "witnesses",
    nargs=2,
    type=(str, click.Path(exists=True, dir_okay=False, path_type=Path)),
    multiple=True,
    metavar="VKEY FILE",
    help="Compare the transparency log with the checkpoint in FILE, cosigned by the witness with this key. Can be repeated.",
)
def command(write: bool, quick: bool, witnesses: Sequence[tuple[str, Path]]) -> None:
    """Check the installation and repair problems.

    First lists your Redis servers, their replicas, and settings that could lose games. Then verifies the log of every game and
    looks for blocked queues, stalled games, failed jobs, unprotected files, unsuitable keys and a damaged transparency log. Nothing
    is written from a log that does not verify.

    Exit status: 0 if all is well or repaired, 1 if a problem remains.

    Example: oraclewheel doctor --repair
    """
    kept = _kept(witnesses)
    own = _own_settings()
    places = open_places(own.data, own.key_path, own.push_key_path, shut=write)  # before the store restricts the folder
    found = [Finding(message, settled=write) for message in places]
    # Printed first, because later steps may fail.
    lie, wrong = servers(own)
    for sentence in (*lie, *wrong):
        click.echo(sentence)
    with opened(existing=True) as (settings, store):
        queue = Queue(queue_url(settings, store.wire.url), settings.settle_workers)
        away = _away(queue)
        serving = not away and queue.serving()
        found += [*away, *(Finding(message) for message in store.warnings())]
        found += _signing_key(settings, store)
        raise_limit()
        found += [Finding(message) for message in open_files.warnings(settings.connections)]
        found += _keys(settings)
        # Logs first: the following checks rely on them.
        stalled = store.schedule.stalled()
        found += _examined(store, stalled if quick else sorted(games_of(store)), write)
        broken = {each.broken for each in found if each.broken}
        found += archived(store, write=write, quick=quick)
        found += _log_of_heads(store, settings, kept, quick=quick, serving=serving)
        found += [Finding(message, settled=write) for message in strange_dues(store, write=write)]
        found += _aside(store, broken, write)
        found += _stalled(store, [game_id for game_id in stalled if game_id not in broken], write)
        if write:
            reconcile(store)
        if write and not quick:
            # If the changes of games were deleted, followers may have missed some.
            open_followers(store, Positions(store)).rebuild()
        found += _indexes(store, write, broken)
        found += _features(store)
        if not quick:
            for sentence in largest(store, games_of(store)):
                click.echo(sentence)
        if not away:
            found += [*_jobs(queue, write), *_waiting(store, queue, settings)]
    for each in found:
        click.echo(each.message)
    if not found and not wrong:
        click.echo("No problems found.")
    sys.exit(bool(wrong) or not all(each.settled for each in found))


def _own_settings() -> Settings:
    try:
        return Settings.load()
    except BadSetting as error:
        raise click.ClickException(str(error)) from error


def _away(queue: Queue) -> list[Finding]:
    """A finding if the queue does not answer. The games are checked anyway."""
    try:
        queue.connection.ping()
    except RedisError as error:
        return [Finding(f"the queue does not answer, so jobs and workers were not checked: {error}")]
    return []


def _signing_key(settings: Settings, store: Store) -> Iterator[Finding]:
    """A finding if the store does not know the signing key."""
    known, path = store.log.keys(), settings.key_path
    is_here = path.exists() or path == settings.signing_key or (settings.data / RECORD).exists()
    try:
        if known and is_here:  # another host may have the key
            signing.check(path, known)
    except (ValueError, OSError) as error:
        yield Finding(
            f"The signing key is not the one of this store: {error}. Bring the right file back from a backup, or correct"
            " ORACLEWHEEL_SIGNING_KEY"
        )


def _keys(settings: Settings) -> Iterator[Finding]:
    """A finding if push is enabled and its key cannot be used."""
    if settings.push == "off":
        return
    try:
        push_key.check(settings.push_key_path)
    except (ValueError, OSError) as error:
        yield Finding(
            f"The push key cannot be used: {error}. Bring the right file back from a backup, or remove it: then a new key is"
            " created, and players must enable push again on their devices"
        )


def _examined(store: Store, games: Sequence[GameId], write: bool) -> list[Finding]:
    found: list[Finding] = []
    progress = _progress(len(games))
    for number, game_id in enumerate(games, 1):
        found += examined(store, game_id, write=write)
        progress(number)
    return found


def _progress(of: int, what: str = "games") -> Callable[[int], None]:
    """Print progress to stderr every few seconds, even without a terminal."""
    last = time.monotonic()

    def show(number: int) -> None:
        nonlocal last
        if time.monotonic() - last >= TOLD:
            last = time.monotonic()
            click.echo(f"Checked {number} of {of} {what}.", err=True)

    return show


def _kept(witnesses: Sequence[tuple[str, Path]]) -> list[Witnessed]:
    try:
        return [Witnessed.of(key, path) for key, path in witnesses]
    except BadNote as error:
        raise click.BadParameter(str(error), param_hint="--witness") from error


def _log_of_heads(
    store: Store, settings: Settings, kept: Sequence[Witnessed], *, quick: bool, serving: bool
) -> Iterator[Finding]:
    """Check the transparency log: contents, freshness, and continuity with the witnesses' checkpoints."""
    check = LogCheck(store, quick, lambda of: _progress(of, "parts of the transparency log"))
    yield from check.findings()
    yield from check.still(settings.log_seconds, serving=serving)
    for each in kept:
        for told in check.witnessed(each):
            if isinstance(told, Finding):
                yield told
            else:
                click.echo(told)
    if check.size and not kept:
        click.echo(
            "The transparency log was not compared with witnesses. To compare it, use --witness VKEY FILE.", err=True
        )


def _aside(store: Store, broken: Collection[str], write: bool) -> Iterator[Finding]:
    """Games that settle workers have quarantined. With ``write``, readable ones are released."""
    for game_id, mark in store.schedule.marks().items():
        message = f"{game_id} is quarantined ({mark.code}, by release {mark.release}): {mark.why}"
        if write and game_id not in broken:
            store.schedule.mark(game_id, None)
            store.claims.release(game_id)
            yield Finding(f"{message}; released", settled=True)
        else:
            yield Finding(message)


def _stalled(store: Store, games: Sequence[GameId], write: bool) -> Iterator[Finding]:
    for game_id in games:
        message = f"{game_id} is stalled: a command of SYSTEM was refused"
        if write:
            message += f"; submitted again: {', '.join(resubmit(store, game_id)) or 'nothing'}"
        yield Finding(message, settled=write)


def _jobs(queue: Queue, write: bool) -> Iterator[Finding]:
    """Failed jobs. Periodic and settle jobs look for their work each time, so an old failure does not matter."""
    for name, jobs in queue.failed().items():
        if jobs and write:
            queue.settle_failed(name)
        if jobs and not is_periodic(name):
            yield Finding(
                f"{len(jobs)} failed jobs in the queue {name!r}{'; started again' if write else ''}", settled=write
            )


def _waiting(store: Store, queue: Queue, settings: Settings) -> Iterator[Finding]:
    """A finding if commands wait too long although workers run."""
    waited = Backlog(store).seconds()
    if not queue.serving():
        if waited:
            click.echo(
                "Commands are waiting because no workers run. Start `oraclewheel serve` to process them.", err=True
            )
        return
    if waited > (settings.ready_wait_seconds or waited):
        yield Finding(f"the oldest command has been waiting for {waited:.0f} seconds although workers run")
    yield from _owed(store, queue, settings)
    if (missing := queue.lanes.count - queue.settling()) > 0:
        yield Finding(f"{missing} of {queue.lanes.count} settle workers are not running")


def _owed(store: Store, queue: Queue, settings: Settings) -> Iterator[Finding]:
    """A finding if deliveries are late although workers run."""
    census = store.outbox.census()
    if census.dead:
        click.echo(
            f"{census.dead} deliveries were abandoned in total because their receivers did not accept them.", err=True
        )
    waited = (census.oldest or 0) / 1000
    if settings.side_workers and waited > (settings.ready_wait_seconds or waited):
        queue.post(range(store.partitions))
        yield Finding(
            f"the oldest of {census.pending} pending deliveries has been due for {waited:.0f} seconds although "
            "workers run; a new delivery job was started"
        )


def _features(store: Store) -> Iterator[Finding]:
    """The problems that features find."""
    for each in FEATURES:
        if each.doctor:
            yield from map(Finding, load(each.doctor)(store))


def _indexes(store: Store, write: bool, broken: set[str]) -> Iterator[Finding]:
    found = repair(store, write=write, broken=broken)
    for name, message in WORDS.items():
        if found[name]:
            yield Finding(f"{found[name]} {message}" + ("; repaired" if write else ""), settled=write)
