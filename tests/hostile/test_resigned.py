"""A player who resigned can read the secrets of their seat up to that commit, and everything once the game is over."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

import pytest

from domain.kernel.dice import Dice
from domain.kernel.lifecycle import OLDEST
from domain.kernel.options import command_of, first, from_json
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.core.positions import visibility
from service.core.positions.cache import CachedPosition
from service.core.positions.rows import build_rows
from service.core.positions.visibility import HistoryReader
from tests.core.http.conftest import World
from tests.driver import Player, play_out
from tests.hostile.table import HIDE, SECRET, house, hurried, second, types
from tests.pennies import PENNIES, HandClosed, PenniesRules

NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
def resigned(world, monkeypatch):
    """A game some rounds after seat 2 resigned: the game, both players, the commit of the resignation."""
    hurried(monkeypatch)
    game, ash, birk = world.table(options={"points": 100})
    for player in (ash, birk) * 2:
        player.send(game, HIDE, want=200)
    birk.send(game, {"type": "resign"}, want=200)
    at = next(e["seq"] for e in ash.events(game) if "seat_resigned" in [line["type"] for line in e["lines"]])
    for _ in range(3):
        ash.send(game, HIDE, want=200)
    return game, ash, birk, at


def secrets_of(entries):
    """The commits whose entries show a secret."""
    return [entry["seq"] for entry in entries if SECRET in [line["type"] for line in entry["lines"]]]


def test_view_of_a_resigned_player_is_public_after_the_resignation(world, resigned):
    game, ash, birk, at = resigned
    now = world.store.log.head(game)[0]

    own, public = birk.get(f"/v1/games/{game}/view", want=200), world.public.get(f"/v1/games/{game}/view", want=200)
    assert (public.json, public.headers["ETag"]) == (own.json, own.headers["ETag"])
    assert birk.view(game, at=at - 1)["private"] is not None
    assert birk.view(game, at=at)["private"] == birk.view(game, at=at - 1)["private"]
    for seq in range(at + 1, now + 1):
        told = birk.get(f"/v1/games/{game}/view", at=seq, want=200)
        assert told.json == world.public.view(game, at=seq)
        assert "immutable" not in told.headers["Cache-Control"], "after the end it is another"
    assert ash.view(game)["private"] is not None
    for seats in ([Seat(2)], [Seat(1), Seat(2)]):
        assert b"null" == world.store.views.rows(game, seats).private[Seat(2)], "not even the rows hold it"


def test_history_in_every_form_shows_secrets_only_up_to_the_resignation(world, resigned):
    game, ash, birk, at = resigned
    whole = ash.events(game)
    assert any(seq > at for seq in secrets_of(whole)), "who has not resigned reads on"
    assert [entry["seq"] for entry in whole if entry["seat"] == 2 and entry["by"] == "bot" and entry["seq"] > at]

    forms = {
        "pages": birk.events(game),
        "short pages": birk.events(game, limit=1),
        "ndjson": [json.loads(line) for line in birk.get(f"/v1/games/{game}/events", headers=NDJSON).text.splitlines()],
    }
    other = second(world)
    with Player(other.site, birk.token).stream(game) as messages:
        forms["stream"] = [next(messages).data for _ in forms["pages"]]
    for form, told in forms.items():
        assert forms["pages"] == told, form
        assert secrets_of(told), form
        assert all(seq < at for seq in secrets_of(told)), form
    assert [] == secrets_of(birk.events(game, after=at))
    assert [] == secrets_of(birk.events(game, since="my-last-turn"))
    assert [e for e in world.public.events(game) if e["seq"] > at] == birk.events(game, after=at)


def test_first_resigned_player_reads_no_further_when_another_resigns(world):
    game, ash, birk, cyd = world.table("Ash", "Birk", "Cyd", options={"points": 100})
    birk.send(game, {"type": "resign"}, want=200)
    at = world.store.log.head(game)[0]
    for player in (ash, cyd) * 2:
        player.send(game, HIDE, want=200)
    cyd.send(game, {"type": "resign"}, want=200)

    assert all(seq < at for seq in secrets_of(birk.events(game)))
    assert any(seq > at for seq in secrets_of(cyd.events(game)))


@pytest.mark.parametrize("step", [1, 2, 3, 128])
def test_resignation_is_found_however_long_ago_it_was(world, resigned, monkeypatch, step):
    game, _, _, at = resigned
    monkeypatch.setattr(visibility, "BATCH_SIZE", step)
    position = house(world).positions.read_newest(house(world).positions.get_config(game))

    assert HistoryReader(Seat(2), at) == visibility.Resignations().get_reader(world.store.log, game, position, Seat(2))


def test_number_of_cached_resignations_is_limited(world, monkeypatch):
    monkeypatch.setattr(visibility, "MAX_CACHED", 2)
    known = visibility.Resignations()
    for _ in range(5):
        game, _, birk = world.table()
        birk.send(game, {"type": "resign"}, want=200)
        position = house(world).positions.read_newest(house(world).positions.get_config(game))
        assert known.get_reader(world.store.log, game, position, Seat(2)).until is not None
        assert len(known._known) <= 2


def test_open_stream_of_a_resigned_player_continues_as_public(world, monkeypatch):
    hurried(monkeypatch)
    game, ash, birk = world.table(options={"points": 1})
    with birk.stream(game) as messages:
        next(messages)
        birk.send(game, {"type": "resign"}, want=200)
        told = [next(messages)]
        while "seat_resigned" not in types(told):
            told.append(next(messages))
        at = told[-1].id
        ash.send(game, HIDE, want=200)
        told = [next(messages), next(messages)]

    assert all(message.id > at for message in told)
    assert SECRET not in types(told)


def test_commands_and_dry_runs_of_a_resigned_player_are_refused_without_secrets(world, resigned):
    game, _, birk, at = resigned
    seq = birk.view(game)["seq"]
    options = birk.options(game)

    assert ([], [], seq) == (options["options"], options["table"], options["seq"])
    for command in (HIDE, {"type": "hide", "pennies": 77}, {"type": "resign"}):
        tried = birk.send(game, command, dry_run="true", want=200).json
        assert (False, "played-by-bot", seq) == (tried["accepted"], tried["refusal"]["code"], tried["seq"])
        assert tried == {**birk.send(game, command, dry_run="true", seen=1).json, "seq": seq}
        assert "played-by-bot" == birk.send(game, command, want=409).code
    stale = birk.send(game, HIDE, seen=1)
    assert (412, "stale") == (stale.status, stale.code)
    assert all(seq < at for seq in secrets_of(stale.json["missed"]))
    assert [] == birk.turns()


class Quiet(PenniesRules):
    """A game that hides from other seats when a hand is closed."""

    def decide(self, state, seat, command, dice):
        return [event for event in super().decide(state, seat, command, dice) if not isinstance(event, HandClosed)]


def test_seq_does_not_reveal_when_the_bot_of_a_resigned_seat_acted(world, monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", replace(PENNIES, rules=Quiet()))
    game, _, birk = world.table(options={"points": 100})
    birk.send(game, {"type": "resign"}, want=200)
    newest = house(world).positions.read_newest(house(world).positions.get_config(game))
    seq = world.public.view(game)["seq"]

    assert newest.seen[2] > newest.seen[0] == seq, "the bot has hidden something, and nobody else was told"
    answer = birk.get(f"/v1/games/{game}/view", want=200)
    assert (seq, f'"{seq}"') == (answer.json["seq"], answer.headers["ETag"])
    assert seq == birk.options(game)["seq"] == birk.send(game, HIDE, dry_run="true", want=200).json["seq"]
    assert seq == world.store.views.rows(game).seen[2]


def test_everything_is_open_to_a_resigned_player_when_the_game_is_over(world, monkeypatch):
    hurried(monkeypatch)
    game, ash, birk = world.table(options={"points": 2})
    birk.send(game, {"type": "resign"}, want=200)
    at = world.store.log.head(game)[0]
    between = birk.get(f"/v1/games/{game}/view", at=at, want=200)
    play_out([ash], game, Dice(b"r" * 32))

    assert birk.view(game)["private"] is not None
    assert ash.view(game, seat=2) == birk.view(game)
    assert any(seq > at for seq in secrets_of(birk.events(game)))
    after = birk.get(f"/v1/games/{game}/view", at=at, headers={"If-None-Match": between.headers["ETag"]})
    assert 200 == after.status, "what was kept of the closed time is not good any more"
    assert after.json["private"] is not None


def pretend(world, game, dice):
    """Replace the state by another one that the public cannot tell from the real one."""
    facts = house(world).positions.get_config(game)
    position = house(world).positions.read_newest(facts)
    other = replace(position, state=facts.game.knowledge.imagine(position.state, None, dice))
    rows = world.store.views.rows(game)
    assert world.store.views.rewrite(game, build_rows(facts.game, other, signature=(rows.signature, rows.key_id)))
    house(world).positions.store_cached(game, CachedPosition(other, 0))
    return other.state != position.state


def answers(player, game, tries):
    """Return the responses to a seat that depend on the state."""
    base = f"/v1/games/{game}"
    asked = [player.get(base), player.get(f"{base}/view"), player.get(f"{base}/options"), player.get("/v1/me/turns")]
    asked += [player.send(game, command, dry_run="true") for command in tries]
    return [(each.status, each.body, each.headers.get("ETag")) for each in asked]


@pytest.mark.parametrize(("kind", "moves"), [("pennies", 8), ("battalia", 30)])
def test_publicly_equal_states_give_a_resigned_player_the_same_bytes(monkeypatch, kind, moves):
    world = World()
    ash, birk = world.player(), world.player()
    game = ash.make_game(kind, options={"points": 50} if kind == "pennies" else {})["id"]
    birk.join(game)
    ash.start(game)
    offered = list(birk.options(game)["options"] or ash.options(game)["options"])
    tries = [command_of(from_json(option), first) for option in offered[:4]] + [{"type": "resign"}]
    birk.send(game, {"type": "resign"}, want=200)
    dice, differed = Dice(b"n" * 32), 0
    for move in range(moves):
        if move % 6 == 5:
            real = world.store.views.rows(game, [Seat(1), Seat(2)])
            with monkeypatch.context() as patch:
                patch.setattr(secrets, "token_bytes", lambda size: b"s" * size)
                before = answers(birk, game, tries)
                differed += pretend(world, game, Dice(bytes([move]) * 32))
                assert before == answers(birk, game, tries)
            house(world).positions.forget(game)
            world.store.views.rewrite(game, real)
        ash.move(game, dice, want=None)

    assert differed


def test_older_game_answers_a_resigned_player_but_shows_no_secrets(world, monkeypatch):
    monkeypatch.setattr("domain.table.features.newest_rules", lambda: OLDEST)
    game, ash, birk = world.table(options={"points": 100})
    birk.send(game, {"type": "resign"}, want=200)
    at = world.store.log.head(game)[0]
    ash.send(game, HIDE, want=200)

    assert birk.view(game)["private"] is None
    assert [] == secrets_of(birk.events(game, after=at))
    assert "played-by-bot" == birk.send(game, HIDE, dry_run="true", want=200).json["refusal"]["code"]
    assert "not-your-turn" == birk.send(game, {"type": "resign"}, want=409).code
