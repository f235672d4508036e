"""Over HTTP: which rules decide a game, what the present ones would have decided otherwise, and the vote to go on by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from domain import RELEASE as PRESENT
from domain.registry import GAMES
from service.audit.auditor import audit
from service.cli.terminal import rules
from service.cli.terminal.client import ApiError
from service.process.frozen import shelf
from service.process.frozen.bundle import Bundle
from service.process.frozen.loading import load
from tests.api.conftest import World
from tests.api.problem import is_a_problem
from tests.releases.before import RELEASE, TREE, edited, older
from tests.releases.test_served import LITTLE, TOO_MUCH, on_turn

NOTHING = {"type": "take", "heap": 2, "objects": 0}
NOWHERE = {"type": "take", "heap": 7, "objects": 1}
YES = {"type": "cast_vote", "agree": True}
NEW = {"release": PRESENT}


class Two:
    """A service of the older release on a store, and one of the present that follows it."""

    def __init__(self, store, monkeypatch, folder, bundle=None):
        self.store, self._monkeypatch = store, monkeypatch
        self.bundle = bundle or older()
        self.bundle.write(folder)
        shelf.use(folder)

    def played(self, *commands, **told):
        """A game in which whoever is on turn has sent these under the older rules; the game, and its players at the new service."""
        with self._monkeypatch.context() as patched:
            patched.setitem(GAMES, "nim", load(self.bundle)["nim"])
            old = World(self.store)
            game, *players = old.table(kind="nim", options={"heaps": 3}, **told)
            for command in commands:
                on_turn(game, players).send(game, command)
        self.world = World(self.store)
        for player in players:
            player.site = self.world.site
        rows = self.store.log.rows(game)
        self.store.log.rewrite(game, replace(rows, release="0.0.0"))
        return game, *players


@pytest.fixture
def two(memory_store, monkeypatch, tmp_path):
    return Two(memory_store, monkeypatch, tmp_path)


def told(player, game, **query):
    return player.get(f"/v1/games/{game}/rules", want=200, **query).json


def proposed(player, game, want=200, body=NEW, **headers):
    return player.post(f"/v1/games/{game}/rules", body, headers={"Prefer": "wait=10", **headers}, want=want)


def test_a_game_that_stays_says_so_and_which_commit_it_is(two):
    game, ash, birk = two.played(TOO_MUCH)
    report = told(ash, game)
    assert ("stays", RELEASE, PRESENT) == tuple(report[name] for name in ("standing", "release", "present"))
    assert two.bundle.digest == report["digest"]
    was = {"accepted": True, "refusal": None, "events": ["objects_taken"]}
    would = {"accepted": False, "refusal": None, "events": []}
    public = {"seq": 2, "was": was, "would": would}
    assert public == told(two.world.public, game)["differs"]
    asked, other = (ash, birk) if on_turn(game, [ash, birk]) is birk else (birk, ash)
    assert public == told(other, game)["differs"]
    why = {"code": "not-in-heap", "rule": "NIM-03"}
    assert {**public, "would": {**would, "refusal": why}} == told(asked, game)["differs"], "to who sent it"
    assert {"release": RELEASE, "frozen": True} == ash.summary(game)["rules"]


def test_a_game_that_comes_to_the_same_says_that_nothing_has_to_be_agreed_to(two):
    game, ash, _ = two.played(LITTLE)
    assert ("alike", None) == tuple(told(ash, game)[name] for name in ("standing", "differs"))
    is_a_problem(proposed(ash, game, want=409), 409, "rules-alike")


def test_a_game_by_the_present_rules_has_nothing_to_propose(two):
    two.played()
    game, ash, _ = two.world.table(kind="nim")
    report = told(ash, game)
    assert ("present", PRESENT, None) == tuple(report[name] for name in ("standing", "release", "differs"))
    assert {"release": PRESENT, "frozen": False} == ash.summary(game)["rules"]
    is_a_problem(proposed(ash, game, want=409), 409, "rules-present")


def test_players_vote_and_their_game_goes_on_by_the_present_rules(two):
    game, ash, birk = two.played(TOO_MUCH)
    (line,) = proposed(ash, game).json["lines"]
    assert f"go on by the rules of release {PRESENT}, by which commit 2 would have" in line["text"]
    assert "call_vote" not in str(line)
    vote = told(birk, game)["vote"]
    assert (1, RELEASE, PRESENT, 2, [1]) == tuple(vote[name] for name in ("by", "left", "release", "differs", "agreed"))
    asked = birk.get(f"/v1/games/{game}/options", want=200, **{"with": "words"}).json["question"]
    assert f"go on by the rules of release {PRESENT} and no more by those of {RELEASE}: by them commit 2" in asked
    lines = birk.send(game, YES, want=200).json["lines"]
    assert ["vote_cast", "vote_carried", "rules_upgraded"] == [each["type"] for each in lines]
    assert "agreed" == told(ash, game)["standing"]

    on_turn(game, [ash, birk]).send(game, TOO_MUCH | {"heap": 3}, want=409)
    report = told(ash, game)
    assert ("present", PRESENT) == (report["standing"], report["release"])
    assert {"seq": 4, "left": RELEASE, "release": PRESENT, "differs": 2} == report["upgraded"]
    assert 4 == ash.view(game)["public"]["table"]["votes"]["upgraded"]["seq"]
    assert {} == two.store.log.marks()
    for player in (ash, birk, ash):
        player.send(game, {"type": "call_vote", "kind": "abort"} if player is ash else YES)
    assert "over" == ash.summary(game)["status"]
    assert () == audit(ash.get(f"/v1/games/{game}/export").body).divergences
    is_a_problem(proposed(ash, game, want=409), 409, "game-over")


def test_a_proposal_names_the_release_that_is_meant(two):
    game, ash, _ = two.played(TOO_MUCH)
    problem = proposed(ash, game, want=409, body={"release": "9.9.9"}).json
    assert ("rules-moved", "/release", PRESENT) == tuple(problem[name] for name in ("code", "pointer", "present"))
    is_a_problem(proposed(ash, game, want=422, body={}), 422, "invalid")
    is_a_problem(two.world.public.post(f"/v1/games/{game}/rules", NEW), 401, "no-token")
    is_a_problem(two.world.player("Cyd").post(f"/v1/games/{game}/rules", NEW), 403, "not-your-seat")


def test_whoever_asks_twice_is_answered_twice_and_calls_one_vote(two):
    game, ash, birk = two.played(TOO_MUCH)
    key = {"Idempotency-Key": "once"}
    first = proposed(ash, game, **key).json
    birk.send(game, YES, want=200)
    assert first == proposed(ash, game, **key).json
    is_a_problem(proposed(ash, game, want=422, body={"release": "9.9.9"}, **key), 422, "key-reused")


def test_rules_that_cannot_read_the_game_are_not_voted_on(two, monkeypatch):
    game, ash, _ = two.played(TOO_MUCH)
    monkeypatch.setattr("service.api.resources.rules.is_readable", lambda *_: False)
    is_a_problem(proposed(ash, game, want=409), 409, "rules-unread")


def test_as_long_as_it_is_not_known_there_is_nothing_to_vote_on(two, monkeypatch):
    monkeypatch.setattr("service.projections.positions.upgrade.SECONDS", 0.0)
    game, ash, _ = two.played(*[NOTHING] * 40, TOO_MUCH)
    is_a_problem(proposed(ash, game, want=409), 409, "not-compared")
    found = [told(ash, game)["standing"] for _ in range(4)]
    assert ["comparing", "stays"] == sorted({*found})
    assert "stays" == found[-1]


def test_of_a_game_that_waits_for_rules_which_are_not_here_nobody_is_told_that_the_present_ones_decide_it(two):
    game, ash, birk = two.played(TOO_MUCH)
    proposed(ash, game)
    folder = shelf.shelf()._folder
    shelf.use(Path("/nowhere"))
    two.world = World(two.store)
    ash.site = birk.site = two.world.site
    birk.send(game, {"type": "cast_vote", "agree": False}, wait=None, want=202)
    assert "needs-release" == two.store.log.marked(game).code
    is_a_problem(ash.get(f"/v1/games/{game}/rules"), 503, "needs-release")
    is_a_problem(proposed(ash, game, want=503), 503, "needs-release")
    shelf.use(folder)
    two.world = World(two.store)
    ash.site = two.world.site
    two.store.log.release(game)  # it would be looked at again after some seconds
    two.world.work(game)
    assert ("stays", RELEASE, None) == tuple(told(ash, game)[name] for name in ("standing", "release", "vote"))


def test_of_a_game_that_is_over_it_says_which_rules_decided_it_though_they_are_not_here(two):
    game, ash, birk = two.played(TOO_MUCH)
    for player in (ash, birk):
        player.send(game, {"type": "call_vote", "kind": "abort"} if player is ash else YES, want=200)
    shelf.use(Path("/nowhere"))
    ash.site = World(two.store).site
    report = told(ash, game)
    assert ("over", RELEASE, None) == tuple(report[name] for name in ("standing", "release", "digest"))


def test_without_votes_at_the_table_the_report_says_so_and_nobody_is_asked(two):
    game, ash, _ = two.played(TOO_MUCH, table={"votes": "off"})
    assert (False, None) == tuple(told(ash, game)[name] for name in ("votes", "vote"))
    is_a_problem(proposed(ash, game, want=409), 409, "not-here")


def test_a_lobby_has_no_rules_yet(two):
    two.played()
    ash = two.world.player("Ash")
    game = ash.make_game("nim")["id"]
    is_a_problem(ash.get(f"/v1/games/{game}/rules"), 409, "not-started")


def test_what_a_seat_was_not_shown_changes_no_byte_of_what_it_reads_here(memory_store, monkeypatch, tmp_path):
    """Two games that differ in refused commands alone, in different commits of which the rules would have decided otherwise."""
    words = (b'than the heap holds.", field="objects"', b'than the heap holds.", field="object"')
    files = {**older().files}
    files["domain/nim/game.py"] = edited(files["domain/nim/game.py"], *words)
    two = Two(memory_store, monkeypatch, tmp_path, Bundle(RELEASE, files, TREE))
    read = {}
    for name, commands in (("first", (NOTHING, NOWHERE)), ("second", (NOWHERE, NOTHING))):
        game, *players = two.played(*commands)
        mover = on_turn(game, players)
        other = players[1 - players.index(mover)]
        report = told(mover, game)
        assert ("stays", {"first": 2, "second": 3}[name]) == (report["standing"], report["differs"]["seq"])
        assert {"code": "not-in-heap", "rule": "NIM-03"} == report["differs"]["was"]["refusal"]
        read[name] = [each.get(f"/v1/games/{game}/rules", want=200).body for each in (other, two.world.public)]
        (line,) = proposed(other, game).json["lines"]
        assert line["differs"] is None, "not even who calls the vote tells it"
    assert read["first"] == read["second"]
    assert b'"standing":"stays"' in read["first"][0]
    assert b'"differs":null' in read["first"][0]


def test_the_releases_that_are_here_are_told_with_their_digests(two):
    two.played()
    present, frozen = two.world.public.get("/v1/kinds", want=200).json["releases"]
    assert (PRESENT, False) == (present["release"], present["frozen"])
    assert {"release": RELEASE, "digest": two.bundle.digest, "frozen": True} == frozen


class Terminal:
    """What the terminal speaks to, in this process."""

    def __init__(self, player):
        self._player = player

    def call(self, method, path, body=None, headers=None):
        answer = self._player.call(method, path, body, headers=headers or {})
        if answer.status >= 400:
            raise ApiError(answer.status, answer.json)
        return answer.json


def test_in_the_terminal_it_is_told_and_proposed(two, monkeypatch, capsys):
    game, ash, birk = two.played(TOO_MUCH)
    asked = []
    monkeypatch.setattr("click.confirm", lambda words: asked.append(words) or True)
    for player in (ash, birk):
        rules.look(Terminal(player), game)
    said = capsys.readouterr().out
    assert [f"Propose to go on by the rules of release {PRESENT}?"] == asked
    assert (
        f"By the rules of release {PRESENT} it would have gone otherwise, so it stays under those of {RELEASE}." in said
    )
    assert "Commit 2 has come to objects taken; it would have been refused" in said
    assert "There is a vote on it: 1 of 2 have agreed." in said
    birk.send(game, YES, want=200)
    rules.look(Terminal(ash), game)
    assert f"Its players have agreed to go on by the rules of release {PRESENT}." in capsys.readouterr().out
    two.world.public.get(f"/v1/games/{game}/rules", want=200)
    rules.look(Terminal(ash), "gnone")
    assert "Refused:" in capsys.readouterr().out


def test_what_is_told_in_the_terminal_leaves_out_what_is_not_to_see():
    told = {"standing": "stays", "release": "0.1.0", "present": "0.2.0", "differs": None, "vote": None}
    assert "What would have been otherwise is not all yours to see." == rules.lines(told)[1]
    refused = {"accepted": False, "refusal": {"code": "not-in-heap", "rule": None}, "events": []}
    told["differs"] = {"seq": 7, "was": refused, "would": None}
    words = "Commit 7 has been refused (not-in-heap); it would have been something that cannot be told."
    assert words == rules.lines(told)[1]


@pytest.mark.parametrize("query", [{}, {"dry_run": "true"}])
def test_nobody_proposes_by_a_command_of_their_own(two, query):
    game, ash, _ = two.played(TOO_MUCH)
    command = {"type": "propose_rules", "left": RELEASE, "release": PRESENT}
    is_a_problem(ash.send(game, command, **query), 422, "invalid")
    plan = {"commands": [command], "if": "legal", "then": "wait"}
    is_a_problem(ash.call("PUT", f"/v1/games/{game}/plan", plan), 422, "invalid")


def test_a_game_that_went_over_is_forked_before_and_after_and_read_at_any_commit(two):
    game, ash, birk = two.played(TOO_MUCH)
    proposed(ash, game)
    birk.send(game, YES, want=200)
    on_turn(game, [ash, birk]).send(game, LITTLE, want=200)
    ash.send(game, {"type": "call_vote", "kind": "abort"}, want=200)
    birk.send(game, YES, want=200)
    assert [0, 2, 5] == ash.view(game)["public"]["heaps"]
    for seq, heaps in ((2, [0, 3, 5]), (5, [0, 2, 5])):
        box = ash.post(f"/v1/games/{game}/fork", {"seq": seq}, want=201).json["id"]
        ash.start(box)
        assert heaps == ash.view(box)["public"]["heaps"]
        assert "present" == told(ash, box)["standing"]
        assert heaps == ash.get(f"/v1/games/{game}/view", at=seq, want=200).json["public"]["heaps"]
    assert ["over", 4] == [(report := told(ash, game))["standing"], report["upgraded"]["seq"]]
