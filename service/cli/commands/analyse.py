"""``oraclewheel analyse``: turning points, mistakes and luck of a finished game, from its export file."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import click

from domain.drawing.odds import odds
from domain.table.bots.search import LEVELS
from service.audit.files import read_file, read_stream
from service.audit.processes import Inconclusive
from service.audit.report import escape_control_characters
from service.cli.analysing.parallel import looked
from service.cli.analysing.reading import GameFile, NotAnalysed, game_in
from service.cli.analysing.text import text
from service.cli.commands.audit import AuditProgress
from service.cli.jobs import ExportFile, NewFile, jobs_option, writing
from service.core.history.lines import reveal_events
from service.core.history.narration import Narrator
from service.features.analysis.report import build_report
from service.features.analysis.words import describe_command

MOMENTS = "Analyzed {} of {} moments."


class Stretch(click.ParamType[tuple[int, int]]):
    """A range of commits: ``40-80``."""

    name = "A-B"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        first, _, last = str(value).partition("-")
        if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
            self.fail(f"{value!r} is not a range of commits. Use the form 40-80", param, ctx)
        return int(first), int(last)


@click.command("analyse")
@click.argument("file", type=ExportFile(allow_dash=True))
@click.option(
    "--level", type=click.IntRange(min(LEVELS), max(LEVELS)), default=1, show_default=True, help="Search depth."
)
@click.option("--seq", "stretch", type=Stretch(), help="Analyze only these commits, such as 40-80.")
@click.option("--svg", type=NewFile(), help="Draw the winning chances into this SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print the analysis as JSON.")
@jobs_option
def command(
    file: Path,
    level: int,
    stretch: tuple[int, int] | None,
    svg: Path | None,
    as_json: bool,
    jobs: int,
) -> None:
    """Analyze a game: mistakes, luck, key moments.

    Reads FILE, the export of a finished game (`-` for standard input). The file is audited first. The report lists turning points,
    better moves, and the luck of each seat.

    Exit status: 0 if the game was analyzed, 1 if it cannot be analyzed, 2 for invalid arguments.

    Example: oraclewheel analyse game.ndjson --svg chances.svg
    """
    try:
        data = read_stream(sys.stdin.buffer) if str(file) == "-" else read_file(file)
        game = game_in(data, jobs=jobs, progress=AuditProgress(sys.stderr))
        walk = game.walk if stretch is None else game.walk.restrict(*stretch)
        if not walk.moments:
            raise NotAnalysed(
                f"these commits contain no decision to analyze; the last commit of the game is {game.walk.last}"
            )
        found = looked(walk, level, jobs, AuditProgress(sys.stderr, words=MOMENTS))
    except (NotAnalysed, OSError) as error:
        raise click.ClickException(escape_control_characters(f"{str(error)[:1].upper()}{str(error)[1:]}.")) from error
    except Inconclusive as error:
        raise click.ClickException(f"The analysis was interrupted and has no result. {error}") from error
    document = build_report(walk, found, level, partial(_happened, game), partial(describe_command, walk.game))
    names = {
        seat["seat"]: f"seat {seat['seat']} ({', '.join(filter(None, (seat['side'], game.setup.controllers[place])))})"
        for place, seat in enumerate(document["seats"])
    }
    click.echo(
        json.dumps(document, indent=2)
        if as_json
        else visible_lines(text(document, names, game.report.facts["outcome"]))
    )
    if svg is not None and not document["chances"]:
        raise click.ClickException(
            "No chart was drawn: the position does not change in these commits. Choose other commits with --seq."
        )
    if svg is not None:
        turns = [(point["seq"], point["seat"]) for point in document["turning_points"]]
        picture = odds([(seq, each) for seq, *each in document["chances"]], names, turns)
        with writing(svg):
            svg.write_text(picture, encoding="utf-8")


def visible_lines(told: str) -> str:
    """The lines without terminal control characters."""
    return "\n".join(map(escape_control_characters, told.split("\n")))


def _happened(game: GameFile, seq: int) -> str:
    """The events of a commit as the acting seat may see them after the end of the game."""
    commit, rules, narrator = game.commits[seq - 1], game.walk.game, Narrator(game.walk.game, {})
    told = list(reveal_events(rules.knowledge, commit, commit.seat or None))
    # Show lines that a paragraph omits if there are no others.
    return narrator.write_paragraph(told) or " ".join(map(narrator.narrate, told))
