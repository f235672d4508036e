"""Battalia and Fronela across two releases: the players agree, and the present rules go on from where the older ones stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain import RELEASE as PRESENT
from domain.registry import GAMES
from service.audit.auditor import audit
from service.cli.terminal.asking import read_options
from service.cli.terminal.bots import RandomBot
from service.process.frozen import shelf
from service.process.frozen.bundle import Bundle
from service.process.frozen.loading import load
from tests.api.conftest import World
from tests.driver import Remote
from tests.releases.before import RELEASE, TREE, edited, older
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance

EDITED = {
    "battalia": (
        "domain/battalia/rulesets/creation_v1.py",
        b'hand=published("TURN-01", 6)',
        b'hand=published("TURN-01", 5)',
    ),
    "fronela": (
        "domain/fronela/phases/population.py",
        b"        result = face + modifier\n",
        b"        result = face + modifier + 1\n",
    ),
}
"""By game, what stands otherwise in the rules of the release before: the cards of a hand, and what a roll for growth comes to."""
DECIDED = {"battalia": b'"game_begun"', "fronela": b'"growth_rolled"'}
"""The event in which it shows."""
SEATS = {"battalia": 2, "fronela": 4}
CHOOSER = RandomBot(b"u" * 32)
YES = {"type": "cast_vote", "agree": True}


def before():
    """The rules of that release."""
    files = dict(older(whole=True).files)
    for path, old, new in EDITED.values():
        files[path] = edited(files[path], old, new)
    return Bundle(RELEASE, files, TREE)


@pytest.fixture
def kept(tmp_path):
    folder = tmp_path / "kept"
    before().write(folder)
    shelf.use(folder)
    return folder


def begun(store, kind, monkeypatch, steps=12):
    """A game that was played for a while under the older rules: its id and its players."""
    with monkeypatch.context() as patched:
        patched.setitem(GAMES, kind, load(before())[kind])
        names = ("Ash", "Birk", "Cyra", "Dag")[: SEATS[kind]]
        world = World(store)
        players = [world.player(name) for name in names]
        made = players[0].make_game(kind, len(players))
        for player in players[1:]:
            player.join(made["id"], made["invitation"])
        players[0].start(made["id"])
        played(players, made["id"], steps)
        while not any(DECIDED[kind] in each.body for each in store.log.commits(made["id"])):
            played(players, made["id"], 1)
    return made["id"], players


def asked(player, game):
    """The seats that players have and that are asked something; none while the game itself has something to say."""
    seats = {each["seat"] for each in player.summary(game)["asked"]}
    return set() if 0 in seats else seats


def played(players, game, steps):
    """Whoever is asked answers, so often."""
    for _ in range(steps):
        eventually(lambda: asked(players[0], game), seconds=60)
        player = players[min(asked(players[0], game)) - 1]
        document = player.get(f"/v1/games/{game}/options", want=200, only="asked").json
        player.send(game, CHOOSER.choose(read_options(document)[0]), wait=60, want=200)


def agreed(players, game):
    rules = f"/v1/games/{game}/rules"
    assert "stays" == players[0].get(rules, want=200).json["standing"]
    players[0].post(rules, {"release": PRESENT}, headers={"Prefer": "wait=60"}, want=200)
    for player in players[1:]:
        player.send(game, YES, wait=60, want=200)


def ended(players, game):
    players[0].send(game, {"type": "call_vote", "kind": "abort"}, wait=60, want=200)
    for player in players[1:]:
        player.send(game, YES, wait=60, want=200)
    return players[0].get(f"/v1/games/{game}/export", want=200).body


def is_right(store, game, data):
    """The older rules have decided up to the event, the present ones all after it, and audits say so."""
    commits = list(store.log.commits(game))
    (last,) = [each.seq for each in commits if b'"rules_upgraded"' in each.body]
    assert [RELEASE] * last + [PRESENT] * (len(commits) - last) == [each.release for each in commits]
    assert len(commits) > last + 6
    assert () == (report := audit(data)).divergences
    assert f"in commit {last} the players left the rules of {RELEASE}" in report.notes["AUD-09"]
    shelf.use(Path("/nowhere"))
    (wrong,) = audit(data).divergences
    assert wrong.seq <= last
    assert f"needs rules {RELEASE}, which are not here" in wrong.what


@pytest.mark.parametrize("kind", EDITED)
def test_the_present_rules_go_on_from_where_others_stood(kind, memory_store, monkeypatch, kept):
    game, players = begun(memory_store, kind, monkeypatch)
    world = World(memory_store)
    for player in players:
        player.site = world.site
    report = players[0].get(f"/v1/games/{game}/rules", want=200).json
    hidden = kind == "battalia"
    assert ("stays", hidden) == (report["standing"], report["differs"] is None), (
        "what is dealt is nobody's to see whole"
    )
    played(players, game, 2)
    agreed(players, game)
    played(players, game, 12)
    assert {} == memory_store.log.marks()
    is_right(memory_store, game, ended(players, game))


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_vote_on_a_running_service_has_its_workers_go_on_by_the_present_rules(
    redis_store, redis_url, monkeypatch, kept, tmp_path
):
    games = [begun(redis_store, kind, monkeypatch) for kind in EDITED]
    environ = {
        "ORACLEWHEEL_REDIS_URL": redis_url,
        "ORACLEWHEEL_QUEUE_URL": f"{redis_url}?db=1",
        "ORACLEWHEEL_RULES": str(kept),
        "ORACLEWHEEL_PUMPS": "2",
        "ORACLEWHEEL_RATE_REQUESTS": "0",
    }
    instance = Instance(tmp_path / "served", **environ).start()
    try:
        for game, players in games:
            for player in players:
                player.site = Remote(instance.url)
            played(players, game, 2)
            agreed(players, game)
            played(players, game, 12)
            data = ended(players, game)
            eventually(lambda game=game: redis_store.lobbies.get(game).status == "over", seconds=60)
            shelf.use(kept)
            is_right(redis_store, game, data)
    finally:
        instance.stop()
