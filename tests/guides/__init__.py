"""Plays the examples in the guides for players: what they quote, draw and count is made by the rules themselves.

In a page of docs/play the commands of the player stand as JSON, a picture is drawn of the board as it stands there, a
quotation tells what the commands before it came to, and what stands between ``<!-- numbers: … -->`` and ``<!-- end -->``
is read off the default ruleset. ``python -m tests.guides`` makes quotations, numbers and pictures anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from domain.game import AnyGame, Setup
from domain.play.record import Commit
from domain.registry import GAMES
from domain.terms import Seat
from service.projections.history.lines import lines
from service.projections.history.narration import Narrator
from service.projections.positions.rows import as_bytes, public_part
from tools.simulation.selfplay import SelfPlay

FOLDER = Path(__file__).parents[2] / "docs" / "play"
PART = re.compile(
    r"(?P<command>```json\n(?P<json>.*?)```\n)|(?P<quote>(?:^>[^\n]*\n)+)|!\[[^\]]*\]\((?P<picture>[^)]*)\)"
    r"|(?P<open><!-- numbers: (?P<numbers>[a-z ]+) -->\n).*?(?P<close><!-- end -->\n)",
    re.DOTALL | re.MULTILINE,
)
YOU = Seat(1)


@dataclass(frozen=True)
class Example:
    """The game that a guide's example is a part of."""

    seed: str
    setup: Setup
    names: tuple[str, ...]
    """What the seats are called; seat 1 is the reader's."""
    bot: str
    """Plays the others, and the reader's seat before the example begins."""
    begins: int
    """The commit after which the reader's commands come."""


@dataclass
class Page:
    """A guide while its example is played."""

    game: AnyGame
    example: Example
    numbers: dict[str, Callable[[], str]]
    pictures: dict[str, str] = field(default_factory=dict)
    """By file name."""
    told: list[str] = field(default_factory=list)
    """Since the last quotation."""

    def __post_init__(self) -> None:
        seats = [f"player:{self.example.bot}"] + [f"bot:{self.example.bot}"] * (self.example.setup.seats - 1)
        digest = hashlib.sha256(self.example.seed.encode()).digest()
        self.play = SelfPlay(self.game, self.example.setup, seats, digest, "guide")
        self.play.run(self.example.begins)
        self.names = {Seat(number): name for number, name in enumerate(self.example.names, 1)}
        self.narrator = Narrator(self.game, self.names)

    def made(self, text: str) -> str:
        """The page with everything in it that is made."""
        return PART.sub(self._part, text)

    def _part(self, found: re.Match[str]) -> str:
        if found["command"]:
            for command in found["json"].strip().splitlines():
                self._say(json.loads(command))
        elif found["quote"]:
            quoted, self.told = " ".join(self.told), []
            return textwrap.fill(quoted, 118, initial_indent="> ", subsequent_indent="> ") + "\n"
        elif found["picture"]:
            self._draw(found["picture"])
        elif found["numbers"]:
            return found["open"] + self.numbers[found["numbers"]]() + found["close"]
        return found[0]

    def _say(self, command: dict) -> None:
        """The reader's command, and what the others do until the reader is asked again."""
        commits = [self.play.say(YOU, command)]
        assert commits[0].refusal is None, (command, commits[0].refusal)
        while not self.play.over and not any(asked.question.seat == YOU for asked in self.play.position.asked):
            commits.append(self.play.step())
        shown = [line for commit in commits for line in self._shown(commit)]
        text = self.narrator.paragraph(shown)
        self.told += [text] if text else []

    def _shown(self, commit: Commit) -> list:
        return lines(self.game, commit, YOU, self.narrator)

    def _draw(self, name: str) -> None:
        view = orjson.loads(as_bytes(public_part(self.game, self.play.position)))
        self.pictures[name] = self.game.board(view, {str(seat): name for seat, name in self.names.items()})


def guides() -> list[str]:
    """The kinds of games that have a guide with an example here."""
    from tests.guides.examples import EXAMPLES

    return sorted(EXAMPLES)


def made(kind: str) -> tuple[str, dict[str, str]]:
    """A guide's text as it is to be, and its pictures by the names of their files below ``FOLDER``."""
    from tests.guides.examples import EXAMPLES, NUMBERS

    page = Page(GAMES[kind], EXAMPLES[kind], NUMBERS.get(kind, {}))
    return page.made((FOLDER / f"{kind}.md").read_text(encoding="utf-8")), page.pictures
