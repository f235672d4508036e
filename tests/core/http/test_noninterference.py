"""Clients that cannot see a secret get the same bytes for each of its values: views, options, dry runs, errors, streams."""

from __future__ import annotations

import itertools
import secrets
from dataclasses import replace

import orjson
import pytest

from domain.kernel.dice import Dice
from domain.kernel.options import command_of, first, from_json
from domain.kernel.terms import Seat
from service.core.http.context.app import EXTENSION
from service.core.positions.cache import CachedPosition
from service.core.positions.rows import build_rows
from tests.clock import StoreClock
from tests.core.http.conftest import World
from tests.soaking import soak

EXEMPT = ("head", "signature")
"""Salted or signed fields, which differ but reveal nothing."""


@pytest.fixture
def repeatable(monkeypatch):
    """Reset randomness and time, so that they repeat."""
    clock = StoreClock(monkeypatch, 0)

    def begin():
        numbers = itertools.count()
        dice = Dice(b"r" * 32)
        monkeypatch.setattr(secrets, "token_bytes", lambda size=32: next(numbers).to_bytes(size, "big"))
        monkeypatch.setattr(secrets, "token_urlsafe", lambda size=32: f"{next(numbers):043}")
        monkeypatch.setattr(secrets, "choice", dice.choose)
        clock.now = 1_800_000_000_000

    return begin


def without_exempt(body):
    """The body without exempt fields, for comparison."""

    def bare(value):
        match value:
            case dict():
                return {name: bare(each) for name, each in value.items() if name not in EXEMPT}
            case list():
                return [bare(each) for each in value]
            case _:
                return value

    try:
        return orjson.dumps(bare(orjson.loads(body)))
    except orjson.JSONDecodeError:
        return body


def told(player, game, seq):
    """Everything that a reader of the running game can get, as bytes."""
    base = f"/v1/games/{game}"
    asked = [
        player.get(base),
        player.get(f"{base}/view"),
        player.get(f"{base}/view", at=seq),
        player.get(f"{base}/view", headers={"If-None-Match": '"1"'}),
        player.get(f"{base}/options"),
        player.get(f"{base}/events"),
        player.get(f"{base}/events", since="my-last-turn"),
        player.get(f"{base}/events", digest="turn"),
        player.get(f"{base}/events", digest="turn", since="my-last-turn"),
        player.get(f"{base}/events", digest="turn", headers={"Accept": "text/plain"}),
        player.get(f"{base}/events", since="my-last-turn", headers={"Accept": "text/html"}),
        player.get(f"{base}/events", headers={"Accept": "application/x-ndjson"}),
        player.get(f"{base}/history"),
        player.get(f"{base}/history", actor="1", type="hand_closed"),
        player.get(f"{base}/history", type="refused", limit="3"),
        player.get("/v1/me/turns"),
        player.get("/v1/games"),
        player.get(f"{base}/position"),
        player.send(game, {"type": "hide", "pennies": 1}, dry_run="true"),
        player.send(game, {"type": "hide", "pennies": 77}, dry_run="true"),
        player.send(game, {"type": "hide", "pennies": 1}, seen=1),
        player.send(game, {"type": "hide", "pennies": 77}),
        player.send(game, {"type": "resign", "x": 1}),
    ]
    if player.token:
        kinds = ({"kind": "game", "game": game}, {"kind": "turns"}, {"kind": "calendar"})
        made = [player.post("/v1/me/feeds", kind, want=201).json["url"] for kind in kinds]
        asked += [player.get(address.removeprefix("http://localhost"), want=200) for address in made]
    with player.stream(game) as messages:
        stream = [orjson.dumps(next(messages).data) for _ in range(len(orjson.loads(asked[5].body)["events"]))]
    headers = [dict(each.headers.items()) for each in asked]
    for told in headers:
        told.pop("Game-Head", None)
        if "atom" in told.get("Content-Type", ""):
            told.pop("ETag")  # depends on the head, which is salted
    heads = [each.headers.get("Game-Head", "").partition(" ")[0] for each in asked]
    lines = [[without_exempt(line) for line in each.body.splitlines()] or [b""] for each in asked]
    return [each.status for each in asked], headers, heads, lines, [without_exempt(each) for each in stream]


def test_a_rivals_hidden_choice_does_not_change_answers_to_others(repeatable):
    seen = {}
    for hidden in (0, 1, 2):
        repeatable()
        world = World(rate_requests=0)
        game, ash, birk, cyd = world.table("Ash", "Birk", "Cyd")
        ash.send(game, {"type": "hide", "pennies": hidden}, want=200)
        seq = world.store.log.head(game)[0]
        seen[hidden] = [told(player, game, seq) for player in (birk, cyd, world.public)], told(ash, game, seq)

    assert seen[0][0] == seen[1][0] == seen[2][0]
    assert seen[0][1] != seen[1][1], "the test would see a difference"


def test_a_private_message_does_not_change_answers_to_others(repeatable):
    seen = {}
    sayings = ((0, 2, "Take the left."), (0, 2, "x" * 900), (1, 1, "I take the right."), (1, 0, ""))
    for speaker, listener, text in sayings:
        repeatable()
        world = World(rate_requests=0)
        game, ash, birk, cyd = world.table("Ash", "Birk", "Cyd")
        said = {"text": text, "to": [listener]}
        if text:
            (ash, birk)[speaker].post(f"/v1/games/{game}/talk", said, headers={"Prefer": "wait=10"}, want=200)
        else:  # another commit that the others cannot read
            birk.send(game, {"type": "hide", "pennies": 99}, want=409)
        seq, talk = world.store.log.head(game)[0], f"/v1/games/{game}/talk"
        others = [(told(player, game, seq), player.get(talk, want=200).body) for player in (cyd, world.public)]
        erased = (
            cyd.call("DELETE", f"{talk}/{seq}").body,
            cyd.post(f"/v1/games/{game}/reports", {"seq": seq, "reason": "?"}).body,
        )
        seen[text] = others, erased, told(birk, game, seq)

    one, two, three, refused = seen.values()
    assert one[:2] == two[:2] == three[:2]
    assert [page for _, page in one[0]] == [page for _, page in refused[0]], "nor that it was talk"
    assert one[2] != two[2] != three[2], "the test would see a difference"


def pretend(world, game, seat, dice):
    """Put the game into another state that the seat cannot distinguish from the real one."""
    house = world.app.extensions[EXTENSION]
    facts = house.positions.get_config(game)
    position = house.positions.read_newest(facts)
    other = replace(position, state=facts.game.knowledge.imagine(position.state, seat, dice))
    stood = tuple(
        each._replace(state=facts.game.knowledge.imagine(each.state, seat, dice)) for each in other.past.stood
    )
    other = replace(other, past=replace(other.past, stood=stood))
    rows = world.store.views.rows(game)
    fresh = build_rows(facts.game, other, signature=(rows.signature, rows.key_id))
    assert world.store.views.rewrite(game, fresh)
    house.positions.store_cached(game, CachedPosition(other, 0))
    return other.state != position.state


PLANS = (
    {"commands": [], "then": "end_turn"},
    {"commands": [{"type": "mulligan"}], "then": "end_turn"},
    {"commands": [{"type": "hide", "pennies": 1}], "then": "wait"},
)


def answers(player, game, tries):
    """Answers to a seat that depend on the state."""
    base = f"/v1/games/{game}"
    asked = [player.get(base), player.get(f"{base}/view"), player.get(f"{base}/options"), player.get("/v1/me/turns")]
    asked.append(player.get(f"{base}/events", since="my-last-turn", digest="turn"))
    asked += [player.send(game, command, dry_run="true") for command in tries]
    asked += [player.call("PUT", f"{base}/plan?dry_run=true", {**each, "if": "legal"}) for each in PLANS]
    return [(each.status, each.body, each.headers.get("ETag")) for each in asked]


@pytest.mark.parametrize(("kind", "moves"), [("pennies", 9), ("battalia", 20), *soak(("battalia", 100))])
def test_states_that_a_seat_cannot_distinguish_give_it_the_same_bytes(monkeypatch, kind, moves):
    world = World()
    players = [world.player(), world.player()]
    game = players[0].make_game(kind, options={"points": 50} if kind == "pennies" else {})["id"]
    players[1].join(game)
    players[0].start(game)
    dice, differed, tried = Dice(b"n" * 32), 0, 0
    for move in range(moves):
        for seat, player in enumerate(players, 1):
            if move % 7 == seat:
                real = world.store.views.rows(game, [Seat(1), Seat(2)])
                offered = player.options(game)["options"]
                tries = [command_of(from_json(option), first) for option in offered[:6]] + [{"type": "resign"}]
                newest = real.seen[seat]
                tries += [{"type": "request_undo", "seq": seq} for seq in (newest, newest - 1, newest - 5)]
                tries += [{"commands": [{"type": "request_undo", "seq": newest}, *tries[:1]]}]
                with monkeypatch.context() as patch:
                    patch.setattr(secrets, "token_bytes", lambda size: b"s" * size)
                    before = answers(player, game, tries)
                    differed += pretend(world, game, Seat(seat), Dice(bytes([move]) * 32))

                    assert before == answers(player, game, tries)

                tried += len(tries)
                world.app.extensions[EXTENSION].positions.forget(game)
                world.store.views.rewrite(game, real)
            player.move(game, dice, want=None)

    assert differed > 0
    assert tried > 0


def looked(player, game):
    """Everything that a reader of the running game can get, without exempt fields."""
    base = f"/v1/games/{game}"
    asked = [
        player.get(f"{base}{path}") for path in ("", "/view", "/options", "/events", "/events?digest=turn", "/position")
    ]
    asked += [player.get("/v1/me/turns"), player.get("/v1/games"), player.get(f"{base}/plan")]
    return [(each.status, each.headers.get("ETag"), without_exempt(each.body)) for each in asked]


def test_a_rivals_plan_does_not_change_answers_to_others(repeatable):
    """To others a move by plan looks like a move by hand, while the plan waits and after it was played."""
    hide, seen = {"type": "hide", "pennies": 1}, {}
    for planned in (False, True):
        repeatable()
        world = World(rate_requests=0)
        game, ash, birk, cyd = world.table("Ash", "Birk", "Cyd", options={"points": 1000})
        for player in (ash, birk):
            player.send(game, hide, want=200)
        if planned:
            body = {"commands": [hide], "if": "legal", "then": "wait"}
            ash.call("PUT", f"/v1/games/{game}/plan", body, want=200)
        waiting = [looked(player, game) for player in (birk, cyd, world.public)]
        named = {"Prefer": "wait=10", "Idempotency-Key": "of no chance"}
        cyd.post(f"/v1/games/{game}/commands", hide, headers=named, want=200)
        if not planned:
            ash.send(game, hide, want=200)
        after = [looked(player, game) for player in (birk, cyd, world.public)]
        seen[planned] = waiting, after, looked(ash, game)

    assert seen[False][:2] == seen[True][:2]
    assert seen[False][2] != seen[True][2], "the test would see a difference"
