"""Undone commits elsewhere: past views, forks, imports, checks by another release, webhooks, feeds and plans."""

from __future__ import annotations

import feedparser

from domain.registry import GAMES
from service.audit.auditor import audit
from service.cli.commands.check_release import checked
from service.cli.commands.imports import imported
from tests.core.http.conftest import World
from tests.core.http.test_undo import nim, types, wish
from tests.features.feeds.test_feeds import made as feed
from tests.features.plans.test_plans import look, plan, put
from tests.notifications.hooked import Hooked
from tests.stores import new_store

HIDE = {"type": "hide", "pennies": 1}
TAKE = {"type": "take", "heap": 4, "objects": 1}


def taken(heap):
    return {"type": "take", "heap": heap, "objects": 1}


def without_undo(view):
    """The view without table data, which lists undone commits in all later views."""
    return {name: value for name, value in view["public"].items() if name != "table"}


def quarrel(world, **told):
    """A game of Nim with two undone stretches, both players, and their views after each commit."""
    game, mover, other, _ = nim(world, **told)
    seen = {}

    def noted():
        seq = world.store.log.head(game)[0]
        seen[seq] = [player.view(game) for player in (mover, other)]

    noted()
    for player, command in (
        (mover, taken(4)),
        (mover, wish(2)),
        (mover, taken(3)),
        (other, taken(4)),
        (mover, wish(4)),
        (other, {"type": "answer_undo", "request": 6, "agree": True}),
        (mover, taken(2)),
    ):
        player.send(game, command, want=200)
        noted()
    assert [1, 2, 3, 4, 5, 6, 7, 8] == list(seen)
    return game, mover, other, seen


def test_past_views_at_undone_commits_show_what_was_seen_then(world):
    game, mover, other, seen = quarrel(world)

    for seq, views in seen.items():
        for player, view in zip((mover, other), views, strict=True):
            assert view == player.view(game, at=seq), seq
    assert without_undo(seen[1][0]) == without_undo(seen[3][0]) == without_undo(seen[7][0])
    assert without_undo(seen[5][0]) != without_undo(seen[7][0])


def test_a_game_can_be_forked_before_within_and_after_an_undone_stretch(world):
    ash = world.player("Ash")
    box = ash.make_game("nim", sandbox={})["id"]
    ash.join(box)
    ash.start(box)
    (mover,) = [asked["seat"] for asked in ash.summary(box)["pending_questions"]]
    ash.send(box, taken(4), seat=mover, want=200)
    ash.send(box, taken(4), seat=3 - mover, want=200)
    asked = ash.send(box, wish(2), seat=mover, want=200)
    assert ["undo_requested"] == types(asked)
    ash.send(box, {"type": "answer_undo", "request": 4, "agree": True}, seat=3 - mover, want=200)
    ash.send(box, taken(2), seat=mover, want=200)

    for seq, heaps in ((1, [1, 3, 5, 7]), (2, [1, 3, 5, 6]), (3, [1, 3, 5, 5]), (5, [1, 3, 5, 7]), (6, [1, 2, 5, 7])):
        made = ash.post(f"/v1/games/{box}/fork", {"seq": seq}, want=201).json["id"]
        ash.start(made)
        assert heaps == ash.view(made)["public"]["heaps"], seq
        (turn,) = [each["seat"] for each in ash.summary(made)["pending_questions"]]
        assert turn == (3 - mover if seq in (2, 6) else mover)
        assert [] == ash.view(made)["public"]["table"]["undo"]["undone"], "nothing of it was taken back in the fork"
        assert "not-that-far" == ash.send(made, wish(1), seat=turn).code
        move = ash.send(made, taken(4), seat=turn, want=200).seq
        assert ["undone"] == types(ash.send(made, wish(move), seat=turn, want=200))


def finished(world, **told):
    """A whole game of Pennies with undone stretches: its id, its players and its export."""
    game, ash, birk = world.table(options={"points": 2}, **told)
    ash.send(game, HIDE, want=200)
    ash.send(game, wish(2), want=200)
    ash.send(game, HIDE, want=200)
    birk.send(game, HIDE, want=200)
    request = ash.send(game, wish(2), want=200).seq
    birk.send(game, {"type": "answer_undo", "request": request, "agree": True}, want=200)
    for number in range(100):
        if ash.summary(game)["status"] == "over":
            return game, ash, birk, ash.get(f"/v1/games/{game}/export", want=200).body
        for player in (ash, birk):
            player.send(game, {"type": "hide", "pennies": number % 4})
    raise AssertionError("it does not end")


def test_an_export_with_undone_stretches_is_imported_without_differences(world):
    game, _, _, data = finished(world)
    other = World(new_store())
    list(imported(other.store, data, audit(data, games=GAMES)))

    there, here = other.public.events(game), world.public.events(game)
    assert [(each["seq"], each.get("undone_by"), types_of(each)) for each in here] == [
        (each["seq"], each.get("undone_by"), types_of(each)) for each in there
    ]
    assert {8} <= {each.get("undone_by") for each in there}
    for seq in range(1, len(here) + 1):
        views = [site.view(game, at=seq)["public"] for site in (world.public, other.public)]
        assert views[0] == views[1], seq
    for store in (world.store, other.store):
        (found,) = checked(store, [game])
        assert found.divergence is None
        assert len(here) == found.commits
    assert data.splitlines()[:-1] == other.public.get(f"/v1/games/{game}/export", want=200).body.splitlines()[:-1]


def types_of(entry):
    return [line["type"] for line in entry["lines"]]


def test_webhooks_report_a_move_and_then_its_undo():
    world = Hooked()
    try:
        game, mover, other, _ = nim(world)
        world.hook(other, game=game)
        world.hook(other, "/text", format="text", game=game)
        mover.send(game, TAKE, want=200)
        world.post_out()
        mover.send(game, wish(2), want=200)
        mover.send(game, TAKE, want=200)
        world.post_out()

        told = [got.json["data"] for got in world.receiver.got["/hook"]]
        assert [2, 3, 4] == [each["seq"] for each in told if each["seq"] > 1]
        moved, undone, again = (each for each in told if each["seq"] > 1)
        assert "undone_by" not in moved["entry"], "it stood when it was told"
        assert ["undone"] == types_of(undone["entry"])
        assert (2, 2) == tuple(undone["entry"]["lines"][0][name] for name in ("first", "last"))
        for each in (moved, again):
            assert "your_turn" in each["events"]
        assert "your_turn" not in undone["events"], "the other is on turn again"
        assert moved["questions"][0]["id"] != again["questions"][0]["id"]
        texts = [got.body.decode() for got in world.receiver.got["/text"]]
        assert any("undoes everything from commit 2 onward" in text for text in texts)
    finally:
        world.close()


def test_feeds_show_an_undo_and_the_pending_turns_after_it(world):
    game, mover, other, _ = nim(world)
    (_, history), (_, turns) = feed(other, "game", game), feed(other, "turns")
    mover.send(game, TAKE, want=200)
    asked = feedparser.parse(world.public.get(turns, want=200).body).entries
    mover.send(game, wish(2), want=200)

    assert 1 == len(asked)
    assert [] == feedparser.parse(world.public.get(turns, want=200).body).entries
    told = " ".join(entry.summary for entry in feedparser.parse(world.public.get(history, want=200).body).entries)
    assert "undoes everything from commit 2 onward" in told


def test_a_plan_for_an_unchanged_board_stops_after_an_undo(world):
    game, mover, other, _ = nim(world)
    moved = mover.send(game, TAKE, want=200).seq
    put(mover, game, plan(taken(3), when="unchanged"))
    mover.send(game, wish(moved), want=200)

    after = look(mover, game)
    assert ("stopped", 0, "stale") == (after["status"], after["stopped_at"], after["outcomes"][0]["refusal"]["code"])
    assert ["undone"] == types_of(after["first_change"])
    mover.send(game, TAKE, want=200)
    other.send(game, TAKE, want=200)
    assert [1, 3, 5, 5] == mover.view(game)["public"]["heaps"]


def test_a_plan_with_condition_legal_is_played_after_an_undo(world):
    game, mover, _, _ = nim(world)
    moved = mover.send(game, TAKE, want=200).seq
    put(mover, game, plan(taken(3)))
    mover.send(game, wish(moved), want=200)

    assert "played" == look(mover, game)["status"]
    assert [1, 3, 4, 7] == mover.view(game)["public"]["heaps"]
    assert "plan" == mover.events(game)[-1]["by"]


def test_an_undo_request_lapses_when_the_rivals_plan_is_played(world):
    game, mover, other, _ = nim(world)
    put(other, game, plan(taken(3)))
    moved = mover.send(game, TAKE, want=200).seq
    assert [1, 3, 4, 6] == mover.view(game)["public"]["heaps"]
    put(other, game, plan(taken(2)))
    asked = mover.send(game, wish(moved), want=200)
    assert ["undo_requested"] == types(asked)
    mover.send(game, TAKE, want=200)

    assert [1, 2, 4, 5] == mover.view(game)["public"]["heaps"]
    assert mover.view(game)["public"]["table"]["undo"]["request"] is None
    assert "already-answered" == other.send(game, {"type": "answer_undo", "request": asked.seq, "agree": True}).code
