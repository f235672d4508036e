"""Expensive positions and slow responses end in a problem and do not delay other requests."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import orjson
import pytest

from domain.games.battalia.cards import CARDS
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.bounds import AT_HAND
from domain.games.battalia.state import changed
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.options import MOST, MOST_BYTES, as_json, commands, count, pick
from domain.kernel.terms import Seat
from service.core.http.context.compute_jobs import ComputeJobs
from service.core.positions import fitness
from service.core.queue import Queue
from service.store.codec import encode_state
from tests.battalia.random_play import is_offered, mutations, refusal_of, steps
from tests.battalia.table import hand, table

PAYING = ("frimen", "chief", "priest", "lord", "supply", "tool", "title", "scroll", "horse", "amulet", "hammer", "book")

PAID = ("title", "scroll", "frimen", "chief", "priest", "tool", "lord")


def swollen(state, seat, size, like, chance):
    """Grow the hand of a seat to this many cards, from its own cards and the piles, these kinds first."""
    player = state.players[seat]
    pool = [card for name, pile in state.piles.items() if not name.startswith(("road", "city")) for card in pile]
    pool += [
        card for card in (*player.deck, *player.discard, *player.played) if CARDS[card].group not in ("road", "city")
    ]
    pool += state.great
    chance.shuffle(pool)
    pool.sort(key=lambda card: CARDS[card].kind not in like)
    taken = tuple(pool[: max(0, size - len(player.hand))])
    gone = frozenset(taken)

    def rest(cards):
        return tuple(card for card in cards if card not in gone)

    piles = {name: rest(pile) for name, pile in state.piles.items()}
    player = changed(
        player,
        hand=player.hand + taken,
        deck=rest(player.deck),
        discard=rest(player.discard),
        played=rest(player.played),
    )
    return changed(state, piles=piles, great=rest(state.great), players={**state.players, seat: player})


@pytest.fixture(scope="module")
def late():
    """Turns in the middle of games played by bots."""
    found = []
    for seats, cap in ((2, 90), (4, 160)):
        turns = [
            position.state
            for position, _ in steps(seats, 3, bot="greedy", cap=cap)
            if position.state and position.state.asking and position.state.asking[-1].kind == "turn"
        ]
        found.append(turns[-1])
    return found


def sent(ash, state, seats=2):
    body = {"kind": "battalia", "seats": seats, "options": dict(state.options), "modules": list(state.modules)}
    return ash.post("/v1/games", {**body, "sandbox": {"position": encode_state(state)}})


# -- positions --------------------------------------------------------------------------------------------------------


def test_position_with_sixty_cards_in_a_hand_is_too_large_and_names_the_limit(world):
    state = table()
    big = swollen(state, Seat(1), 60, (), random.Random(5))

    answer = sent(world.player(), big)

    assert (422, "position-too-large") == (answer.status, answer.code)
    assert f"no player has more than {AT_HAND} cards at hand" == answer.json["limit"]
    assert "/sandbox/position" == answer.json["pointer"]


def test_position_with_too_many_options_is_too_large(world, late):
    big = swollen(late[1], Seat(late[1].asking[-1].seats[0]), AT_HAND, PAID, random.Random(1))

    answer = sent(world.player(), big, seats=4)

    assert (422, "position-too-large") == (answer.status, answer.code)
    assert str(MOST) in answer.json["limit"]


@pytest.mark.parametrize(
    ("wrong", "bound"),
    [
        ({"day": 10**12}, "no number is above"),
        ({"agenda": ["night"] * 65}, "no day has more than 64 moments"),
        ({"heroes": {f"h{n}": {"id": f"h{n}", "seat": 1} for n in range(17)}}, "no player has more than 8 heroes"),
        ({"npcs": {"x": orjson.loads("[" * 40 + "]" * 40)}}, "nothing lies deeper than 32 levels"),
        ({"tokens~": 1}, ""),
    ],
)
def test_position_beyond_a_limit_is_refused_before_the_rules_check_it(world, monkeypatch, wrong, bound):
    position = {**encode_state(table()), **wrong}
    monkeypatch.setattr(type(BATTALIA.rules), "faults", lambda *_: pytest.fail("the rules were asked"))

    answer = world.player().post(
        "/v1/games", {"kind": "battalia", "seats": 2, "sandbox": {"position": position}}, want=422
    )

    assert ("position-too-large" if bound else "invalid") == answer.code
    assert bound in answer.json.get("limit", "")


def test_fronela_positions_have_limits_too(world):
    from domain.games.fronela.game import FRONELA
    from domain.games.fronela.state import start

    position = encode_state(start(FRONELA.rules.rulesets[0]))
    entry = {"round": 1, "nation": "x", "reason": "x", "clause": "x", "points": 0, "area": "x"}
    area, here = next(iter(position["board"].items()))
    nation = next(iter(here))
    many = {
        **position["board"],
        area: {**here, nation: [{**here[nation][0], "left": n} for n in range(61)]},
    }
    for wrong in ({"ledger": [entry] * 700, "order": ["x"] * 101}, {"board": many}):
        body = {"kind": "fronela", "seats": 4, "sandbox": {"position": {**position, **wrong}}}

        assert "position-too-large" == world.player().post("/v1/games", body, want=422).code


# -- the process that checks them ------------------------------------------------------------------------------------------


def setup_of(state):
    return BATTALIA.rules.check(Setup(len(state.players), state.ruleset, state.options, state.modules))


@pytest.mark.parametrize("text", ["[" * 1000 + "]" * 1000, '{"npcs":' * 300 + "{}" + "}" * 300])
def test_position_nested_too_deep_to_encode_exceeds_a_limit(text):
    away = ComputeJobs(Queue("redis://127.0.0.1:1"), 1)
    told = away.check_position(BATTALIA, setup_of(table()), orjson.loads(text), "ash")

    assert "nothing lies deeper than 32 levels" == told.bound


# -- Options ----------------------------------------------------------------------------------------------------------


def test_large_realistic_hands_stay_within_the_options_limits(late):
    chance, greatest = random.Random(7), 0
    for state in late:
        seat = Seat(state.asking[-1].seats[0])
        for size in (8, 10, 12):
            for like in ((), ("scroll", "supply", "horse"), ("frimen", "chief", "tool", "scroll"), ("frimen", "chief")):
                options = BATTALIA.rules.replies(swollen(state, seat, size, like, chance), seat)
                greatest = max(greatest, len(options))

                assert len(options) <= MOST
                assert len(orjson.dumps([as_json(option) for option in options])) <= MOST_BYTES
    assert greatest > 300, "the hands are such that it matters"


def test_counting_of_options_stops_just_above_the_limit(late):
    state = swollen(late[1], Seat(late[1].asking[-1].seats[0]), 60, PAID, random.Random(1))

    assert MOST + 1 == len(BATTALIA.rules.replies(state, Seat(state.asking[-1].seats[0])))


def test_combined_options_offer_exactly_the_accepted_commands(late):
    chance, dice, tried, widened = random.Random(11), Dice(b"wide"), 0, set()
    for state in [*late, table()]:
        seat = Seat(state.asking[-1].seats[0])
        for like in (
            ("scroll", "horse", "supply", "book", "hammer"),
            ("amulet", "scroll", "book"),
            PAYING,
            ("frimen", "chief", "tool"),
        ):
            big = swollen(state, seat, 18, like, chance)
            if chance.random() < 0.5:
                big = changed(big, turn=changed_turn(big))
            options = list(BATTALIA.rules.replies(big, seat))
            wide = [option for option in options if sum(part.name == "cards" for part in option.open) > 1]
            widened |= {option.type for option in wide}
            for option in wide[:: max(1, len(wide) // 40)]:
                said = pick([option], dice)
                assert refusal_of(big, seat, said) is None, (said, option)
                assert is_offered(options, said)
                tried += 1
            for said in mutations(big, seat, options, dice):
                refused = refusal_of(big, seat, said)
                assert (refused is None) == is_offered(options, said), (said, refused)
    assert tried > 200
    assert {"step", "use_amulet", "found_city", "build_road"} <= widened


def changed_turn(state):
    from dataclasses import replace

    return replace(state.turn, fresh=True)


def test_listed_and_combined_options_describe_the_same_commands(monkeypatch):
    from domain.games.battalia.rulebook.payment import lines

    cards = (
        "frimen",
        "frimen",
        "frimen",
        "chief",
        "chief",
        "supply",
        "supply",
        "tool",
        "scroll",
        "scroll",
        "horse",
        "amulet",
    )
    state = hand(table(), 1, *cards)

    def every():
        told = [
            said
            for option in BATTALIA.rules.replies(state, Seat(1))
            if count(option) < 10_000
            for said in commands(option)
        ]
        return {
            tuple(sorted((name, str(sorted(v) if isinstance(v, list) else v)) for name, v in said.items()))
            for said in told
        }

    monkeypatch.setattr(lines, "LISTED", 10**9)
    listed = every()
    monkeypatch.setattr(lines, "LISTED", 0)

    assert listed == every()
    assert len(listed) > 1000


# -- answers ----------------------------------------------------------------------------------------------------------

STUCK = """
from gevent import monkey
monkey.patch_all()
import sys, time
import gevent
from service.core.http.context.offload import ReadContext, ThreadOffload
from service.core.http.problems import Problem
from service.core.positions import fitness
from service.core.positions.cache import Positions
from service.store.redis.store import open_store

store = open_store(sys.argv[1])
apart = ThreadOffload(ReadContext(store, Positions(store)), lambda: store, 0.5)
ticks = []
def tick():
    while True:
        ticks.append(time.monotonic())
        gevent.sleep(0.01)
gevent.spawn(tick)

def stubborn(desk):
    while True:
        try:
            sum(range(1000))
        except Exception:
            pass

def deaf(desk):
    monkey.get_original("time", "sleep")(30)  # one long call, as into C

def code(work, who=None):
    try:
        return apart.run(work, who or "ash")
    except Problem as problem:
        return problem.code, problem.headers["Retry-After"]

for work in (stubborn, stubborn, deaf, deaf):
    assert ("too-much-work", "2") == code(work), work
    assert 7 == code(lambda desk: 7), "the lane serves the next"
assert len(ticks) > 20, "the loop went on"

busy = [gevent.spawn(code, stubborn, who) for who in ("birch", "cedar")]
gevent.sleep(0.1)
assert ("too-much-work", "2") == code(stubborn)
gevent.joinall(busy)
assert 8 == code(lambda desk: 8)
for number in range(200):
    assert number == code(lambda desk: number)
print("held")
import os; os._exit(0)
"""


@pytest.mark.soak
def test_too_long_work_is_stopped_while_the_event_loop_continues(redis_url):
    run = subprocess.run(
        [sys.executable, "-c", STUCK, redis_url], capture_output=True, text=True, timeout=120, check=False
    )

    assert (0, "held") == (run.returncode, run.stdout.strip()), run.stderr


ROUTES = """
from gevent import monkey
monkey.patch_all()
import os
from service.core.http.context.offload import ReadContext, ThreadOffload
from service.core.http.context.app import EXTENSION
from service.core.positions import cache as positions
from service.features.pictures import api
from service.features.score_timeline import api
from service.store.redis.store import open_store
from domain.registry import GAMES
from tests.core.http.conftest import World

world = World()
house = world.app.extensions[EXTENSION]
ash = world.player()
made = ash.make_game("battalia", sandbox={})["id"]
ash.join(made)
ash.start(made)
def elsewhere():
    # gevent's connections belong to the thread that opened them.
    return open_store(house.store.wire.url)
object.__setattr__(house, "offload", ThreadOffload(ReadContext(house.store, house.positions), elsewhere, 0.5))
def for_ever(*_):
    while True:
        pass
positions.Positions.refresh = positions.Positions.read_at = for_ever
pictures.replay = score_timeline.replay = for_ever
type(GAMES["battalia"].presentation).board = for_ever
base = f"/v1/games/{made}"
asked = {
    "options": lambda: ash.get(f"{base}/options"),
    "dry run": lambda: ash.send(made, {"type": "end_turn"}, dry_run="true"),
    "position": lambda: ash.get(f"{base}/position"),
    "fork": lambda: ash.post(f"{base}/fork", {}),
    "past": lambda: ash.get(f"{base}/view", at=1),
    "board": lambda: ash.get(f"{base}/board.svg"),
    "chart": lambda: ash.get(f"{base}/charts/points.svg"),
    "course": lambda: ash.get(f"{base}/course"),
}
for name, ask in asked.items():
    answer = ask()
    assert answer.status == 503, (name, answer.status, answer.body[:300])
    assert (503, "too-much-work") == (answer.status, answer.code), (name, answer.status, answer.body)
    assert int(answer.headers["Retry-After"]) > 0
print("held")
os._exit(0)
"""


@pytest.mark.soak
def test_every_computed_response_has_a_time_limit():
    run = subprocess.run([sys.executable, "-c", ROUTES], capture_output=True, text=True, timeout=120, check=False)

    assert (0, "held") == (run.returncode, run.stdout.strip()), run.stderr


# -- single limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", ["MOST", "MOST_BYTES"])
def test_options_beyond_either_limit_return_a_problem(world, monkeypatch, bound):
    game, ash, _ = world.table()
    monkeypatch.setattr(fitness, bound, 0)

    assert "too-many-options" == ash.get(f"/v1/games/{game}/options", want=409).code


def test_large_negative_number_exceeds_a_limit():
    state = table()
    document = {**orjson.loads(orjson.dumps(encode_state(state))), "day": -(10**12)}

    assert fitness.check_position(BATTALIA, setup_of(state), document).bound


def test_position_with_other_options_or_modules_than_its_game_is_invalid():
    state = table()
    document = orjson.loads(orjson.dumps(encode_state(state)))
    setup = setup_of(state)

    assert "" == fitness.check_position(BATTALIA, setup, document).wrong
    for other in (replace(setup, options={"none": "such"}), replace(setup, modules=("none such",))):
        assert "are not those of the game" in fitness.check_position(BATTALIA, other, document).wrong
