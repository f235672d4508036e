"""The actions of all players in the month. They depend only on the time and the positions of the games."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from domain.kernel.dice import Aside
from domain.kernel.options import pick
from domain.kernel.terms import SYSTEM, Seat
from domain.table import bots
from domain.table.plans import ending
from domain.table.undo import KEY as UNDO
from service.core.pace.calendar import DAY, HOUR
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.features.plans.store import Plans
from tests.month.founding import SEATED, SOFIA, START
from tests.month.simulated import GRAIN
from tests.workers.planners import dreamt

HOURS = {"ada": "18:30", "bob": "21:30", "cyd": "07:30", "dan": "12:30", "eve": "22:10", "fay": "13:00"}
"""When each player opens their games, every day except Sunday."""

MOST = 5
"""The most commands in one game before a player ends their turn, if possible."""

AWAY = {"cyd": (9, 11), "dan": (11, 14)}
"""Days, counted from 1, without actions: Cyd is on vacation, and Fay sits in for Dan."""

GONE = 15
"""The day from which Bob no longer acts."""

BIRTHDAY = 2
"""The day of standing orders."""

UNDO_DAYS = {3: True, 4: True, 16: False, 17: False}
"""The days on which Ada requests an undo, and whether the others agree."""

VOTES = {5: ("dan", "more_time"), 13: ("ada", "abort"), 18: ("cyd", "pause"), 22: ("ada", "resume")}
LAST = {"hills": "abort", "lakes": "concede", "rivers": "concede", "history": "abort"}
"""The vote that ends each game on the last day."""


class Month:
    """A number of days in a service, from the first instant on."""

    def __init__(self, house, days):
        self.house, self.days = house, days
        self.facts = {
            game: house.reading(lambda store, game=game: load_game_config(store, game)) for game in house.games
        }
        self.positions = house.reading(Positions)
        self.steps, self.feeds, self.read, self.said = [], {}, [], {}

    # -- control flow
    # -------------------------------------------------------------------------------------------------------

    def play(self):
        """Play the whole month; afterwards every game is over."""
        self.subscribe()
        self.house.rest()
        calls = self.calls()
        while calls or self.running():
            due = self.house.upcoming()
            instants = [calls[0][0]] if calls else []
            instants += [] if due is None else [-(-due // GRAIN) * GRAIN]
            assert instants, "games go on and nothing is due"
            assert min(instants) < START + (self.days + 3) * DAY, f"still running: {self.running()}"
            if min(instants) > self.house.now:
                self.house.to(min(instants))
                self.steps.append(min(instants))
            self.house.rest()
            while calls and calls[0][0] <= self.house.now:
                _, doing, told = calls.pop(0)
                doing(*told)
                self.house.rest()

    def calls(self):
        """All scheduled actions: time, function and arguments."""
        found = []
        for day in range(1, self.days + 1):
            if day % 7:
                found += [(self.at(day, hour), self.look, (name, day)) for name, hour in HOURS.items()]
            found.append((self.at(day, "12:00"), self.noon, (day,)))
        found.append((self.at(self.days, "23:00"), self.call_the_last_vote, ()))
        for place, name in enumerate(HOURS):
            found.append((self.at(self.days, f"23:{place}0"), self.answers, (name, self.days)))
        return sorted(found, key=lambda each: each[0])

    def at(self, day, time):
        first = datetime.fromtimestamp(START / 1000, ZoneInfo(SOFIA)).date()
        then = datetime.fromisoformat(f"{first + timedelta(days=day - 1)} {time}").replace(tzinfo=ZoneInfo(SOFIA))
        return int(then.timestamp() * 1000)

    # -- state of the games
    # ------------------------------------------------------------------------------------------------

    def running(self):
        return [game for game in self.house.games if self.lobby(game).status != "over"]

    def lobby(self, game):
        return self.house.reading(lambda store: store.lobbies.get(game))

    def position(self, game):
        return self.house.reading(lambda _: self.positions.refresh(self.facts[game]).position)

    def seats(self, game, name):
        """The seats that a player plays now, their own or as a sitter."""
        lobby = self.lobby(game)
        own = [Seat(number) for number, chair in enumerate(lobby.chairs, 1) if chair.holder == name]
        played = self.position(game).table.is_played
        return [*filter(played, own), *lobby.seating.sits_in(name, self.house.now)]

    def say(self, name, game, seat, command, where="commands"):
        """Send a command with one idempotency key per commit it may follow; returns whether the rules accepted it."""
        if seat is None and where in ("commands", "talk") and not self.seats(game, name):
            return False
        key = f"{name}-{game}-{self.position(game).seq}-{where}"
        answer = self.house.people.say(name, game, command, key, where, **({"seat": seat} if seat else {}))
        self.house.rest()
        self.said[command.get("type", where)] = self.said.get(command.get("type", where), 0) + (answer.status == 200)
        return answer.status == 200

    # -- actions of players
    # ------------------------------------------------------------------------------------------------

    def look(self, name, day):
        """A player opens their games: first requests of others, then turns, then plans."""
        first, last = AWAY.get(name, (0, 0))
        if first <= day <= last or (name == "bob" and day >= GONE):
            return
        self.answers(name, day)
        for game in self.running():
            self.take(name, game, day)
            for seat in self.seats(game, name):
                self.turn(name, game, seat, day)
                self.plan(name, game, seat)

    def answers(self, name, day):
        """Answer votes and undo requests."""
        for game in self.running():
            for seat in self.seats(game, name):
                for asked in self.position(game).asked:
                    question = asked.question
                    if question.seat != seat or question.serial >= 0 or self.lobby(game).status == "over":
                        continue
                    if question.kind == UNDO:
                        agree = UNDO_DAYS.get(day, UNDO_DAYS.get(day - 1, False))
                        self.say(
                            name,
                            game,
                            seat,
                            {"type": "answer_undo", "request": question.about["request"], "agree": agree},
                        )
                    elif question.kind == "vote":
                        ballot = self.position(game).table.memories["votes"].ballot
                        agree = ballot.kind != "abort" or day >= self.days
                        self.say(name, game, seat, {"type": "cast_vote", "agree": agree})

    def asked(self, game, seat):
        """The seat's pending questions of the game itself."""
        return [each for each in self.position(game).asked if each.question.seat == seat and each.question.serial >= 0]

    def turn(self, name, game, seat, day):
        """Submit some commands that a bot would choose, sometimes followed by an undo request."""
        for number in range(MOST):
            asked, position = self.asked(game, seat), self.position(game)
            if not asked or position.over:
                return
            played, kind = self.facts[game].game, asked[0].question.kind
            dice = Aside(f"{game} {position.seq} {seat}".encode())
            chosen = bots.choose(played, "greedy", position.state, seat, dice)
            if number == MOST - 1:
                chosen = ending(played, [kind]) or chosen
            self.say(name, game, seat, dict(chosen))
            if number == 0 and name == "ada" and day in UNDO_DAYS and self.lobby(game).status == "running":
                self.say(name, game, seat, {"type": "request_undo", "seq": position.seq + 1})

    def plan(self, name, game, seat):
        """Lay a plan, every other time, if the seat has no pending question."""
        position = self.position(game)
        lying = self.house.reading(lambda store: Plans(store).get(game, seat))
        if position.over or self.asked(game, seat) or (lying is not None and lying.waits):
            return
        if (position.seq + seat) % 3 == 0:
            return
        played = self.facts[game].game
        commands, kind = dreamt(played, position, seat, "greedy", MOST)
        if not commands or any(command["type"] in played.rules.unasked for command in commands):
            return
        ends = ending(played, [kind])
        condition = "unchanged" if (position.seq + seat) % 3 == 1 else "legal"
        then = "end_turn" if ends is not None and commands[-1] != ends else "wait"
        told = {"commands": commands, "if": condition, "then": then}
        person = self.house.people.of[name]
        answer = person.call("PUT", f"/v1/games/{game}/plan", told, seat=seat)
        assert answer.status in (200, 409, 422), answer.text
        self.said["plan"] = self.said.get("plan", 0) + (answer.status == 200)

    def take(self, name, game, day):
        """A player who lost their seat takes it again. Eve takes Bob's after he stops playing."""
        lobby = self.lobby(game)
        seat = SEATED.index("bob" if name == "eve" else name) + 1 if name != "fay" else 0
        if seat in lobby.seating.vacant and (name != "eve" or day >= GONE):
            self.say(name, game, None, {}, f"seats/{seat}/take")

    # -- single actions
    # ----------------------------------------------------------------------------------------------------

    def noon(self, day):
        """Actions that do not happen every day."""
        people = self.house.people.of
        if day == BIRTHDAY:
            self.order()
        if day in (2, 12, 20):
            self.talk(day)
        if day == 6:
            self.give()
        if day in VOTES:
            self.vote(*VOTES[day])
        if day == 3 and self.days > 8:
            begins, ends = self.at(AWAY["cyd"][0], "06:00"), self.at(AWAY["cyd"][1] + 1, "06:00")
            self.vacation("cyd", begins, ends)
        if day == AWAY["dan"][0] - 1:
            until = self.at(AWAY["dan"][1] + 1, "06:00")
            people["fay"].agrees_to_sit_for(people["dan"])
            for game in [each for each in self.running() if self.seats(each, "dan")]:
                told = {"player": "fay", "from": self.house.now + HOUR, "until": until}
                people["dan"].post(f"/v1/games/{game}/seats/4/sitter", told, want=200)
        if day % 7 == 0 or day == self.days:
            self.house.rest()
            self.read_feeds()

    def order(self):
        """Two standing orders for each seat."""
        for game in self.running():
            for name in ("ada", "bob", "cyd", "dan"):
                for seat in self.seats(game, name):
                    for number in range(2):
                        position, played = self.position(game), self.facts[game].game
                        dice = Aside(f"order {game} {seat} {number}".encode())
                        offered = [
                            each
                            for each in played.rules.legal(position.state, seat)
                            if each.type in played.rules.unasked
                        ]
                        if offered:
                            self.say(name, game, seat, dict(pick(offered, dice)))

    def talk(self, day):
        for game in self.running():
            self.say("ada", game, None, {"text": f"Good day {day} to all of you!"}, "talk")
            self.say("dan", game, None, {"text": f"Shall we, on day {day}?", "to": [1]}, "talk")

    def give(self):
        """A player with a running clock gets two hours from another."""
        for game in self.running():
            seats = [each.question.seat for each in self.position(game).asked if each.question.seat != SYSTEM]
            giver = "ada" if 1 not in seats else "dan"
            if seats and self.seats(game, giver):
                self.say(giver, game, None, {"type": "give_time", "seat": seats[0], "hours": 2})

    def vote(self, name, kind):
        for game in self.running():
            command = {"type": "call_vote", "kind": kind}
            if kind == "more_time":
                asked = [each.question.seat for each in self.position(game).asked if each.question.seat != SYSTEM]
                if not asked:
                    continue
                command |= {"seat": asked[0], "hours": 5}
            self.say(name, game, None, command)

    def vacation(self, name, begins, ends):
        """Announce a vacation, and check that it is stored. A repeated request after a lost response may get 422."""
        person = self.house.people.of[name]
        answer = person.post("/v1/me/vacations", {"from": begins, "to": ends})
        assert answer.status in (201, 422), answer.text
        assert [ends] == [each["to"] for each in person.get("/v1/me/vacations", want=200).json["vacations"]]
        self.house.rest()

    def call_the_last_vote(self):
        for game in self.running():
            kind = LAST[game]
            self.say(
                "ada", game, None, {"type": "call_vote", "kind": kind} | ({"seat": 4} if kind == "concede" else {})
            )

    # -- feeds --------------------------------------------------------------------------------------------------------

    def subscribe(self):
        """Create a feed of each kind."""
        wanted = {"ada": {"kind": "calendar"}, "dan": {"kind": "turns"}}
        wanted["cyd"] = {"kind": "game", "game": self.house.games[0]}
        for name, told in wanted.items():
            address = self.house.people.of[name].post("/v1/me/feeds", told, want=201).json["url"]
            self.feeds[name] = "/feeds/" + address.rpartition("/feeds/")[2]

    def read_feeds(self):
        for name, path in self.feeds.items():
            answer = self.house.people.site.call("GET", path, {}, None)
            assert answer.status == 200, answer.text
            self.read.append((self.house.now, name, re.sub(r"feed:f\w+", "…", answer.text)))
