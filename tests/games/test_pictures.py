"""Pictures of real games: complete, legible, with the last moves marked, and with every object that an Option can name."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from domain.drawing import palette, svg
from domain.drawing.chart import ticks
from domain.drawing.svg import Picture, Tone, in_scheme
from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.games.nim.game import NIM
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM, Integer
from domain.table import bots
from service.core.positions.rows import as_bytes, build_public
from tests.games import contact
from tests.games.contact import HARD_NAMES, Quick
from tests.games.seen import contrast, faults, sight
from tests.games.setups import Case

SVG = "{http://www.w3.org/2000/svg}"
MODULES = tuple(BATTALIA.rules.modules)
SIX = Setup(6, "", {"teams": True}, MODULES)
GAMES = [
    (BATTALIA, SIX, 1),
    (BATTALIA, Setup(5, "", {}, MODULES), 2),
    (BATTALIA, Setup(4, "", {"quick_setup": False}, ("rammoth", "armamentum")), 3),
    (BATTALIA, Setup(3, "", {}, ("keeper", "unbound_buff")), 4),
    (BATTALIA, Setup(2, "", {}, ()), 5),
    (BATTALIA, Setup(6, "", {}, ("stormgates",)), 6),
    (FRONELA, Setup(4, ""), 7),
    (FRONELA, Setup(4, "fronela_v1"), 9),
    (NIM, Setup(2, "", {"heaps": 8}), 8),
]


def positions(game, setup, seed, *, looks=30, most=480):
    """Positions of a game played by its own bot and at random, each with the public history lines so far."""
    play = Quick(Case(game, setup), seed)
    play.begin()
    bot, every = next(iter(game.bots.by_name)), max(1, most // looks)
    while True:
        if play.position.over or play.position.seq % every == 0 or game is NIM:
            yield play, play.news
        if play.position.over or play.position.seq >= most:
            return
        asked = play.luck.choose(play.position.asked)
        seat = asked.question.seat
        if seat == SYSTEM:
            play.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            chooser = bot if play.luck.below(5) else bots.RANDOM
            play.say(seat, dict(bots.choose(game, chooser, play.position.state, seat, play.luck)))


def picture_of(play, names=HARD_NAMES, lines=()):
    public = json.loads(as_bytes(build_public(play.game.knowledge, play.position)))
    return play.game.presentation.board(
        play.game.title, public, {str(seat): names[str(seat)] for seat in play.seats}, lines
    )


BOARD = {
    "battalia": {
        "square": "square",
        "to": "square",
        "hero": "hero",
        "unit": "pile",
        "artefact": "pile",
        "pile": "pile",
        "faction": "faction",
        "terrain": "faction",
        "against": "seat",
        "take_spoils.card": "card",
    },
    "fronela": {
        "area": "area",
        "areas": "area",
        "to": "area",
        "via": "area",
        "nation": "nation",
        "against": "nation",
        "unit": "unit",
    },
    "nim": {"heap": "heap"},
}
"""The kind of board object that a parameter names. Hand cards, castes, dice, and numbers are not on the board."""


def named(option):
    """Parameters of the option with each of their choices, except integers."""
    yield from option.fixed.items()
    for part in option.open:
        if not isinstance(part, Integer):
            yield from ((part.name, choice) for choice in part.choices)


NEEDED = {"battalia": {"square", "hero", "pile"}, "fronela": {"area", "unit", "nation"}, "nim": {"heap"}}


def clickable(game, play, document):
    """Check that all board objects named by the current options are in the picture, and yield their kinds."""
    kinds, refs = BOARD[game.key], sight(document).refs
    for asked in play.position.asked:
        seat = asked.question.seat
        for option in game.rules.legal(play.position.state, seat) if seat != SYSTEM else ():
            for name, choice in named(option):
                kind = kinds.get(f"{option.type}.{name}") or kinds.get(name)
                if kind is not None and choice not in ("", None, "all"):
                    assert (str(choice), kind) in refs, (option.type, name, choice)
                    yield kind


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "setup", "seed"), GAMES, ids=lambda each: getattr(each, "key", None) or str(each)[:60]
)
def test_picture_with_difficult_names_has_no_visual_faults_and_shows_all_options(game, setup, seed):
    looked, found = 0, set()
    for play, news in positions(game, setup, seed):
        document = picture_of(play, lines=news[-60:])
        assert [] == faults(document), play.position.seq
        found |= set(clickable(game, play, document))
        looked += 1
    assert looked >= (4 if game is NIM else 12)
    assert found >= NEEDED[game.key]


def frames(document):
    """The tooltips of objects marked as changed by the last moves."""
    root = ET.fromstring(document)
    marked = [element for element in root.iter() if element.get("data-kind") == "moved"]
    return {element.find(f"{SVG}title").text.partition(":")[0] for element in marked}


def test_contact_sheets_show_every_module_and_seat_count_and_the_end_of_each_game():
    setups = [state.setup for state in contact.STATES if state.game is BATTALIA]

    assert set(BATTALIA.rules.seats) == {setup.seats for setup in setups}
    assert {(module,) for module in MODULES} <= {setup.modules for setup in setups}
    assert {BATTALIA, FRONELA, NIM} == {state.game for state in contact.STATES if state.when is contact.at_end}


def test_picture_of_a_sandbox_is_labeled():
    play = at_start(FRONELA, Setup(4, ""))
    public = json.loads(as_bytes(build_public(FRONELA.knowledge, play.position)))
    words = [
        " ".join(
            text.words
            for text in sight(FRONELA.presentation.board(FRONELA.title, {**public, "table": table}, HARD_NAMES)).texts
        )
        for table in (public["table"], {**public["table"], "sandbox": True})
    ]

    assert [False, True] == ["sandbox" in each for each in words]


def at_start(game, setup):
    play = Quick(Case(game, setup))
    play.begin()
    return play


def test_last_moves_of_battalia_are_marked_from_public_lines():
    play = at_start(BATTALIA, Setup(2, "", {}, ()))
    step = {"type": "hero_stepped", "seat": 1, "origin": "A1", "to": "B1"}
    turn = {"type": "turn_began", "seat": 2}
    earlier = [{"type": "turn_began", "seat": 2}, {"type": "city_founded", "square": "G5"}]

    assert set() == frames(picture_of(play))
    assert {"A1", "B1"} == frames(picture_of(play, lines=[*earlier, {"type": "turn_began", "seat": 1}, step]))
    assert {"A1", "B1"} == frames(picture_of(play, lines=[*earlier, {"type": "turn_began", "seat": 1}, step, turn]))
    assert {"C1"} == frames(picture_of(play, lines=[step, turn, {"type": "road_built", "square": "C1"}]))
    assert set() == frames(picture_of(play, lines=[{"type": "road_built", "square": "Z9"}]))


def test_last_moves_of_fronela_are_marked_from_public_lines():
    play = at_start(FRONELA, Setup(4, ""))
    march = {"type": "units_marched", "nation": "trolls", "area": "akem", "to": "tarins"}
    began = {"type": "turn_begun", "nation": "trolls"}

    assert set() == frames(picture_of(play))
    assert {"Akem", "Tarins"} == frames(picture_of(play, lines=[began, march, began]))
    document = picture_of(play, lines=[march, began, {"type": "units_placed", "area": "zoria"}])
    assert {"Zoria"} == frames(document)


def test_default_picture_shows_the_last_history_lines():
    play = at_start(NIM, Setup(2, ""))
    document = picture_of(play, lines=[{"type": "x", "text": f"Line {number}."} for number in range(9)])

    assert ["Line 6.", "Line 7.", "Line 8."] == [text.words for text in sight(document).texts if "Line" in text.words]


@pytest.mark.parametrize(("game", "setup"), [(BATTALIA, Setup(2, "")), (FRONELA, Setup(4, ""))])
def test_picture_names_the_player_to_move_or_the_winner(game, setup):
    play = at_start(game, setup)
    public = json.loads(as_bytes(build_public(game.knowledge, play.position)))
    names = {str(seat): f"Ash{seat}" for seat in play.seats}
    going = " ".join(text.words for text in sight(game.presentation.board(game.title, public, names)).texts)
    won = {"reason": "cities", "clause": "END-01", "winners": [2], "scores": {"1": 3, "2": 21}}
    public["table"]["outcome"] = won
    over = " ".join(text.words for text in sight(game.presentation.board(game.title, public, names)).texts)

    assert "to move" in going or "to act" in going or "to answer" in going
    assert "has won" not in going
    assert "Ash2 has won, with 21 points." in over


def test_palette_colors_are_legible_on_all_backgrounds_in_both_color_schemes():
    inks = [palette.INK, palette.PALE, palette.TURN, *palette.SEATS]
    for ink in inks:
        for under in (palette.PAGE, palette.PAPER):
            assert contrast(ink, under) >= 4.5 <= contrast(ink.dark, under.dark), (ink, under)


def test_color_scheme_can_be_forced_and_otherwise_follows_the_reader():
    picture = Picture("T", "D", Tone("#ffffff", "#000000"))
    document = picture.document(10)

    assert "prefers-color-scheme:dark" in document
    assert "<style" not in in_scheme(document, "light")
    assert '<rect width="800" height="10" fill="#000000"' in in_scheme(document, "dark")
    assert "<style" not in in_scheme(document, "dark")
    assert "@media" not in in_scheme(document, "dark")
    assert document == in_scheme(document, "auto")


def test_characters_that_xml_cannot_represent_are_replaced():
    picture = Picture("T\x00", "D\ud800", palette.PAGE)
    picture.group().text(10, 20, "\x07bell", tip=None)

    assert "\ufffdbell" in ET.fromstring(picture.document(40)).find(f"{SVG}g/{SVG}text").text


@pytest.mark.parametrize(
    ("least", "most", "at_most", "want"),
    [
        (0, 26, 6, [0, 5, 10, 15, 20, 25, 30]),
        (0, 85, 6, [0, 20, 40, 60, 80, 100]),
        (1, 37, 12, [0, 5, 10, 15, 20, 25, 30, 35, 40]),
        (3, 3, 6, [3, 4]),
        (-3, 4, 6, [-4, -2, 0, 2, 4]),
    ],
)
def test_axis_ticks_are_round_and_enclose_all_values(least, most, at_most, want):
    assert want == list(ticks(least, most, at_most))


def test_visual_faults_of_a_picture_are_detected():
    wrong = Picture("T", "D", palette.PAGE)
    group = wrong.group(fill=palette.INK)
    group.text(790, 20, "out of it")
    group.text(20, 40, "one")
    group.text(22, 42, "other")
    group.text(20, 80, "tiny", 8)
    group.text(20, 120, "faint", fill=palette.LINE)
    from domain.drawing.parts import badge

    for x in (20, 30):
        badge(group, x, 130, 26, 20, "W", 14, palette.INK)
    found = " ".join(faults(wrong.document(200)))

    for what in ("outside", "words on each other", "too small", "faint (light", "faint (dark", "badges on each other"):
        assert what in found
    assert svg.SMALLEST == 14
