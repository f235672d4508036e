"""History in sentences."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter

import pytest

from domain.games.battalia import events as battalia
from domain.games.battalia.game import BATTALIA, BattaliaPresentation
from domain.games.battalia.modules.rammoth import kinds as rammoth
from domain.games.battalia.modules.unbound_buff import events as buff
from domain.games.battalia.modules.unbound_buff import memory
from domain.games.battalia.readers.words.forms import NAMES
from domain.games.fronela import events as fronela
from domain.games.fronela.game import FRONELA
from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.shape import as_line, hints
from domain.registry import GAMES
from service.core.accounts.names import clean_name
from service.core.history import language
from service.core.history.narration import Narrator
from service.core.history.seating import build_seat_names
from tests.pennies import PENNIES


def narrator(**sentences) -> Narrator:
    told = BattaliaPresentation()
    told.sentences, told.names = sentences, NAMES
    told.remarks = told.asks = told.openings = {}
    return Narrator(replace(BATTALIA, key="told", presentation=told), {1: "Ash", 2: "Birk"})


@pytest.mark.parametrize(
    ("template", "line", "sentence"),
    [
        ("{seat:seat} moves.", {"seat": 2}, "Birk moves."),
        ("{seat:seat} moves.", {"seat": 0}, "The game moves."),
        ("{seat:seat} moves.", {"seat": 7}, "Seat 7 moves."),
        ("Of {seats:seats}.", {"seats": [1, 2]}, "Of Ash and Birk."),
        ("Of {seats:seats}.", {"seats": []}, "Of no one."),
        ("{card:card} falls.", {"card": "frimen-islanders-3"}, "A frimen of the Islanders falls."),
        (
            "{cards:cards} fall.",
            {"cards": ["supply-1", "supply-2", "horn"]},
            "Two supplies and a horn fall.",
        ),
        ("For {cards:cards}.", {"cards": []}, "For nothing."),
        ("At {square:square}: {rolls:list}.", {"square": "C4", "rolls": [6, 1, 2]}, "At C4: 6, 1 and 2."),
        ("The {what:faction} of {n}.", {"what": "sun_blessed", "n": 3}, "The sun blessed of 3."),
    ],
)
def test_templates_are_filled(template, line, sentence):
    assert sentence == narrator(thing=template).narrate({"type": "thing", **line})


def test_the_first_template_whose_fields_are_all_visible_is_used():
    teller = narrator(thing=("{seat:seat} hides {card:card}.", "{seat:seat} hides a card."))

    assert "Ash hides a horn." == teller.narrate({"type": "thing", "seat": 1, "card": "horn"})
    assert "Ash hides a card." == teller.narrate({"type": "thing", "seat": 1})
    assert "Ash hides a card." == teller.narrate({"type": "thing", "seat": 1, "card": None})


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"cards": [], "rolls": []}, "No cards."),
        ({"cards": ["horn"], "rolls": []}, "A horn."),
        ({"cards": [], "rolls": [6]}, "No cards; amulets: 6."),
    ],
)
def test_optional_parts_are_omitted_if_empty(line, sentence):
    teller = narrator(thing="[{cards:cards}~no cards][; amulets: {rolls:list}].")

    assert sentence == teller.narrate({"type": "thing", **line})


def test_hidden_optional_fields_are_not_narrated_as_empty():
    drawn = battalia.CardsDrawn(1, ("supply-2",))
    teller = Narrator(BATTALIA, {1: "Ash"})

    assert "Ash draws a supply." == teller.narrate(BATTALIA.knowledge.reveal(drawn, 1))
    assert "Ash draws one card." == teller.narrate(BATTALIA.knowledge.reveal(drawn, 2))


@pytest.mark.parametrize(
    ("counted", "sentence"), [(1, "A thing."), (2, "Things."), ([7], "A thing."), ({"a": 1, "b": 1}, "Things.")]
)
def test_a_noun_is_singular_or_plural_by_its_count(counted, sentence):
    assert sentence == narrator(thing="{many:a thing|things}.").narrate({"type": "thing", "many": counted})


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            battalia.AmuletRolled(1, ("amulet-barfolk-2",), (6,), ()),
            "Ash rolls 6 with an amulet of the Bärfolk, and may make a wish.",
        ),
        (
            battalia.AmuletRolled(1, ("amulet-barfolk-2",), (3,), ("priest-barfolk~1",)),
            "Ash rolls 3 with an amulet of the Bärfolk and gets a priest of the Bärfolk for this turn.",
        ),
        (battalia.FactionChosen(2, "barfolk", 0), "Birk leads the Bärfolk."),
        (
            battalia.HeroJoined(2, memory.FIGURE, "A1", False, False),
            "The Unbound Buff on A1 now fights for Birk.",
        ),
        (
            battalia.FigureFought(2, "hero-2-1", "D4", "keeper", {"cards": 7}, 7, 8, False),
            "Birk loses to the Keeper on D4, 7 to 8.",
        ),
        (
            battalia.FigureFought(1, "hero-1-1", "D4", memory.KEY, {"cards": 9}, 9, 8, True),
            "Ash defeats the Unbound Buff on D4, 9 to 8.",
        ),
        (buff.BuffGone("G5", "city"), "The Unbound Buff leaves the map from G5, because the city there is destroyed."),
        (battalia.StepPaid(1, "hero-1-1", "G5", ()), "Ash moves their first hero to G5."),
        (battalia.LineRevealed(1, (), (), (), 0), "Ash reveals no cards."),
        (
            battalia.LinePledged(1, ("lord-wolfsclan-1",), ()),
            "Ash plays a lord of the Wolfsclan face down for the battle.",
        ),
        (
            rammoth.RammothMoved("C3", "W", 1, ("B3",)),
            "The Rammoth's dice show west and a 1, and he walks from C3 to B3.",
        ),
    ],
)
def test_a_line_of_battalia_names_figures_factions_and_wishes_and_no_keys(event, sentence):
    """SET-02, ART-03, BUF-14, KEE-05."""
    assert sentence == Narrator(BATTALIA, {1: "Ash", 2: "Birk"}).narrate(BATTALIA.knowledge.reveal(event, 1))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (fronela.UnitsPlaced("trolls", "tarins", {"unit": 1}, "arrival"), "A unit of the Trolls arrives in Tarins."),
        (
            fronela.UnitsPlaced("grey_malkioni", "tarins", {"lord": 1, "soldier": 2}, "growth"),
            "Growth brings the Grey Malkioni two soldiers and a lord in Tarins.",
        ),
        (
            fronela.UnitsRetreated("trolls", "tarins", "unit", 1, "", "akem", "chosen"),
            "A unit of the Trolls retreats from Tarins to Akem.",
        ),
        (
            fronela.UnitsRetreated("gonn_orta", "stomble", "unit", 1, "", "western_nida", "special"),
            "Before the first roll, Gonn Orta retreats from Stomble to Western Nida.",
        ),
        (fronela.TokenGiven("moon_boats", "trolls"), "The Moon Boats carry the Trolls along the Janube."),
        (
            fronela.PointsScored(5, "grey_malkioni", "siglat", "FRO-D34", 2, ""),
            "The Grey Malkioni score 2 points for Prince Siglat.",
        ),
        (
            fronela.PointsScored(5, "trolls", "prey-killed", "FRO-D34", 1, "akem"),
            "The Trolls score 1 point for killing prey in Akem.",
        ),
        (
            fronela.Asked(1, "eleven_beasts", "FRO-D52", "trolls", "", (), ()),
            "Ash must choose where one more unit of the Trolls appears.",
        ),
    ],
)
def test_a_line_of_fronela_has_correct_plurals_and_names_instead_of_keys(event, sentence):
    assert sentence == Narrator(FRONELA, {1: "Ash"}).narrate(FRONELA.knowledge.reveal(event, 1))


@pytest.mark.parametrize(
    ("winners", "sentence"), [([1], "Ash wins"), ([1, 2], "Ash and Birk win"), ([], "No one wins")]
)
def test_the_end_names_one_winner_or_several(winners, sentence):
    told = narrator().narrate({"type": "game_ended", "winners": winners, "scores": {"1": 3, "2": 1}})

    assert f"The game is over. {sentence}. Final score: Ash 3, Birk 1." == told


def test_an_event_without_a_template_is_narrated_by_its_type():
    assert "Road built." == narrator().narrate({"type": "road_built"})


def test_a_language_is_added_as_a_table_of_sentences(monkeypatch):
    german = language.Language(
        system="Das Spiel",
        seat="Platz {}",
        bot="der Bot {}",
        side="{} (Bot {})",
        twin="{} ({})",
        unit="„{}“",
        nobody="niemand",
        nothing="nichts",
        joint=" und ",
        then="; ",
        due="bis {}",
        table={"game_begun": "Das Spiel beginnt."},
        games={"pennies": language.GameTemplates({"hand_closed": "{seat:seat} ist bereit."})},
    )
    monkeypatch.setitem(language.LANGUAGES, "de", german)
    teller = Narrator(PENNIES, build_seat_names(["bot:random", None], {}, "de"), "de")

    assert "Der Bot random ist bereit." == teller.narrate({"type": "hand_closed", "seat": 1})
    assert "Platz 2 ist bereit." == teller.narrate({"type": "hand_closed", "seat": 2})
    assert "Das Spiel beginnt." == teller.narrate({"type": "game_begun"})


def test_seats_have_the_names_of_their_players_and_equal_names_are_numbered():
    names = build_seat_names(["p1", "p2", "bot:greedy", None, "p3"], {"p1": "Ash", "p2": "Ash", "p3": "\u202e"})

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
def test_a_name_keeps_only_visible_characters(written, kept):
    assert kept == clean_name(written)


@pytest.mark.parametrize("game", [*GAMES.values(), PENNIES], ids=lambda game: game.key)
def test_every_sentence_belongs_to_an_existing_event_and_has_named_fields(game: AnyGame):
    for type_, templates in game.presentation.sentences.items():
        event, _, manner = type_.partition(".")
        assert event in game.rules.events or (manner and event in lifecycle.EVENTS)
        for template in (templates,) if isinstance(templates, str) else templates:
            assert all(name is None or name.isidentifier() for _, name, _, _ in Formatter().parse(template))


def test_every_event_of_the_table_has_a_sentence_over_its_own_fields():
    assert set(lifecycle.EVENTS) == set(lifecycle.SENTENCES)
    for type_, template in lifecycle.SENTENCES.items():
        assert isinstance(template, str)
        named = {name for _, name, _, _ in Formatter().parse(template) if name}
        assert named <= set(hints(lifecycle.EVENTS[type_]))


def test_name_of_a_bot_after_a_full_stop_begins_with_a_capital():
    told = Narrator(PENNIES, {1: "the expert bot", 2: "ada"})
    ended = lifecycle.GameEnded("points", "PEN-04", (1,), {1: 3, 2: 1})
    text = told.narrate(as_line(ended))
    assert "The game is over. The expert bot wins" in text
    lower = told.narrate(as_line(lifecycle.GameEnded("points", "PEN-04", (2,), {1: 1, 2: 3})))
    assert "The game is over. ada wins" in lower, "a player's own name stays as it is"
