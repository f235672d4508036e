"""Plans in the terminal client."""

import json

from service.cli.terminal.client import TerminalClient, TokenFile
from tests.cli.test_play import play, registered, service

__all__ = ["play", "service"]  # fixtures

HIDE = {"type": "hide", "pennies": 0}


def test_plan_can_be_set_shown_played_and_deleted_in_the_terminal(play, service, tmp_path):
    ada, guest = TerminalClient(service), registered(service, "Guest")
    TokenFile(tmp_path / "tokens.json").keep(service, "Ada", ada.register("Ada")["token"])
    game = ada.call("POST", "/v1/games", {"kind": "pennies", "seats": 2, "visibility": "public"})["id"]
    guest.call("POST", f"/v1/games/{game}/seats", {})
    ada.call("POST", f"/v1/games/{game}/start", {})
    ada.send(game, HIDE)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"commands": [HIDE, {"type": "hide", "pennies": 99}], "if": "legal", "then": "wait"}))

    status, told = play(game, "--plan", file)
    assert 0 == status, told
    assert "The plan is waiting. It is for any question, as long as it is legal; then: wait." in told

    guest.send(game, HIDE)
    _, told = play(game, "--plan", "show")
    assert "The plan is stopped." in told
    assert json.dumps(HIDE, sort_keys=True) + "  settled" in told
    assert "refused: " in told

    assert "The plan was deleted." in play(game, "--plan", "drop")[1]
    status, told = play(game, "--plan", "show")
    assert (1, True) == (status, "You have no plan in this game." in told)


def test_invalid_plan_is_reported_in_a_sentence(play, service, tmp_path):
    TokenFile(tmp_path / "tokens.json").keep(service, "Ada", TerminalClient(service).register("Ada")["token"])
    (tmp_path / "no.json").write_text("{")

    assert "needs the id of a game" in play("--plan", "show")[1]
    assert "cannot be read" in play("g", "--plan", "none.json")[1]
    assert "is not valid JSON" in play("g", "--plan", tmp_path / "no.json")[1]
