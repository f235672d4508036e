"""The result of replaying one game with this release: the number of matching commits, and the first divergence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from domain.kernel.record import Chance
from domain.kernel.terms import GameId
from service.audit.auditor import find_fault
from service.audit.parser import InvalidLine, parse_outline
from service.audit.report import Divergence, escape_control_characters
from service.audit.verifier import CommitVerifier
from service.core.positions.game_config import get_game
from service.store.codec import UnknownEvent

State = Literal["decided", "unreadable", "running"]
"""``unreadable`` means damaged. ``running`` means that the export of a running game contains nothing to replay."""


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """The result for one game."""

    game_id: GameId
    kind: str
    commits: int
    """Number of matching commits."""
    divergence: Divergence | None = None
    state: State = "decided"
    where: str = ""
    """The file or object it was read from, with the position; empty if it is from the store."""

    def __str__(self) -> str:
        game = f"{self.game_id} ({self.kind})" if self.game_id else ""
        return escape_control_characters(": ".join(part for part in (self.where, game, str(self.divergence)) if part))

    def document(self) -> Mapping[str, Any]:
        wrong = self.divergence
        assert wrong is not None
        return {
            "game": self.game_id or None,
            "kind": self.kind or None,
            "where": self.where or None,
            "state": self.state,
            "commits": self.commits,
            "seq": wrong.seq,
            "rule": wrong.rule,
            "check": wrong.check,
            "what": wrong.what,
        }


def unreadable(where: str, what: str, line: int | None = None) -> CheckedGame:
    """A damaged file or object whose game is unknown."""
    return CheckedGame(GameId(""), "", 0, Divergence("AUD-01", what, line=line), "unreadable", where)


def check_export(data: bytes, where: str, kind: str | None = None) -> tuple[CheckedGame, ...]:
    """Check that an export is sound, then replay its commits, unless it is of another kind.

    An export with a wrong digest, chain, body or signature proves nothing about a release. Raises nothing, whatever the
    bytes are.
    """
    try:
        export = parse_outline(data)
    except InvalidLine as error:
        return (unreadable(where, error.what, error.number),)
    setup, line = export.setup, export.seed
    if kind not in (None, setup.kind):
        return ()
    found = partial(CheckedGame, setup.game, setup.kind, where=where)
    if (wrong := find_fault(data, export)) is not None:
        return (found(0, wrong, "unreadable"),)
    if line is None:
        return (found(0, None, "running"),)
    try:
        rules = get_game(setup.kind, setup.ruleset)
    except UnknownEvent as error:
        return (found(0, Divergence("AUD-09", f"this release does not know {error}", 1)),)
    deciding = CommitVerifier(rules, Chance(bytes.fromhex(line.key), export.dice))
    divergence = deciding.verify_lines(1, export.commits)
    return (found(deciding.position.seq, divergence),)
