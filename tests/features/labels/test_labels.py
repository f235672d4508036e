"""Private labels of games."""

from __future__ import annotations

import pytest

from service.features.labels import labels
from service.store.ports.side_data import NO_GAME
from tests.core.http.problem import is_a_problem


def label(player, game, text="Rematch with Birk", want=200):
    return player.call("PUT", f"/v1/games/{game}/label", {"label": text}, want=want)


def seen(player, game):
    """The label in the summary, the list and the inbox; the inbox has no entry if it is not the player's turn."""
    listed = {each["id"]: each["label"] for each in player.get("/v1/games", want=200).json["games"]}
    turns = {each["label"] for each in player.turns() if each["game"] == game} if player.token else set()
    (found,) = {player.summary(game)["label"], listed[game], *turns}
    return found


def test_label_is_shown_to_its_player_only(world):
    game, ash, birk = world.table("Ash", "Birk")
    watcher = world.player("Cyra")
    assert {"game": game, "label": "Rematch with Birk"} == label(ash, game, "  Rematch  with Birk").json
    label(watcher, game, "Watch this")

    assert ("Rematch with Birk", None, "Watch this", None) == tuple(
        seen(each, game) for each in (ash, birk, watcher, world.public)
    )
    assert ash.turns(), "the inbox is part of the comparison"


def test_label_is_replaced_and_removed(world):
    ash = world.player()
    game, other = ash.make_game()["id"], ash.make_game()["id"]
    label(ash, other, "Other")
    label(ash, game)
    label(ash, game, "Another")
    assert ("Another", "Other") == (seen(ash, game), seen(ash, other))

    for _ in range(2):
        ash.call("DELETE", f"/v1/games/{game}/label", want=204)

    assert (None, "Other") == (seen(ash, game), seen(ash, other))


def test_private_games_of_others_cannot_be_labelled(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game(visibility="private")["id"]

    is_a_problem(label(birk, game, want=None), 404, "unknown-game")
    is_a_problem(label(birk, "g0", want=None), 404, "unknown-game")
    is_a_problem(world.public.call("PUT", f"/v1/games/{game}/label", {"label": "x"}), 401, "no-token")
    assert ash.summary(game)["label"] is None


@pytest.mark.parametrize("body", [{}, {"label": ""}, {"label": "x" * 61}, {"label": "a\u202eb"}, {"label": 7}])
def test_bad_labels_get_a_clear_problem(world, body):
    ash = world.player()
    game = ash.make_game()["id"]

    wrong = is_a_problem(ash.call("PUT", f"/v1/games/{game}/label", body), 422, "invalid")

    assert "/label" == wrong["errors"][0]["pointer"]


def test_number_of_labels_is_limited(world, monkeypatch):
    monkeypatch.setattr(labels, "MOST", 1)
    ash = world.player()
    game, other = ash.make_game()["id"], ash.make_game()["id"]
    label(ash, game)

    is_a_problem(label(ash, other, want=None), 429, "too-many-labels")
    label(ash, game, "Another")
    ash.call("DELETE", f"/v1/games/{game}/label", want=204)
    label(ash, other)


def test_labels_of_a_page_are_read_with_one_command(world, monkeypatch):
    ash = world.player()
    for game in [ash.make_game()["id"] for _ in range(5)]:
        label(ash, game)
    reads = []
    read = type(world.store.notes).read
    monkeypatch.setattr(type(world.store.notes), "read", lambda self, *told: reads.append(told) or read(self, *told))

    page = ash.get("/v1/games", want=200).json["games"]

    assert ["Rematch with Birk"] * 5 == [each["label"] for each in page]
    assert 1 == sum(namespace.startswith("labels:") for _, namespace, _ in reads)


def test_erasing_an_account_removes_its_labels(world):
    ash = world.player("Ash")
    label(ash, ash.make_game()["id"])
    assert world.store.notes.all(NO_GAME, labels.LABELS + ash.id)

    ash.call("DELETE", "/v1/me", {"name": "Ash"}, want=204)

    assert {} == world.store.notes.all(NO_GAME, labels.LABELS + ash.id)
