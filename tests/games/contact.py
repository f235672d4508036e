"""The contact sheets of docs/pictures: thumbnails of the boards in many states, in light and in dark mode.

``python -m tests.games.contact`` renders them again. ``python -m tests.games.contact FOLDER`` writes each board as an SVG
file into a folder instead, with an HTML page that shows each at 400, 800, and 1600 pixels.
"""

from __future__ import annotations

import html
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from domain.drawing.chart import points
from domain.drawing.svg import in_scheme
from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.games.nim.game import NIM
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM, Seat
from domain.table import bots
from domain.table.features import EVENTS
from domain.table.settle import Commit, Submission, settle
from service.core.pictures.png import render_png
from service.core.positions.rows import as_bytes, build_public
from tests.games.laws import Play
from tests.games.setups import Case

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
MODULES = tuple(BATTALIA.rules.modules)
NAMES = {str(seat): name for seat, name in enumerate(("Ashmodai", "Birk", "Cyneburg", "Dorothea", "Egil", "Fenna"), 1)}
HARD_NAMES = {
    "1": "W" * 40,
    "2": "שלום עולם ارسلان הארוך מאוד בכל הארצות",
    "3": "王小明の長い名前です" * 4,
    "4": '🎲🏰 Dice & <b>"Castles"</b> 👩‍👩‍👧‍👦',
    "5": "A",
    "6": "Maximilian-Alexander von und zu Hohenberg",
}
"""The longest name, right-to-left text, full-width characters, emoji and markup, and a single letter."""
THUMB, COLUMNS, CAPTION = 250, 6, 22
View = Mapping[str, Any]


def at_end(view: View) -> bool:
    return view["table"]["outcome"] is not None


def in_battle(view: View) -> bool:
    return bool(view["battle"])


def npcs_out(view: View) -> bool:
    return all(npc["square"] for npc in view["npcs"].values() if "square" in npc)


@dataclass(frozen=True)
class State:
    """A picture of the sheet: the game, its setup, and the position to draw."""

    title: str
    game: Any
    setup: Setup
    when: Callable[[View], bool] | int
    """Draw the first position whose view meets this condition, or the position after this many commits."""
    names: Mapping[str, str] = field(default_factory=lambda: NAMES)
    seed: int = 5
    sandbox: bool = False


STATES = [
    State("two seats, the start", BATTALIA, Setup(2, ""), 1),
    State("factions are chosen", BATTALIA, Setup(3, "", {"quick_setup": False}), 2),
    State("two seats, a turn", BATTALIA, Setup(2, ""), 90),
    State("two seats, a battle", BATTALIA, Setup(2, ""), in_battle),
    State("two seats, the end", BATTALIA, Setup(2, ""), at_end),
    *(State(f"three seats, {key}", BATTALIA, Setup(3, "", {}, (key,)), 220) for key in MODULES),
    State("four seats, all modules, a battle", BATTALIA, Setup(4, "", {}, MODULES), in_battle),
    State("five seats, all NPCs out", BATTALIA, Setup(5, "", {}, MODULES), npcs_out),
    State("six seats, teams, the start", BATTALIA, Setup(6, "", {"teams": True}, MODULES), 1),
    State("six seats, teams, all modules", BATTALIA, Setup(6, "", {"teams": True}, MODULES), 400),
    State("six seats, the end", BATTALIA, Setup(6, "", {}, MODULES), at_end),
    State("six seats, hard names", BATTALIA, Setup(6, "", {"teams": True}, MODULES), 330, HARD_NAMES),
    State("Fronela, the start", FRONELA, Setup(4, ""), 1),
    State("Fronela, a turn", FRONELA, Setup(4, ""), 260),
    State("Fronela, a battle", FRONELA, Setup(4, ""), in_battle),
    State("Fronela, late", FRONELA, Setup(4, ""), lambda view: view["round"] == 15),
    State("Fronela, the end", FRONELA, Setup(4, ""), at_end),
    State("Fronela, hard names", FRONELA, Setup(4, ""), 300, HARD_NAMES),
    State("a sandbox", BATTALIA, Setup(2, ""), 60, sandbox=True),
    State("Nim", NIM, Setup(2, "", {"heaps": 8}), 5),
    State("Nim, the end, hard names", NIM, Setup(2, ""), at_end, HARD_NAMES),
]


class Quick(Play):
    """A game played without checking the laws."""

    def say(self, seat: Seat, command: dict[str, Any]) -> Commit:
        number = self.position.seq + 1
        submission = Submission(str(number), seat, command, number)
        commit, self.position = settle(self.game, self.position, submission, number, self.chance)
        assert self.narrator is not None
        for event in commit.events:
            line = None if type(event) in EVENTS.values() else self.game.knowledge.reveal(event, None)
            if line is not None:
                self.news.append({**line, "text": self.narrator.narrate(line)})
        return commit


def drawn(state: State) -> str:
    play = Quick(Case(state.game, state.setup), state.seed)
    play.begin()
    names = {str(seat): state.names[str(seat)] for seat in play.seats}
    while True:
        view = json.loads(as_bytes(build_public(play.game.knowledge, play.position)))
        there = play.position.seq >= state.when if isinstance(state.when, int) else state.when(view)
        if there or play.position.over:
            view["table"]["sandbox"] = state.sandbox
            return str(play.game.presentation.board(play.game.title, view, names, play.news[-60:]))
        asked = play.luck.choose(play.position.asked)
        seat = asked.question.seat
        if seat == SYSTEM:
            play.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            bot = next(iter(play.game.bots.by_name))
            play.say(seat, dict(bots.choose(play.game, bot, play.position.state, seat, play.luck)))


def charts() -> Iterator[tuple[str, str]]:
    """Charts of two whole games."""
    for title, game, setup in (
        ("points of six", BATTALIA, Setup(6, "", {}, MODULES)),
        ("points of nations", FRONELA, Setup(4, "")),
    ):
        play = Quick(Case(game, setup), 6)
        play.begin()
        samples = [game.presentation.course.sample(game.knowledge.view(play.position.state))]
        while not play.position.over:
            asked = play.luck.choose(play.position.asked)
            seat = asked.question.seat
            if seat == SYSTEM:
                play.say(SYSTEM, {"type": "expire", "question": asked.id})
                samples.append(game.presentation.course.sample(game.knowledge.view(play.position.state)))
            else:
                play.say(
                    seat, dict(bots.choose(game, next(iter(game.bots.by_name)), play.position.state, seat, play.luck))
                )
        names = {str(seat): HARD_NAMES[str(seat)] for seat in play.seats}
        yield title, points(game.presentation.course, samples, names)


def pictures() -> list[tuple[str, str]]:
    """The title and the SVG document of every picture."""
    return [*((state.title, drawn(state)) for state in STATES), *charts()]


def sheet(found: list[tuple[str, str]], scheme: str) -> bytes:
    """All pictures in one PNG with at most 255 colors."""
    from PIL import Image, ImageDraw, ImageFont

    thumbs = [Image.open(io.BytesIO(render_png(in_scheme(svg, scheme), THUMB))).convert("RGB") for _, svg in found]
    rows = [range(start, min(start + COLUMNS, len(found))) for start in range(0, len(found), COLUMNS)]
    tall = [max(thumbs[place].height for place in row) + CAPTION + 10 for row in rows]
    ground, ink = ("#ffffff", "#000000") if scheme == "light" else ("#000000", "#ffffff")
    whole = Image.new("RGB", (COLUMNS * (THUMB + 10) + 10, sum(tall) + 10), ground)
    pen, y = ImageDraw.Draw(whole), 10
    for row, height in zip(rows, tall, strict=True):
        for column, place in enumerate(row):
            x = 10 + column * (THUMB + 10)
            pen.text((x, y), found[place][0], fill=ink, font=ImageFont.load_default(14))
            whole.paste(thumbs[place], (x, y + CAPTION))
        y += height
    out = io.BytesIO()
    whole.quantize(255, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def page(found: list[tuple[str, str]]) -> str:
    """An HTML page that shows every picture in three widths."""
    shown = [
        f"<h2>{html.escape(title)}</h2>"
        + "".join(f'<p><img width="{w}" src="{place}.svg"></p>' for w in (400, 800, 1600))
        for place, (title, _) in enumerate(found)
    ]
    return f'<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">{"".join(shown)}'


def main() -> None:
    found = pictures()
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for place, (_, svg) in enumerate(found):
            (folder / f"{place}.svg").write_text(svg)
        (folder / "index.html").write_text(page(found))
        return
    FOLDER.mkdir(exist_ok=True)
    for scheme in ("light", "dark"):
        (FOLDER / f"{scheme}.png").write_bytes(sheet(found, scheme))


if __name__ == "__main__":
    main()
