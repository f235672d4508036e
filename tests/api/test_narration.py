"""History in sentences."""

from __future__ import annotations

from string import Formatter

import pytest

from domain import table
from domain.game import AnyGame
from domain.registry import GAMES
from domain.shape import hints
from service.projections import narration
from service.projections.narration import Narrator, clean_name, seat_names
from tests.pennies import PENNIES


def narrator(**sentences) -> Narrator:
    class Told:
        key = "told"

    Told.sentences = sentences
    return Narrator(Told, {1: "Ash", 2: "Birk"})


@pytest.mark.parametrize(
    ("template", "line", "sentence"),
    [
        ("{seat:seat} moves.", {"seat": 2}, "Birk moves."),
        ("{seat:seat} moves.", {"seat": 0}, "The game moves."),
        ("{seat:seat} moves.", {"seat": 7}, "Seat 7 moves."),
        ("Of {seats:seats}.", {"seats": [1, 2]}, "Of Ash and Birk."),
        ("Of {seats:seats}.", {"seats": []}, "Of nobody."),
        ("{card:card} falls.", {"card": "frimen-islanders-3"}, "Frimen islanders falls."),
        (
            "{cards:cards} fall.",
            {"cards": ["supply-1", "supply-2", "horn"]},
            "Supply \N{MULTIPLICATION SIGN}2 and horn fall.",
        ),
        ("For {cards:cards}.", {"cards": []}, "For nothing."),
        ("At {square:square}: {rolls:list}.", {"square": "C4", "rolls": [6, 1, 2]}, "At C4: 6, 1 and 2."),
        ("The {what:faction} of {n}.", {"what": "sun_blessed", "n": 3}, "The sun blessed of 3."),
    ],
)
def test_templates_are_filled(template, line, sentence):
    assert sentence == narrator(thing=template).tell({"type": "thing", **line})


def test_of_several_templates_the_first_whose_fields_are_all_shown_is_told():
    teller = narrator(thing=("{seat:seat} hides {card:card}.", "{seat:seat} hides a card."))

    assert "Ash hides horn." == teller.tell({"type": "thing", "seat": 1, "card": "horn"})
    assert "Ash hides a card." == teller.tell({"type": "thing", "seat": 1})
    assert "Ash hides a card." == teller.tell({"type": "thing", "seat": 1, "card": None})


def test_what_has_no_template_is_told_by_its_type():
    assert "Road built." == narrator().tell({"type": "road_built"})


def test_another_language_is_another_table(monkeypatch):
    german = narration.Language(
        system="Das Spiel",
        seat="Platz {}",
        bot="der Bot {}",
        twin="{} ({})",
        nobody="niemand",
        nothing="nichts",
        joint=" und ",
        table={"game_begun": "Das Spiel beginnt."},
        games={"pennies": {"hand_closed": "{seat:seat} ist bereit."}},
    )
    monkeypatch.setitem(narration.LANGUAGES, "de", german)
    teller = Narrator(PENNIES, seat_names(["bot:random", None], {}, "de"), "de")

    assert "Der Bot random ist bereit." == teller.tell({"type": "hand_closed", "seat": 1})
    assert "Platz 2 ist bereit." == teller.tell({"type": "hand_closed", "seat": 2})
    assert "Das Spiel beginnt." == teller.tell({"type": "game_begun"})


def test_seats_are_called_by_their_players_and_twins_told_apart():
    names = seat_names(["p1", "p2", "bot:greedy", None, "p3"], {"p1": "Ash", "p2": "Ash", "p3": "\u202e"})

    assert {1: "Ash (1)", 2: "Ash (2)", 3: "the greedy bot", 4: "Seat 4", 5: "Seat 5"} == names


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ash", "Ash"),
        ("  A\n\tB  ", "A B"),
        ("A\u202eB\u200bC\x00", "ABC"),
        ("e\u0301", "é"),
        ("x" * 99, "x" * 40),
        ("\ue000\U0001f600", "\U0001f600"),
    ],
)
def test_a_name_keeps_what_can_be_seen(written, kept):
    assert kept == clean_name(written)


@pytest.mark.parametrize("game", [*GAMES.values(), PENNIES], ids=lambda game: game.key)
def test_every_sentence_tells_of_an_event_that_there_is_and_of_fields_that_it_may_show(game: AnyGame):
    for type_, templates in game.sentences.items():
        assert type_ in game.events
        for template in (templates,) if isinstance(templates, str) else templates:
            assert all(name is None or name.isidentifier() for _, name, _, _ in Formatter().parse(template))


def test_every_event_of_the_table_has_a_sentence_over_its_own_fields():
    assert set(table.EVENTS) == set(table.SENTENCES)
    for type_, template in table.SENTENCES.items():
        named = {name for _, name, _, _ in Formatter().parse(template) if name}
        assert named <= set(hints(table.EVENTS[type_]))
