"""Display hints for generic clients: hints of a kind for its commands, and labels for options."""

from __future__ import annotations

import pytest

from domain.games.nim.game import NIM
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.core.positions.labels import build_labels
from tests.table.undo.table import Table


@pytest.mark.parametrize("key", ["battalia", "fronela", "nim"])
def test_a_kind_has_a_display_hint_for_each_of_its_commands(world, key):
    game = GAMES[key]
    hints = world.public.get(f"/v1/kinds/{key}", want=200).json["hints"]

    assert {each["type"] for each in hints["commands"]} == set(game.rules.commands)
    assert [each["type"] for each in hints["commands"]][: len(game.presentation.hints)] == list(game.presentation.hints)
    assert all(each["label"] for each in hints["commands"])
    assert {each["type"] for each in hints["commands"] if each.get("order")} == set(game.rules.unasked)
    assert {each["type"] for each in hints["commands"] if each.get("ends")} == {
        command["type"] for command in game.rules.endings.values()
    }
    assert hints["endings"] == {kind: dict(command) for kind, command in game.rules.endings.items()}


def test_every_standing_order_has_its_own_hint():
    for game in GAMES.values():
        orders = {type_ for type_ in game.rules.unasked if type_.startswith("set_")}
        assert orders <= set(game.presentation.hints)


def test_hints_refer_only_to_existing_commands_and_parameters():
    """No client would ever show a hint for a command or a parameter that does not exist."""
    for game in GAMES.values():
        fields = {name for command in game.rules.commands.values() for name in command.__dataclass_fields__}
        assert set(game.presentation.hints) <= set(game.rules.commands)
        for name in game.presentation.parameters:
            type_, _, own = name.rpartition(".")
            assert own in (game.rules.commands[type_].__dataclass_fields__ if type_ else fields)


def test_options_are_returned_with_labels_on_request(world):
    ash, game = world.player("Ash"), None
    game = ash.make_game("battalia", 2, options={"quick_setup": True})["id"]
    ash.seat_bot(game)
    ash.start(game)
    plain = ash.get(f"/v1/games/{game}/options", want=200).json
    told = ash.get(f"/v1/games/{game}/options", want=200, **{"with": "labels"}).json
    hand = ash.view(game)["private"]["hand"]

    assert {**plain, **{name: told[name] for name in ("question", "holdings", "labels")}} == told
    assert told["holdings"]["Your hand"] == hand
    assert all(told["labels"][card]["kind"] == "card" and told["labels"][card]["text"] for card in hand)
    assert (told["question"] is None) == (plain["answers"] == 0)
    assert "end the game without a winner" == told["labels"]["abort"]["text"]
    assert ash.get(f"/v1/games/{game}/options", **{"with": "plan"}).status == 422


def test_numbers_that_a_seat_holds_are_shown_as_text(monkeypatch):
    monkeypatch.setattr(NIM.presentation, "held", {"cup": "Your dice"}, raising=False)
    monkeypatch.setattr(type(NIM.knowledge), "private", lambda *_: {"cup": [3, 1, 3]})
    position = Table().position
    told = build_labels(NIM, position, Seat(1), [], lambda _: "")
    assert {"Your dice": ["3", "1", "3"]} == told["holdings"]
