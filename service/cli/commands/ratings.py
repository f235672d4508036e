"""``oraclewheel ratings``: compute ratings from exports, and compare them with published lists."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from domain.kernel.terms import GameId
from service.audit.files import read_file
from service.audit.report import escape_control_characters
from service.cli.checking.rating_lists import NotReadable, compare, read_documents, read_export, recompute
from service.cli.jobs import ExportFile
from service.features.ratings.computation import RatingList
from service.features.ratings.publication import LEAF, describe_ratings
from service.features.ratings.results import GameResult


@click.command("ratings")
@click.argument("exports", metavar="EXPORT...", nargs=-1, required=True, type=ExportFile())
@click.option(
    "--published",
    "documents",
    multiple=True,
    metavar="FILE",
    type=ExportFile(),
    help="Published list (`GET /v1/ratings/published/{day}`). Give all of them, from the first to the newest.",
)
@click.option(
    "--seats",
    metavar="FILE",
    type=ExportFile(),
    help="Instead of published lists: a JSON file with the players of each game, by seat.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the ratings as JSON.")
def command(exports: tuple[Path, ...], documents: tuple[Path, ...], seats: Path | None, as_json: bool) -> None:
    """Compute ratings from exported games.

    Each EXPORT is the export of a finished game. Their order does not matter. The log of a game has no player ids, so the
    players come from published lists or from a file of seats. With published lists, every game and rating is compared with
    them. `oraclewheel audit` checks the games themselves.

    Exit status: 0 if nothing differs, 1 if a rating or a game differs or a file cannot be used.

    Example: oraclewheel ratings --published 2026-11-27.json game1.ndjson game2.ndjson
    """
    if bool(documents) == (seats is not None):
        raise click.UsageError("Give either --published or --seats.")
    results = [_result(path) for path in exports]
    if seats is not None:
        players = _seats(seats)
        try:
            lists: Mapping[str, RatingList] = recompute(results, players)
        except NotReadable as error:
            raise click.ClickException(escape_control_characters(f"{error}.")) from error
        click.echo(_json(lists) if as_json else _text(lists))
        return
    try:
        published = read_documents(read_file(path) for path in documents)
        made = compare(results, published)
    except (NotReadable, OSError) as error:
        raise click.ClickException(
            escape_control_characters(f"The published lists cannot be used: {error}.")
        ) from error
    click.echo(_json(made.lists) if as_json else _text(made.lists))
    for each in made.differences:
        click.echo(escape_control_characters(f"Difference: {each}."), err=True)
    if made.differences:
        sys.exit(1)
    extra = sorted({each.game for each in results} - published.games.keys())
    click.echo(
        f"The {len(published.games)} games and all ratings match the list of {published.day}. "
        f"Its entry in the transparency log: game {LEAF}, seq {published.place}, head {published.sha256}.",
        err=True,
    )
    if extra:
        click.echo(f"Not in the published lists: {', '.join(extra)}.", err=True)


def _result(path: Path) -> GameResult:
    try:
        return read_export(read_file(path))
    except (NotReadable, OSError) as error:
        raise click.ClickException(escape_control_characters(f"{path} cannot be used: {error}.")) from error


def _seats(path: Path) -> Mapping[GameId, Sequence[str]]:
    try:
        found: dict[str, list[str]] = msgspec.json.decode(read_file(path), type=dict[str, list[str]])
    except (msgspec.MsgspecError, OSError) as error:
        raise click.ClickException(
            escape_control_characters(f'{path} must be JSON such as {{"gq3v1xk7rtz2m5ab": ["ash", "birk"]}}: {error}.')
        ) from error
    return {GameId(game): players for game, players in found.items()}


def _json(lists: Mapping[str, RatingList]) -> str:
    return json.dumps({name: describe_ratings(each.ratings) for name, each in lists.items()}, indent=2, sort_keys=True)


def _text(lists: Mapping[str, RatingList]) -> str:
    return "\n\n".join("\n".join([name, *_rows(each)]) for name, each in lists.items())


def _rows(made: RatingList) -> Iterable[str]:
    ranked = sorted(made.ratings.items(), key=lambda each: (-each[1].value, each[0]))
    for rank, (name, each) in enumerate(ranked, 1):
        games = "1 game" if each.games == 1 else f"{each.games} games"
        who = escape_control_characters(name)
        yield f"{rank:5}  {each.value:10.6f}  mu {each.mu:.6f}  sigma {each.sigma:.6f}  {games:>10}  {who}"
