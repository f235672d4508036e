"""Undo over the API: at once and by consent, across snapshots, in past views, and in the history."""

from __future__ import annotations

import json

import pytest

from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.audit.auditor import audit
from service.core.history.lines import read_board_lines
from service.core.history.narration import Narrator
from service.core.http.access.dry_run import Simulation
from service.core.http.context.offload import ReadContext
from service.core.positions.cache import SNAPSHOT_EVERY, Positions, replay
from service.core.positions.game_config import load_game_config
from tests.driver import play_out
from workers.advance import Advance

TAKE = {"type": "take", "heap": 4, "objects": 1}
HIDE = {"type": "hide", "pennies": 1}


def nim(world, **told):
    """A game of Nim: its id, the player on turn, the other player, and the seat on turn."""
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game("nim", **told)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    mover = ash.summary(made["id"])["pending_questions"][0]["seat"]
    return made["id"], *((ash, birk) if mover == 1 else (birk, ash)), mover


def wish(seq):
    return {"type": "request_undo", "seq": seq}


def types(answer):
    return [line["type"] for line in answer.json["lines"]]


def test_pictures_mark_no_undone_move(world):
    game, mover, _, _ = nim(world)
    moved = mover.send(game, TAKE, want=200).seq
    undone = mover.send(game, wish(moved), want=200).seq
    facts = load_game_config(world.store, game)

    marked = [
        [line["type"] for line in read_board_lines(world.store.log, facts, Narrator(facts.game, {}), seq)]
        for seq in (moved, undone)
    ]

    assert "objects_taken" in marked[0]
    assert "undone" in marked[1]
    assert "objects_taken" not in marked[1]


def is_as_folded(world, game):
    """Check that every past position equals the fold of the whole log, no matter what is cached or in snapshots."""
    facts = load_game_config(world.store, game)
    positions = Positions(world.store)
    for stored, _, whole in replay(facts.game, facts.initial_position(), world.store.log.commits(game)):
        assert whole == positions.read_at(facts, stored.seq), stored.seq
    assert whole == positions.read_newest(facts)


def test_a_move_can_be_undone_at_once(world):
    game, mover, other, seat = nim(world)
    before = mover.view(game)["public"]
    moved = mover.send(game, TAKE, want=200).seq
    assert "request_undo" in [each["type"] for each in mover.options(game)["table"]]
    answer = mover.send(game, wish(moved), want=200)

    assert ["undone"] == types(answer)
    assert "undoes everything from commit 2 onward" in answer.json["lines"][0]["text"]
    now = mover.view(game)["public"]
    assert [{"first": 2, "last": 2, "by": 3}] == now["table"].pop("undo")["undone"]
    before["table"].pop("undo")
    assert before == now
    assert [seat] == [asked["seat"] for asked in other.summary(game)["pending_questions"]]
    mover.send(game, TAKE, want=200)
    is_as_folded(world, game)


def test_an_undo_after_a_rivals_move_needs_consent(world):
    game, mover, other, _ = nim(world)
    mover.send(game, TAKE, want=200)
    other.send(game, TAKE, want=200)
    asked = mover.send(game, wish(2), want=200)
    (option,) = [each for each in other.options(game)["table"] if each["type"] == "answer_undo"]

    assert ["undo_requested"] == types(asked)
    assert "undo" in json.dumps(other.turns())
    agreed = other.send(game, {"type": "answer_undo", **option["fixed"], "agree": True}, want=200)
    assert ["undo_agreed", "undone"] == types(agreed)
    assert [1, 3, 5, 7] == mover.view(game)["public"]["heaps"]
    assert [1, 3, 5, 5] == mover.view(game, at=3)["public"]["heaps"], "what was taken back can still be looked at"


def test_history_marks_undone_entries_with_the_undoing_commit(world):
    game, mover, other, _ = nim(world)
    mover.send(game, TAKE, want=200)
    mover.send(game, wish(2), want=200)
    mover.send(game, TAKE, want=200)

    for reader in (mover, other, world.public):
        assert [None, 3, None, None] == [entry.get("undone_by") for entry in reader.events(game)]
    digest = mover.get(f"/v1/games/{game}/events", digest="turn", headers={"Accept": "text/plain"}, want=200).text
    assert "undoes" in digest
    assert mover.get(f"/v1/games/{game}/board.svg", want=200)


def test_a_digest_marks_only_undone_paragraphs(world):
    game, mover, other, _ = nim(world)
    taken = {"type": "take", "heap": 4, "objects": 1}
    for player, command in ((mover, taken), (mover, wish(2)), (mover, taken), (other, {**taken, "heap": 3})):
        player.send(game, command, want=200)
    told = {"after": 1, "digest": "turn"}
    paragraphs = other.get(f"/v1/games/{game}/events", **told, want=200).json["paragraphs"]
    text = other.get(f"/v1/games/{game}/events", **told, headers={"Accept": "text/plain"}, want=200).text
    page = other.get(f"/v1/games/{game}/events", **told, headers={"Accept": "text/html"}, want=200).text

    assert {2: 3} == {each["seqs"][0]: each["undone_by"] for each in paragraphs if "undone_by" in each}
    assert len(paragraphs) == 4
    assert (1, 1) == (text.count("Undone: "), page.count("Undone: "))
    assert f"Undone: {paragraphs[0]['text']}" in text


def test_a_dry_run_of_an_undo_shows_its_outcome_and_changes_nothing(world):
    game, mover, other, _ = nim(world)
    mover.send(game, TAKE, want=200)
    at_once = mover.send(game, wish(2), dry_run="true", want=200)
    tried = mover.post(f"/v1/games/{game}/commands", {"commands": [wish(2), TAKE]}, dry_run="true", want=200).json[
        "commands"
    ]

    assert ["undone"] == types(at_once)
    assert [["undone"], ["objects_taken"]] == [[line["type"] for line in each["lines"]] for each in tried]
    assert ["undo_requested"] == types(other.send(game, wish(2), dry_run="true", want=200))
    assert 2 == world.store.log.head(game)[0]


def test_an_invalid_undo_is_refused_with_its_reason(world):
    game, mover, other, _ = nim(world)
    off, first, _, _ = nim(world, table={"undo": "off"})
    mover.send(game, TAKE, want=200)

    for command, status, code in (
        (wish(1), 409, "not-that-far"),
        (wish(99), 409, "not-that-far"),
        (wish(-1), 409, "not-that-far"),
        ({"type": "answer_undo", "request": 1, "agree": True}, 409, "already-answered"),
    ):
        answer = other.send(game, command)
        assert (status, code) == (answer.status, answer.code), command
    for command in (
        {"type": "request_undo"},
        wish("2"),
        wish(None),
        wish(2.5),
        {**wish(2), "more": 1},
        {"type": "answer_undo", "request": 1},
        {"type": "answer_undo", "request": 1, "agree": "yes"},
        {"type": "answer_undo", "request": [], "agree": True},
    ):
        answer = other.send(game, command)
        assert 422 == answer.status, (command, answer.text)
    answer = first.send(off, wish(2))
    assert (409, "no-undo") == (answer.status, answer.code)


def test_the_creator_chooses_the_undo_setting_of_a_game(world):
    ash = world.player("Ash")
    for undo in ("consent", "free", "off"):
        assert undo == ash.make_game("nim", table={"undo": undo})["table"]["undo"]
    assert "consent" == ash.make_game("nim")["table"]["undo"]
    for wrong in ("never", 1, None, True):
        answer = ash.post("/v1/games", {"kind": "nim", "seats": 2, "table": {"undo": wrong}})
        assert 422 == answer.status, answer.text


def test_commits_can_be_undone_across_snapshots(world):
    game, ash, birk = world.table(options={"points": 100000})
    taken = 0
    while world.store.log.head(game)[0] < 4 * SNAPSHOT_EVERY:
        for asked in ash.summary(game)["pending_questions"]:
            (ash, birk)[asked["seat"] - 1].send(game, HIDE, want=200)
        newest = world.store.log.head(game)[0]
        first = newest - (17, 40, 9, 60)[taken % 4]
        if newest % 5 == 0 and first > 1:
            request = ash.send(game, wish(first), want=200).seq
            birk.send(game, {"type": "answer_undo", "request": request, "agree": True}, want=200)
            taken += 1
            if taken % 2:
                world.worker = Advance.in_process(world.store)  # another process continues

    assert taken > 6
    assert world.store.log.snapshot(game)[0] > SNAPSHOT_EVERY
    is_as_folded(world, game)


@pytest.mark.parametrize("undo", ["consent", "free"])
def test_the_export_of_a_game_with_undone_commits_passes_the_audit(world, undo):
    game, ash, birk = world.table(options={"points": 3}, table={"undo": undo})
    ash.send(game, HIDE, want=200)
    ash.send(game, wish(2), want=200)
    ash.send(game, HIDE, want=200)
    birk.send(game, HIDE, want=200)
    request = ash.send(game, wish(2), want=200).seq
    birk.send(game, {"type": "answer_undo", "request": request, "agree": True}, want=200)
    play_out([ash, birk], game, Dice(b"d" * 32))
    data = ash.get(f"/v1/games/{game}/export", want=200).body

    assert audit(data, games=GAMES).is_ok
    assert 2 == sum(b'"type":"undone"' in line for line in data.splitlines())


def test_a_dry_run_after_an_undo_uses_an_imagined_past(world):
    game, ash, birk, _ = world.table("Ash", "Birk", "Cyd")
    birk.send(game, HIDE, want=200)
    ash.send(game, HIDE, want=200)
    reads = ReadContext(world.store, Positions(world.store))
    facts, hidden = load_game_config(world.store, game), set()
    for _ in range(24):
        simulation = Simulation(reads, facts, Seat(1))
        simulation.play(wish(3))
        assert {2} == simulation.position.state.hidden.keys(), "it stands as before Ash had hidden anything"
        hidden.add(simulation.position.state.hidden[2])

    assert len(hidden) > 1, "and nobody knows by it what Birk has hidden"
