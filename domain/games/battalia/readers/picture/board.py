"""The board of Battalia from top to bottom: heading, map, panel, piles, legend. Also its chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.chart import Course, ScoreSample
from domain.drawing.lettering import isolated
from domain.drawing.palette import INK, PAGE
from domain.drawing.parts import ending, heading, listed, name_of, why
from domain.drawing.patterns import define
from domain.drawing.svg import Picture, counted
from domain.games.battalia.readers.picture import ground, panel, signs, tokens, tones
from domain.games.battalia.readers.picture.places import Places, figures, moved, reaches
from domain.games.battalia.readers.picture.tones import GROUND, module
from domain.games.battalia.readers.words.forms import NAMES
from domain.games.battalia.readers.words.paragraphs import outranked

View = Mapping[str, Any]
NO_WORDS: Mapping[str, str] = {}


def board(
    view: View,
    seats: Mapping[str, str],
    lines: Sequence[Mapping[str, Any]] = (),
    ends: Mapping[str, str] = NO_WORDS,
    tasks: Mapping[str, str] = NO_WORDS,
) -> str:
    """The public view as a picture. ``seats`` has the names of the seats, ``lines`` the most recent history.

    ``ends`` explains the end of a game by reason. ``tasks`` describes the questions of modules by kind.
    """
    title = f"Battalia, week {view['week']}, day {view['day']}"
    over = _over(view, seats, ends)
    picture = Picture(title, " ".join(_description(view, seats, over)), PAGE)
    define(picture, dict(GROUND))
    top = heading(picture.group(), view, title, "", standing(view, seats, tasks), over)
    places = Places(view, top + 20)
    ground.squares(picture, view, places)
    ground.ranges(picture, view, places)
    ground.last_moves(picture, places, *moved(view, lines))
    tokens.draw(picture, view, places)
    y = panel.panel(picture, view, seats, places.bottom + 14)
    y = signs.piles(picture.group(), view, y + 8)
    y = signs.signs(picture.group(), view, y + 8)
    return picture.document(y + 10)


def standing(view: View, seats: Mapping[str, str], tasks: Mapping[str, str] = NO_WORDS) -> str:
    """The players who must act now, and their task; empty if no question is pending."""
    asked = [question for question in view["questions"] if question["seats"] and question["seats"] != [0]]
    if asked:
        who, kind = [isolated(name_of(seats, seat)) for seat in asked[-1]["seats"]], asked[-1]["kind"]
        turn = isolated(name_of(seats, view["turn"]["seat"])) if view["turn"]["seat"] else ""
        if kind == "turn":
            return f"{listed(who)} to move"
        meanwhile = f" in the turn of {turn}" if turn and who != [turn] else ""
        return f"{listed(who)} to {_TO_DO.get(kind) or tasks.get(kind) or 'answer'}{meanwhile}"
    return f"{isolated(name_of(seats, view['turn']['seat']))} to move" if view["turn"]["seat"] else ""


_TO_DO = {
    "faction": "choose a faction",
    "start": "choose a starting square",
    "defend": "defend a city or a hero",
    "flee": "flee",
    "spoils": "choose the spoils",
    "return": "bring a hero back",
    "wish": "make a wish",
}
"""Tasks by kind of the core's questions. Modules name their own tasks (``task`` of `Npc.names`)."""


def _over(view: View, seats: Mapping[str, str], ends: Mapping[str, str]) -> list[str]:
    """The winners and the reason for the end; empty before the end. The outcome may follow later than the reason."""
    if found := ending(view, seats, ends):
        return [*found[:-1], f"{found[-1]} Keys count before points."] if outranked(view["table"]["outcome"]) else found
    return ["The game is over.", f"{why(view['ending']['reason'], ends).capitalize()}."] if view["ending"] else []


def _sample(view: View) -> ScoreSample:
    """The points of every player on a day, counted from the first day of the game."""
    points = {number: seat["points"] for number, seat in view["seats"].items()}
    colours = {number: tones.COLOUR.get(seat["faction"], INK) for number, seat in view["seats"].items()}
    return ScoreSample(7 * (view["week"] - 1) + view["day"], points, colours)


COURSE = Course("day", _sample)


def _description(view: View, seats: Mapping[str, str], over: Sequence[str]) -> Iterator[str]:
    yield (
        f"The map has {view['map']['columns']} columns and {view['map']['rows']} rows; "
        f"{len(view['squares'])} cards lie."
    )
    for number, seat in view["seats"].items():
        cities = ", ".join(f"{square} (level {view['squares'][square]['city']['level']})" for square in seat["cities"])
        heroes = ", ".join(
            hero["square"] for hero in view["heroes"].values() if str(hero["seat"]) == number and hero["square"]
        )
        where = (
            f"cities at {cities}" if cities else "no city",
            f"heroes at {heroes}" if heroes else "no hero on the map",
        )
        faction = NAMES["faction"].get(seat["faction"], "no faction yet")
        yield f"{name_of(seats, number)} ({faction}) has {counted(seat['points'], 'point')}, {', '.join(where)}."
    yield from (f"{module(key)} stands at {square}." for key, square in figures(view))
    yield from (f"{note}." for note in panel.notes(view, seats))
    yield from (f"{what}: range {', '.join(squares)}." for what, _, squares in reaches(view))
    yield f"The Oracle lights the {view['wheel']['lit']}; the {view['wheel']['matching']} matches."
    yield from over or [f"{standing(view, seats)}."]
