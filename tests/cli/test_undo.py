"""Undo in the terminal client, at a question and on return to a game."""

from __future__ import annotations

from tests.cli.test_play import play, registered, service  # noqa: F401 - fixtures

TAKE_TWO = "take\n4\n2\n"
"""The first move, from heap 4, and the end of the input."""


def events(service):  # noqa: F811
    client = registered(service, "Guest")
    (game,) = client.call("GET", "/v1/games")["games"]
    return game["id"], list(client.events(game["id"], 0)), client.view(game["id"])["public"]["heaps"]


def test_undo_before_the_first_step_undoes_the_last_command(play, service):  # noqa: F811
    status, told = play("--name", "Ada", "--new", "nim", "--with", "expert", input=f"{TAKE_TWO}undo\nquit\n")
    _, entries, heaps = events(service)

    assert 0 == status, told
    assert "undoes everything from commit" in told
    assert sum(heaps) in (16, 15, 14, 13, 12, 11, 10, 9), "as it was before Ada's move, whoever had begun"
    (undone,) = [line for entry in entries for line in entry["lines"] if line["type"] == "undone"]
    assert 1 == undone["seat"]
    assert {entry["seq"] for entry in entries if "undone_by" in entry} == {undone["first"], undone["last"]}


def test_undo_after_a_step_undoes_only_that_step(play, service):  # noqa: F811
    _, told = play("--name", "Ada", "--new", "nim", "--with", "expert", input="take\n4\nundo\n3\n1\nquit\n")
    _, entries, _ = events(service)

    taken = [line for entry in entries for line in entry["lines"] if line["type"] == "objects_taken"]
    assert [3] == [line["heap"] for line in taken if line["seat"] == 1], told
    assert "undoes everything" not in told


def test_returning_player_can_undo_an_earlier_command(play, service):  # noqa: F811
    play("--name", "Ada", "--new", "nim", "--with", "expert", input=f"{TAKE_TWO}quit\n")
    game, _, _ = events(service)
    status, told = play("--name", "Ada", game, "--undo", input="quit\n")

    assert 0 == status, told
    assert "undoes everything from commit" in told
    assert "There is nothing to undo" in play("--name", "Ada", game, "--undo", input="quit\n")[1]
