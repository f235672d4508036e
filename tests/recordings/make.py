"""Record complete games: `python -m tests.recordings.make NAME…`, or `oraclewheel simulate --record DIR`.

Recordings never change: an existing file is not overwritten.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from service.audit.auditor import audit
from tests.absence import Absences
from tests.pennies import PENNIES
from tests.recordings.by_post import RECORDINGS as BY_POST
from tests.table.undo.whole import Wavering
from tools.simulation.selfplay import SECOND, SelfPlay

HERE = Path(__file__).parent
KNOWN = {**GAMES, PENNIES.key: PENNIES}
HOUR = 3600 * SECOND


def table(kind, seed, controllers, ruleset="", pace=None, script=None, modules=(), player=SelfPlay, **options):
    """A game about to begin. `player` is the class that chooses the commands of its seats."""
    game = KNOWN[kind]
    digest = hashlib.sha256("/".join((seed, *modules)).encode()).digest()
    setup = Setup(len(controllers), ruleset or game.rules.rulesets[0], options, tuple(modules))
    return player(game, setup, controllers, digest, f"{kind}-{digest.hex()[:12]}", script, pace)


def shortest(kind, reason, tries, controllers, **options):
    """The shortest of many games of bots that ends for this reason."""
    best = None
    for number in range(tries):
        game = table(kind, f"{reason}/{number}", controllers, **options)
        game.run(2000 if best is None else best.position.seq)
        if game.over and game.position.table.outcome.reason == reason:
            best = game
    assert best is not None, f"none of {tries} games ends for {reason}"
    return best


def quarrelsome(kind, seed, controllers, resigns=60, **options):
    """Players that also send wrong, late and stale commands, with deadlines, a resignation and standing orders."""
    game = table(kind, seed, controllers, pace={"mode": "per_question", "hours": 24}, **options)
    dice = Dice(hashlib.sha256(seed.encode() + b"/quarrels").digest())
    game.begin()
    while not game.over:
        asked = game.position.asked[dice.below(len(game.position.asked))]
        seat = asked.question.seat
        if seat == SYSTEM or game.position.table.controller(seat) != "player":
            game.step()
            continue
        match dice.below(24):
            case 0:
                game.say(seat, {"type": "no_such_thing"})
            case 1:
                game.say(seat, {**game.choice(asked), "surplus": 1})
            case 2:
                game.say(seat, game.choice(asked), expected=max(0, game.position.etag(seat) - 1))
            case 3:
                others = [n for n in range(1, len(controllers) + 1) if n != seat]
                game.say(Seat(dice.choose(others)), game.choice(asked))
            case 4:
                game.now = max(game.now, asked.due or 0) + HOUR
                game.say(SYSTEM, {"type": "expire", "question": asked.id})
                game.say(SYSTEM, {"type": "expire", "question": "1:0:1"})
            case 5:
                game.say(SYSTEM, {"type": "put_off", "question": asked.id, "by": 6 * HOUR})
            case 6 if game.position.seq > resigns and seat == len(controllers):
                game.say(seat, {"type": "resign"})
            case 7 if game.game.rules.unasked:
                giver = Seat(1 + dice.below(len(controllers)))
                options = game.game.rules.legal(game.position.state, giver)
                game.say(giver, pick([option for option in options if option.type in game.game.rules.unasked], dice))
            case _:
                game.say(seat, game.choice(asked), expected=game.position.etag(seat))
    return game


def disputed(kind, tries, controllers, **options):
    """The first of many short quarrels with every event and refusal that a table can cause by itself."""
    wanted = ("deadline_passed", "deadline_put_off", "seat_resigned", "stale", "malformed", "already-answered")
    for number in range(tries):
        game = quarrelsome(kind, f"disputed/{number}", controllers, resigns=8, **options)
        export = game.export()
        if all(f'"{word}"'.encode() in export for word in (*wanted, "not-your-turn")):
            return game
    raise AssertionError(f"none of {tries} quarrels has everything")


def ordered(tries, controllers, **options):
    """The first of many quarrels over Battalia in which standing orders are given, withdrawn and followed."""
    for number in range(tries):
        game = quarrelsome("battalia", f"orders/{number}", controllers, **options)
        export = game.export()
        if all(f'"type":"order_{word}"'.encode() in export for word in ("given", "withdrawn", "followed")):
            return game
    raise AssertionError(f"in none of {tries} quarrels are orders followed")


def by_the_calendar(seed, controllers, **options):
    """Days end at 18:00 in Sofia. Seat 1 does not move every other day, and on days 4 and 5 no seat moves."""
    pace = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}
    game = table("battalia", seed, controllers, pace=pace, **options)
    game.begin()
    while not game.over:
        asked = game.position.asked[0]
        day, seat = asked.question.about["day"], asked.question.seat
        if seat != SYSTEM and (day in (4, 5) or (seat == 1 and day % 2)):
            game.now = max(game.now, asked.due + 2 * 24 * HOUR if day == 4 else asked.due)
            game.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            game.step()
    return game


class Hunt(SelfPlay):
    """Seat 1 hunts, the others only suffer, so that one player is left alone at a table of Battalia (END-05).

    The hunter builds and moves toward the pieces of the others and takes them. Then it lays cards only on the edge of
    the map, where the landless could begin again (END-03). It does not change its own cities.
    """

    def choice(self, asked):
        seat = asked.question.seat
        options = list(self.game.rules.legal(self.position.state, seat))
        if seat != 1:
            plain = [option for option in options if not option.fixed and not option.open]
            return pick(plain or options, self.aside)
        tries = [pick(options, self.aside) for _ in range(60)]
        return max(tries, key=self._worth)

    def _worth(self, command):
        state = self.position.state
        prey = {name for name, city in state.cities.items() if city.owner > 1}
        prey |= {hero.square for hero in state.heroes.values() if hero.seat > 1 and hero.square}
        away = self._ways(prey)
        mine = [name for name, city in state.cities.items() if city.owner == 1]
        reached = any(name in away for name in mine)
        match command["type"]:
            case "step" if "units" in command:
                ranks = ("frimen", "chief", "priest", "lord")
                strength = sum(ranks.index(card.split("-")[0]) + 1 for card in command["units"])
                if command["to"] not in prey and (not reached or away.get(command["to"]) is None):
                    return -50
                needed = 9 if command["to"] == state.centre else 3 if command["to"] in prey else 5
                return 50 + strength if strength >= needed else -50
            case "step":
                here = away.get(state.heroes[command["hero"]].square)
                there = away.get(command["to"])
                return -50 if here is None or there is None else 10 * (here - there)
            case "build_road" if not prey:
                open_to = [n for way in command["exits"] if (n := beside(command["square"], way)) not in state.board]
                ways = sum(self._on_map(square) and self._on_edge(square) for square in open_to)
                return 20 + 3 * ways if self._on_edge(command["square"]) else 3 * ways - 4
            case "build_road":
                if reached:
                    return -50
                open_to = [n for way in command["exits"] if (n := beside(command["square"], way)) not in state.board]
                return 16 - min((far(n, p) for n in open_to for p in prey), default=16)
            case "upgrade_city" | "rebuild_city" | "found_city" | "hide_card" | "pitch_tent" | "mulligan":
                return -50
            case "hire_unit" | "take_supply" | "take_artefact":
                return self.aside.below(4)
            case _:
                return 1

    def _ways(self, prey):
        """The number of steps by road from every square to the prey."""
        board = self.position.state.board
        away = dict.fromkeys(prey & board.keys(), 0)
        for square in (queue := list(away)):
            for way in board[square].exits:
                there = beside(square, way)
                if there in board and there not in away and BACK[way] in board[there].exits:
                    away[there] = away[square] + 1
                    queue.append(there)
        return away

    def _on_map(self, square):
        state = self.position.state
        return "A" <= square[0] <= chr(64 + state.columns) and 1 <= int(square[1:]) <= state.rows

    def _on_edge(self, square):
        state = self.position.state
        last = f"{chr(64 + state.columns)}", str(state.rows)
        return square[0] in ("A", last[0]) or square[1:] in ("1", last[1])


class Collect(SelfPlay):
    """Greedy players who take from the ruins what bots rarely take or play: the Wings of Aviena, the Hand of Luut."""

    def choice(self, asked):
        for option in self.game.rules.legal(self.position.state, asked.question.seat):
            wanted = [card for card in ("great-wings", "great-hand") if card in self.position.state.great]
            if option.type == "take_spoils" and wanted:
                return {"type": "take_spoils", "card": wanted[0]}
            if option.type == "spread_wings":
                return pick([option], self.aside)
        return super().choice(asked)


BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}


def beside(square, way):
    """The next square in a direction, on the map or off it."""
    column, row = ord(square[0]), int(square[1:])
    return f"{chr(column + (way == 'E') - (way == 'W'))}{row + (way == 'S') - (way == 'N')}"


def far(one, other):
    """The distance of two squares in single steps, ignoring roads."""
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:]))


def treasured(tries=60):
    """The first short game in which both treasures are played."""
    for number in range(tries):
        play = table("battalia", f"treasures/{number}", ("player:greedy",) * 2, player=Collect, max_weeks=2)
        play.run()
        if all(f'"type":"{name}"'.encode() in play.export() for name in ("wings_spread", "hand_reached")):
            return play
    raise AssertionError(f"nobody plays both treasures in {tries} games")


def left_alone(tries=6):
    """The shortest hunt that leaves the hunter alone."""
    best = None
    for number in range(tries):
        hunt = table("battalia", f"hunt/{number}", ("player:random",) * 2, player=Hunt, movement="advanced")
        hunt.run(3000 if best is None else best.position.seq)
        if hunt.over and hunt.position.table.outcome.reason == "alone":
            best = hunt
    assert best is not None, f"nobody was left alone in {tries} hunts"
    return best


GREEDY, RANDOM = "bot:greedy", "bot:random"
MODULES = ("stormgates", "rammoth", "armamentum", "keeper", "unbound_buff")
"""All modules of Battalia that are recorded together."""


def wavering(kind, seats, seed, modules=(), **told):
    """A game with random undos (`tests.table.undo`)."""
    game = KNOWN[kind]
    play = Wavering(game, game.rules.check(Setup(seats, "", {}, tuple(modules))), seed, **told)
    play.run()
    return play.play


RECORDINGS: dict[str, Callable[[], SelfPlay]] = {
    "pennies-points": lambda: shortest("pennies", "points", 5, (GREEDY, RANDOM, RANDOM)),
    "pennies-quarrel": lambda: quarrelsome("pennies", "quarrel", ("player:random",) * 3, points=12),
    "battalia-2-cities": lambda: shortest("battalia", "cities", 12, (GREEDY, GREEDY)),
    "battalia-2-full-map": lambda: shortest("battalia", "full-map", 30, (RANDOM, RANDOM)),
    "battalia-2-no-square": lambda: shortest("battalia", "no-square", 12, (RANDOM, RANDOM)),
    "battalia-2-alone": left_alone,
    "battalia-3-weeks": lambda: shortest("battalia", "weeks", 4, (GREEDY, RANDOM, RANDOM), max_weeks=1),
    "battalia-4-options": lambda: shortest(
        "battalia",
        "weeks",
        4,
        (RANDOM, GREEDY, RANDOM, RANDOM),
        max_weeks=1,
        quick_setup=False,
        movement="basic",
        victory_cities=4,
        neutral_strength=2,
        ruins_strength=10,
        unbound_units=True,
    ),
    "battalia-6-stormgates": lambda: shortest(
        "battalia", "weeks", 6, (GREEDY, RANDOM) * 3, modules=("stormgates",), max_weeks=2
    ),
    "battalia-3-rammoth": lambda: shortest("battalia", "cities", 12, (GREEDY,) * 3, modules=("rammoth",)),
    "battalia-2-armamentum": lambda: shortest("battalia", "full-map", 12, (GREEDY,) * 2, modules=("armamentum",)),
    "battalia-3-rammoth-armamentum": lambda: shortest(
        "battalia",
        "full-map",
        12,
        (GREEDY,) * 3,
        modules=("rammoth", "armamentum"),
        rammoth_difficulty="hard",
        armamentum_sets=2,
    ),
    "battalia-2-keeper": lambda: shortest("battalia", "keys", 20, (GREEDY, GREEDY), modules=("keeper",)),
    "battalia-3-keeper-weeks": lambda: shortest(
        "battalia", "weeks", 6, (GREEDY, RANDOM, GREEDY), modules=("keeper",), max_weeks=3
    ),
    "battalia-2-unbound-buff": lambda: shortest("battalia", "cities", 20, (GREEDY,) * 2, modules=("unbound_buff",)),
    "battalia-4-all": lambda: shortest("battalia", "keys", 12, (GREEDY,) * 4, modules=MODULES, teams=True),
    "battalia-4-all-quarrel": lambda: quarrelsome(
        "battalia", "quarrel/0", ("player:random",) * 4, modules=MODULES, max_weeks=4
    ),
    "battalia-2-treasures": treasured,
    "battalia-3-calendar": lambda: by_the_calendar("calendar", ("player:random", "player:greedy", RANDOM), max_weeks=1),
    "fronela-4-history": lambda: shortest("fronela", "history", 20, (GREEDY,) * 4),
    "fronela-4-quarrel": lambda: quarrelsome("fronela", "quarrel", ("player:random",) * 4),
    "pennies-quarrel-form-2": lambda: quarrelsome("pennies", "quarrel/form 2", ("player:random",) * 3, points=3),
    "battalia-3-calendar-form-2": lambda: by_the_calendar(
        "calendar/form 2", ("player:random", "player:greedy", RANDOM), max_weeks=1
    ),
    "nim-2-wins": lambda: shortest("nim", "last-object", 5, ("bot:expert", RANDOM)),
    "nim-2-loses": lambda: shortest("nim", "last-object", 5, (RANDOM, "bot:expert"), heaps=6, last_object="loses"),
    "nim-2-quarrel": lambda: disputed("nim", 500, ("player:random",) * 2, heaps=8),
    "battalia-2-quarrel": lambda: quarrelsome("battalia", "quarrel", ("player:random", "player:random"), max_weeks=2),
    "battalia-3-away": lambda: Absences("away 7", 3, max_weeks=4).run_all(),
    "battalia-3-orders": lambda: ordered(200, ("player:random",) * 3, modules=MODULES, max_weeks=3),
    "nim-2-undo": lambda: wavering("nim", 2, 7, one_in=3, until=60),
    "pennies-undo": lambda: wavering("pennies", 3, 4, one_in=4, until=60),
    "battalia-3-undo": lambda: wavering("battalia", 3, 5, ("rammoth", "armamentum"), bot="greedy", until=150),
    "fronela-4-undo": lambda: wavering("fronela", 4, 6, bot="greedy", until=120),
    **BY_POST,
}
"""How each recording of this folder was made."""


def main(names):
    """Make the recordings of these names, or all that are missing."""
    for name in names or RECORDINGS:
        path = HERE / f"{name}.ndjson"
        if path.exists():
            continue
        game = RECORDINGS[name]()
        export = game.export()
        report = audit(export, games=KNOWN)
        print(f"{name}: {game.position.seq} commits, {report.verdict}")
        if not report.is_ok:
            sys.exit(1)
        path.write_bytes(export)


if __name__ == "__main__":
    main(sys.argv[1:])
