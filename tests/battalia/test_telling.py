"""History: every event has a sentence, secrets are revealed to their owners only, and views change only with events."""

from __future__ import annotations

import string

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.table.features import EVENTS
from tests.battalia.random_play import steps

SPECS = {"", "seat", "seats", "square", "list", "standings", *BATTALIA.presentation.forms, *BATTALIA.presentation.names}
"""The format names of the kernel and of the game."""


def fields_of(template):
    return {name: spec for _, name, spec, _ in string.Formatter().parse(template) if name is not None}


def templates(type_):
    sentences = BATTALIA.presentation.sentences[type_]
    return [sentences] if isinstance(sentences, str) else list(sentences)


def test_every_event_has_a_sentence_and_every_sentence_an_event():
    untold = {"moment_came", "moments_added"}
    assert set(BATTALIA.rules.events) - untold <= set(BATTALIA.presentation.sentences)
    assert {type_.partition(".")[0] for type_ in BATTALIA.presentation.sentences} <= {
        *BATTALIA.rules.events,
        "game_ended",
    }
    assert "game_ended" not in BATTALIA.presentation.sentences, (
        "that is told in the same words in every game, but for its manner"
    )
    for type_ in BATTALIA.presentation.sentences:
        for template in templates(type_):
            assert {spec for spec in fields_of(template).values() if "|" not in spec} <= SPECS


def spoken(line):
    """The first template whose fields are all shown."""
    shown = {**BATTALIA.presentation.gloss(line), **line}
    name = f"{line['type']}.{shown.get('manner')}"
    chosen = name if name in BATTALIA.presentation.sentences else line["type"]
    return next(t for t in templates(chosen) if set(fields_of(t)) <= set(shown))


@pytest.mark.parametrize("seed", [21, 22])
def test_every_revealed_line_has_a_sentence(seed):
    seen = set()
    for position, commit in steps(2 + seed % 2, seed, cap=150, unbound_units=True, quick_setup=seed % 2 == 0):
        for event in commit.events:
            if type(event) in EVENTS.values():
                continue
            readers = BATTALIA.knowledge.audience(event)
            for seat in (None, *position.state.players):
                line = BATTALIA.knowledge.reveal(event, seat)
                assert (line is not None) == (readers is None or seat in readers)
                if line is not None:
                    assert spoken(line)
                    seen.add(line["type"])
    assert {"cards_drawn", "turn_began", "day_announced"} <= seen


@pytest.mark.parametrize(("seats", "seed"), [(2, 31), (3, 32)])
def test_view_of_a_reader_changes_only_with_events_they_may_read(seats, seed):
    before = None
    for position, commit in steps(seats, seed, cap=200):
        events = [event for event in commit.events if type(event) not in EVENTS.values()]
        state = position.state
        if before is not None and not position.over:
            public = any(BATTALIA.knowledge.audience(event) is None for event in events)
            assert public or BATTALIA.knowledge.view(before) == BATTALIA.knowledge.view(state)
            for seat in state.players:
                heard = public or any(seat in BATTALIA.knowledge.audience(event) for event in events)
                assert heard or BATTALIA.knowledge.private(before, seat) == BATTALIA.knowledge.private(state, seat)
        before = state


def test_dealt_cards_are_revealed_without_their_order():
    _, commit = next(steps(2, 5))
    begun = next(event for event in commit.events if isinstance(event, ev.BattaliaBegun))
    line = BATTALIA.knowledge.reveal(begun, 1)
    assert {name: len(cards) for name, cards in begun.piles.items()} == line["piles"]
    assert {str(seat): sorted(cards) for seat, cards in begun.decks.items()} == line["decks"]
    shuffled = ev.DeckShuffled(1, ("supply-2", "supply-1"))
    assert {"type": "deck_shuffled", "seat": 1, "count": 2} == BATTALIA.knowledge.reveal(shuffled, 1)
    drawn = ev.CardsDrawn(1, ("supply-2",))
    assert {"type": "cards_drawn", "seat": 1, "count": 1} == BATTALIA.knowledge.reveal(drawn, 2)
    assert ["supply-2"] == BATTALIA.knowledge.reveal(drawn, 1)["cards"]


def test_view_has_all_data_to_draw_the_board():
    position, _ = next(steps(2, 6))
    view = BATTALIA.knowledge.view(position.state)
    assert {"columns": 7, "rows": 5} == {name: view["map"][name] for name in ("columns", "rows")}
    assert {"A1", "G5", "G1", "A5", "D3"} == set(view["squares"])
    assert {"level": 4, "owner": 0} == view["squares"]["G1"]["city"]
    assert "tool" == view["wheel"]["lit"] == view["wheel"]["matching"]
    assert (1, 1) == (view["day"], view["week"])
    assert {"1", "2"} == set(view["seats"])
    assert (6, 4) == (view["seats"]["1"]["hand"], view["seats"]["1"]["deck"])
    assert view["turn"]["seat"] == view["questions"][0]["seats"][0] == view["order"][0]
    for seat in (1, 2):
        private = BATTALIA.knowledge.private(position.state, seat)
        assert 6 == len(private["hand"])
        assert 4 == len(private["deck"])
        assert sorted(private["hand"] + private["deck"]) == view["seats"][str(seat)]["unseen"]
