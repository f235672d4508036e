"""``oraclewheel export``: a game as a file that anyone can check."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

import click

from domain.kernel.terms import GameId
from service.audit.export import export_lines
from service.cli.stores.opened import opened
from service.ops.keys.signing import signer
from service.ops.private_files import opened_privately
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store
from service.store.seal import Signer


@click.command("export")
@click.argument("game_id", metavar="GAME")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write. Default: standard output.",
)
@click.option(
    "--checkpoint",
    "kept",
    type=click.IntRange(0),
    default=0,
    metavar="SIZE",
    help="Size of a checkpoint that the reader has kept. The proof in the export then extends it.",
)
def command(game_id: GameId, output: Path | None, kept: int) -> None:
    """Export a game as an NDJSON file.

    GAME is the id of the game. The export of a finished game contains everything, including the seed. The export of a running game
    contains only the headers of its commits and nothing secret. Only the owner can read the file.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel export GAME -o game.ndjson
    """
    with opened() as (settings, store):
        lobby = store.lobbies.get(game_id)
        if lobby is None:
            raise click.ClickException(f"There is no game {game_id!r}. Check the id.")
        key = signer(settings.key_path, store.log)
        if output is None:
            write(store, lobby, key, sys.stdout.buffer, kept)
            return
        with os.fdopen(opened_privately(output), "wb") as file:
            if output.is_file():
                file.truncate(0)
            count = write(store, lobby, key, file, kept)
    extent = "finished" if lobby.status == "over" else "running: headers only"
    click.echo(f"{output}: {count} lines ({extent}).", err=True)


def write(store: Store, lobby: Lobby, key: Signer, file: BinaryIO, kept: int = 0) -> int:
    """Write the export. Returns the number of lines."""
    count = 0
    try:
        for line in export_lines(store, lobby, key, kept=kept):
            file.write(line)
            count += 1
    except LobbyRefusal as refusal:
        raise click.ClickException(f"{lobby.id} cannot be exported because it has not started.") from refusal
    return count
