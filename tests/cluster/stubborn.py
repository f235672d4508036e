"""Clients that play on during outages and remember everything that was acknowledged."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import requests

from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick
from tests.driver import Player, Remote

AWAY = (500, 502, 503, 504)


class Stubborn:
    """Plays nim against a bot; repeats each command with its own key until it gets an answer."""

    def __init__(self, instance, number):
        self.player, self.number = Player.register(Remote(instance.url)), number
        self.game = self.player.make_game("nim", 2)["id"]
        self.player.seat_bot(self.game, "random")
        self.player.start(self.game)
        self.answered: dict[str, int] = {}
        """The seq of each acknowledged command by its key; 0 if it was only queued."""
        self.told: list[tuple[str, str, int, str]] = []
        """Game, id, seq and head of each acknowledged command; 0 and an empty head while it is queued."""
        self.heads: dict[int, str] = {}
        self.refused: set[str] = set()
        self.sent, self.away = 0, 0
        self.failure = None

    def run(self, until):
        dice = Dice(bytes([self.number]) * 32)
        try:
            while not until.is_set():
                self.turn(dice, until)
        except Exception as error:  # noqa: BLE001 - raised by the code that waits for the thread
            self.failure = error

    def turn(self, dice, until):
        answer = self.patient(lambda: self.player.get(f"/v1/games/{self.game}/options"), until)
        offered = answer.json["options"] if answer is not None and answer.status == 200 else []
        if not offered:
            summary = self.patient(lambda: self.player.get(f"/v1/games/{self.game}"), until)
            if summary is not None and summary.status == 200 and summary.json["status"] == "over":
                self.over(until)
            until.wait(0.05)
            return
        self.sent += 1
        key = f"{self.number}-{self.sent}"
        told = pick([from_json(option) for option in offered], dice)
        came = self.patient(lambda: self.player.send(self.game, told, key=key), until)
        if came is None:
            return
        if came.status == 200 and came.json["status"] == "settled":
            self.answered[key] = came.json["seq"]
            seq, head = came.headers["Game-Head"].split()[:2]
            self.heads[int(seq)] = head
            self.told.append((self.game, came.json["id"], came.json["seq"], head))
        elif came.status == 202:
            self.answered[key] = 0
            self.told.append((self.game, came.json["id"], 0, ""))
        elif 400 <= came.status < 500:
            self.refused.add(came.code)

    def over(self, until):
        """Called when the game is over."""
        until.wait(0.2)

    def patient(self, ask, until):
        """Repeat a request until it gets an answer that is not about unavailable servers; None if the test ends first."""
        while True:
            try:
                answer = ask()
                # An earlier attempt with the same key may not have ended yet.
                if answer.status not in AWAY and not (answer.status == 409 and answer.code == "in-progress"):
                    return answer
                assert answer.status in (409, 503), answer.text
            except requests.RequestException:
                pass
            self.away += 1
            if until.wait(0.1):
                return None


class Restless(Stubborn):
    """Starts another game when one is over, and repeats requests whenever the servers are unavailable."""

    def __init__(self, instance, number):
        super().__init__(instance, number)
        self.games = [self.game]

    def over(self, until):
        key, path = {"Idempotency-Key": f"{self.number}-{len(self.games)}"}, "/v1/games"
        made = self.patient(lambda: self.player.post(path, {"kind": "nim", "seats": 2}, headers=key), until)
        if made is None:
            return
        assert made.status == 201, made.text
        game = made.json["id"]
        for ask, body in (("seats", {"bot": "random"}), ("start", None)):
            self.patient(lambda ask=ask, body=body: self.player.post(f"{path}/{game}/{ask}", body), until)
        self.game = game
        self.games.append(game)


@contextmanager
def playing(stubborn):
    ended = threading.Event()
    threads = [threading.Thread(target=each.run, args=(ended,)) for each in stubborn]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    for each in stubborn:
        if each.failure is not None:
            raise each.failure


def count(stubborn):
    """Count the acknowledged commands."""
    return sum(len(each.answered) for each in stubborn)
