"""What this release makes of one game: how many of its commits are as they were decided, and the first that is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from domain.play.record import Chance
from domain.terms import GameId
from service.audit.auditor import unsound
from service.audit.deciding import Deciding
from service.audit.form import BadLine, outlined
from service.audit.report import Divergence, visible
from service.projections.positions.facts import rules_of
from service.store.codec import UnknownEvent

State = Literal["decided", "unreadable", "running"]
"""Unreadable is what is damaged; of a game that runs, an export holds nothing that could be decided."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One game under this release."""

    game_id: GameId
    kind: str
    commits: int
    """How many are right."""
    divergence: Divergence | None = None
    state: State = "decided"
    where: str = ""
    """The file or object that it was read from, and where in it; empty where it lies in the store."""

    def __str__(self) -> str:
        game = f"{self.game_id} ({self.kind})" if self.game_id else ""
        return visible(": ".join(part for part in (self.where, game, str(self.divergence)) if part))

    def document(self) -> Mapping[str, Any]:
        """A game that is not as it was, as JSON."""
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


def unreadable(where: str, what: str, line: int | None = None) -> Checked:
    """A file or an object that is damaged, and nobody knows whose it is."""
    return Checked(GameId(""), "", 0, Divergence("AUD-01", what, line=line), "unreadable", where)


def check_export(data: bytes, where: str, kind: str | None = None) -> tuple[Checked, ...]:
    """Look whether an export is sound, then fold and re-decide its commits, unless it is of another kind.

    One whose digest, chain, bodies or signatures are wrong is no witness for what a release decided. Raises nothing for whatever the bytes are.
    """
    try:
        export = outlined(data)
    except BadLine as error:
        return (unreadable(where, error.what, error.number),)
    setup, line = export.setup, export.seed
    if kind not in (None, setup.kind):
        return ()
    found = partial(Checked, setup.game, setup.kind, where=where)
    if (wrong := unsound(data, export)) is not None:
        return (found(0, wrong, "unreadable"),)
    if line is None:
        return (found(0, None, "running"),)
    try:
        rules = rules_of(setup.kind, setup.ruleset)
    except UnknownEvent as error:
        return (found(0, Divergence("AUD-09", f"this release does not know {error}", 1)),)
    deciding = Deciding(rules, Chance(bytes.fromhex(line.key), export.dice))
    divergence = deciding.lines(1, export.commits)
    return (found(deciding.position.seq, divergence),)
