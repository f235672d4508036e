"""The page with a full greedy game of Fronela: its history on two pages, and the number of commands in it.

``python -m tests.guides`` generates the page; a test compares it with what the rules and the bots produce.
"""

from __future__ import annotations

import hashlib
import itertools
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.games.fronela.game import FRONELA
from domain.games.fronela.phases.scoring import totals
from domain.games.fronela.readers.condensing import condense
from domain.games.fronela.readers.naming import CALLED, ONE, listed
from domain.games.fronela.scenarios.tables import COLOURS
from domain.kernel.game.rules import Setup
from domain.kernel.record import Commit
from domain.kernel.terms import SYSTEM, Seat
from service.core.history.lines import narrate_commit
from service.core.history.narration import Narrator
from tests.guides import FOLDER
from tools.simulation.selfplay import SelfPlay

PAGE = FOLDER / "fronela-game.md"
SEED = "a game of Fronela read aloud"
LONGEST = 330
"""Maximum number of characters of a turn that is quoted."""
TAKEN = 2
"""Number of conquered areas that are named in each round."""
NARRATOR = Narrator(FRONELA, {Seat(number): colour.title() for number, colour in enumerate(COLOURS, 1)})
HISTORY = ("token_given", "person_placed", "person_removed", "farmers_taken")
"""Historical events that the page lists."""
FOLK = CALLED["folk"]

Line = Mapping[str, Any]


@dataclass
class Turn:
    """The lines under one heading."""

    title: str
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        return NARRATOR.write_paragraph(self.lines)

    @property
    def fallen(self) -> int:
        return sum(line["count"] for line in self.lines if line["type"] == "units_lost" and line["why"] == "battle")


@dataclass
class Round:
    """A round with its turns, and the points at its end."""

    title: str
    turns: list[Turn] = field(default_factory=list)
    points: Mapping[Seat, int] = field(default_factory=dict)


def made() -> str:
    play = SelfPlay(FRONELA, Setup(4, ""), ["bot:greedy"] * 4, hashlib.sha256(SEED.encode()).digest(), "aloud")
    rounds: list[Round] = []
    commits: list[Commit] = []
    while not play.over:
        commit = play.step()
        commits.append(commit)
        for line in narrate_commit(FRONELA, commit, None, NARRATOR):
            _take(rounds, line)
            if line["type"] == "round_ended":
                rounds[-1].points = totals(play.position.state)
    told = [part for one in rounds for part in (f"**{one.title}.** {_round(one)}",)]
    texts = (HEAD, *told, _counted(commits, rounds))
    wrapped = [textwrap.fill(text, 125, break_on_hyphens=False) for text in texts]
    return "# A full game of Fronela\n\n" + "\n\n".join(wrapped) + "\n"


HEAD = (
    "Four greedy bots play the whole game. For every round, this page lists the historical events, areas taken by force, and the "
    "turn with the most losses that is short enough to quote. The texts are those of `GET …/events?digest=turn`. To learn the game, "
    "read [the guide](fronela.md)."
)


def _take(rounds: list[Round], line: Line) -> None:
    heading = NARRATOR.find_heading(line) if line["type"] in FRONELA.rules.events else None
    if line["type"] == "round_begun":
        rounds.append(Round(str(heading)))
    if not rounds:
        return
    if heading is not None:
        rounds[-1].turns.append(Turn(str(heading)))
    rounds[-1].turns[-1].lines.append(line)


def _round(one: Round) -> str:
    nations = [turn for turn in one.turns if any(line["type"] == "turn_begun" for line in turn.lines)]
    history = [line for turn in one.turns for line in turn.lines if line["type"] in HISTORY and _matters(line)]
    told = [NARRATOR.narrate(line) for line in history]
    battles = [line for turn in nations for line in condense(turn.lines) if line["type"] == "battle_told"]
    fallen = sum(turn.fallen for turn in nations)
    told.append(f"{len(nations)} turns, {_many(len(battles), 'battle')}, {_many(fallen, 'unit')} killed in them.")
    if taken := [line for line in battles if line["ends"] and line["ends"]["holder"] == line["attacker"]]:
        named = [
            f"{FOLK[line['attacker']]} {'takes' if line['attacker'] in ONE else 'take'} {CALLED['place'][line['area']]} from {FOLK[line['defender']]}"
            for line in taken
        ]
        rest = len(named) - TAKEN
        more = f"; {rest} more {'area changes' if rest == 1 else 'areas change'} hands" if rest > 0 else ""
        text = "; ".join(named[:TAKEN]) + more + "."
        told.append(text[0].upper() + text[1:])
    bloody = max(nations, key=lambda turn: (len(turn.text) <= LONGEST, turn.fallen, len(turn.text)))
    if bloody.fallen and len(bloody.text) <= LONGEST:
        told.append(f"*{bloody.title}:* {bloody.text}")
    told.append(
        "Points: " + listed(f"{COLOURS[seat - 1].title()} {points}" for seat, points in one.points.items()) + "."
    )
    return " ".join(told)


def _matters(line: Line) -> bool:
    return line["type"] != "farmers_taken" and line.get("person") not in ("talor", "jonat")


def _many(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _counted(commits: Sequence[Commit], rounds: Sequence[Round]) -> str:
    spoken = [commit.seat for commit in commits if commit.seat != SYSTEM]
    by = Counter(spoken)
    overs = sum(one != other for one, other in itertools.pairwise(spoken))
    turns = sum(any(line["type"] == "turn_begun" for line in turn.lines) for one in rounds for turn in one.turns)
    colours = listed(f"{colour.title()} {by[Seat(seat)]}" for seat, colour in enumerate(COLOURS, 1))
    return (
        f"**Number of commands.** This game has {turns} turns and {len(spoken)} commands: {colours}. The player who acts changes "
        f"{overs} times."
    )
