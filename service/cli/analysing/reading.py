"""Reads a finished game from an export file. The file is audited first, because analyzing an unplayed game is useless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.kernel.record import Commit
from domain.registry import GAMES
from service.audit.auditor import ProgressCallback, audit
from service.audit.lines import ExportSetup
from service.audit.parser import parse_outline
from service.audit.report import AuditReport, escape_control_characters
from service.features.analysis.moments import ReplayedGame, TooManyCommits, Unfinished, replay_game
from service.store.reading.bodies import read_commit


class NotAnalysed(ValueError):
    """The file contains nothing that can be analyzed. The message says why."""


@dataclass(frozen=True, slots=True)
class GameFile:
    """A game read from a file."""

    setup: ExportSetup
    report: AuditReport
    commits: Sequence[Commit]
    walk: ReplayedGame


def game_in(data: bytes, *, jobs: int, progress: ProgressCallback | None = None) -> GameFile:
    """The game in the bytes of an export.

    Raises `NotAnalysed` if the audit fails or the game is running, and the errors of `audit`.
    """
    report = audit(data, jobs=jobs, progress=progress)
    if not report.is_ok:
        raise NotAnalysed(f"the file fails the audit: {report.divergences[0]}; run `oraclewheel audit` for details")
    export = parse_outline(data)
    if export.seed is None:
        raise NotAnalysed("the game is still running; only finished games can be analyzed")
    rules = GAMES[export.setup.kind]
    commits = [
        read_commit(rules, seq, line.header.at, line.header.release, line.body_bytes)
        for seq, line in enumerate(export.commits, 1)
    ]
    try:
        walk = replay_game(rules, export.setup.game, commits)
    except (TooManyCommits, Unfinished) as error:
        raise NotAnalysed(str(error)) from error
    except Exception as error:
        raise NotAnalysed(escape_control_characters(f"this release cannot read the game: {error!r}")) from error
    return GameFile(export.setup, report, commits, walk)
