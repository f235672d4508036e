"""``oraclewheel check-release``: check before a deploy that this release decides every stored game as before."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from redis.exceptions import ResponseError

from domain.kernel.terms import GameId
from service.audit.processes import Inconclusive
from service.audit.report import Divergence
from service.audit.verifier import CommitVerifier
from service.cli.checking import archived
from service.cli.checking.checked import CheckedGame
from service.cli.checking.files import check_piece, files_in, pieces
from service.cli.checking.tally import CheckTally, shared_out
from service.cli.commands.audit import AuditProgress
from service.cli.jobs import jobs_option
from service.cli.stores.opened import opened
from service.cli.stores.sentences import sentences
from service.core.positions.game_config import load_game_config
from service.ops.settings import Settings
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.errors import ArchiveDown, StoreDown
from service.store.redis.store import Store, open_store


@click.command("check-release")
@click.option("--kind", help="Only games of this kind.")
@click.option("--archive", is_flag=True, help="Check the archive in ORACLEWHEEL_ARCHIVE instead of the store.")
@click.option(
    "--exports",
    "places",
    multiple=True,
    metavar="FOLDER|FILE",
    type=click.Path(exists=True, path_type=Path),
    help="Check exports in this folder or file (.ndjson, .zst) instead of the store.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@jobs_option
@click.argument("games", nargs=-1)
def command(
    kind: str | None, archive: bool, places: tuple[Path, ...], as_json: bool, jobs: int, games: tuple[GameId, ...]
) -> None:
    """Check that stored games replay identically.

    Replays every stored game, or only GAMES, with this release and lists the first divergence of each. Run it before you deploy a
    release.

    Exit status: 0 if all games replay identically; 1 if a game diverges or cannot be read, or if the check was interrupted; 2 for
    invalid arguments.

    Example: oraclewheel check-release --exports open-data-2026-11
    """
    if sum((archive, bool(places), bool(games))) > 1:
        raise click.UsageError("Give only one of GAMES (from the store), --archive and --exports.")
    source = _archived(kind) if archive else _filed(places, kind) if places else _stored(games, kind)
    tally = CheckTally()
    with source as (pieces, look):
        for each in _on_all_cores(pieces, look, jobs):
            tally.count(each)
            if each.divergence is not None and not as_json:
                click.echo(each)
    click.echo(tally.document() if as_json else tally.summary())
    if tally.wrong:
        sys.exit(1)


Look = Callable[[Any], tuple[CheckedGame, ...]]
Source = tuple[Sequence[Any], Look]
"""The pieces to check, and the function that checks the games in a piece."""


@contextmanager
def _stored(games: Sequence[GameId], kind: str | None) -> Iterator[Source]:
    with opened() as (_, store):
        for game_id in games:
            if not _is_there(store, game_id):
                raise click.ClickException(f"There is no game {game_id!r}.")
        yield list(games) or sorted(store.lobbies.every()), lambda game_id: tuple(checked(store, [game_id], kind))


@contextmanager
def _archived(kind: str | None) -> Iterator[Source]:
    with sentences():
        url = Settings.load().archive
    if not url:
        raise click.ClickException("No archive is configured: ORACLEWHEEL_ARCHIVE is empty.")
    try:
        names = archived.names(url)
    except ArchiveDown as error:
        raise click.ClickException(f"The archive cannot be read: {error}.") from error
    yield names, archived.checking(url, kind)


@contextmanager
def _filed(places: Sequence[Path], kind: str | None) -> Iterator[Source]:
    files = files_in(places)
    if not files:
        raise click.BadParameter("no export (.ndjson, .zst) was found there", param_hint="--exports")
    yield [piece for file in files for piece in pieces(file)], partial(check_piece, kind=kind)


def _on_all_cores(pieces: Sequence[Any], look: Look, jobs: int) -> Iterator[CheckedGame]:
    """The results for each piece, in order, from ``jobs`` processes, with progress messages.

    Raises a `ClickException` if a process fails, because its remaining pieces were not checked.
    """
    progress = AuditProgress(sys.stderr, words="Checked {} of {}.")
    try:
        for number, found in enumerate(shared_out(pieces, look, jobs), 1):
            progress(number, len(pieces))
            yield from found
    except Inconclusive as error:
        last = str(error).strip().splitlines()[-1]
        raise click.ClickException(
            f"The check was interrupted, and the remaining games were not checked: {last}"
        ) from error


def _is_there(store: Store, game_id: GameId) -> bool:
    try:
        return store.lobbies.get(game_id) is not None
    except BrokenLog:
        return True


def checked(store: Store, games: list[GameId], kind: str | None = None) -> Iterator[CheckedGame]:
    """Check each started game (only of that kind)."""
    for game_id in games:
        known = ""
        try:
            lobby = store.lobbies.get(game_id)
            if lobby is not None and lobby.status != "lobby" and kind in (None, lobby.kind):
                known = lobby.kind
                yield check(store, game_id, lobby.kind)
        except (BrokenLog, WentBack, ResponseError, LookupError, ValueError) as error:
            wrong = Divergence("AUD-09", f"it cannot be read: {error}", 1)
            yield CheckedGame(game_id, known or "unknown kind", 0, wrong, "unreadable")


def check(store: Store, game_id: GameId, kind: str) -> CheckedGame:
    """Replay the commits of a started game."""
    try:
        facts = load_game_config(store, game_id)
    except UnknownEvent as error:
        return CheckedGame(game_id, kind, 0, Divergence("AUD-09", f"this release does not know {error}", 1))
    assert facts is not None
    deciding, divergence = CommitVerifier(facts.game, facts.chance), None
    for commit in store.log.commits(game_id, 1, store.log.head(game_id)[0]):
        divergence = deciding.verify(commit.seq, commit.at, commit.release, commit.body)
        if divergence is not None:
            break
    return CheckedGame(game_id, facts.game.key, deciding.position.seq, divergence)


SAMPLE, SECONDS = 20, 3.0
"""Number of games that are replayed when the service starts, and the maximum seconds for it."""


def main(_words: Sequence[str]) -> None:
    """Print a warning for some running games that this release would decide differently; called when `serve` starts."""
    settings = Settings.load()
    with suppress(StoreDown), closing(open_store(settings.redis_url)) as store:
        for each in sampled(store):
            warning = f"this release would decide {each.game_id} ({each.kind}) differently, so it is quarantined"
            click.echo(f"Warning: {warning}: {each.divergence}", err=True)


def sampled(store: Store) -> list[CheckedGame]:
    """Some running games that this release would decide differently: a spot check before the service starts.

    Settle workers check every game that they load for the first time, and quarantine such a game.
    """
    wrong, seen, until = [], 0, time.monotonic() + SECONDS
    for game_id in store.lobbies.every():
        if seen >= SAMPLE or time.monotonic() > until:
            break
        try:
            lobby = store.lobbies.get(game_id)
            if lobby is None or lobby.status != "running":
                continue
            seen += 1
            checked_ = check(store, game_id, lobby.kind)
        except (BrokenLog, LookupError, ValueError):
            continue  # a settle worker will quarantine it
        if checked_.divergence is not None:
            wrong.append(checked_)
    return wrong
