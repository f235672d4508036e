"""The games of a ladder at a running service: made, watched until they are over, and cleared away if they never are."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from domain.terms import Seat
from service.cli.terminal.client import ApiError
from tools.ladder.entrants import Entrant
from tools.ladder.watching import ABSENT, Limits, Watched, forfeited_before
from tools.load.accounts import Account
from tools.load.line import LATER, Answer, Line
from tools.simulation.figures import Result

LOOKS = 0.3
"""Seconds between two looks at the games under way."""
STOOD_IN = "stand_in_answered"
"""The type of the line of history that tells of an answer which another bot gave for one that thinks."""
AWAY = 300.0
"""Seconds for which a service that is away, or answers for somebody who is, is waited for."""
_PAUSE = 1.0
_GONE = (0, 502, 503, 504)
"""What `ApiError.status` is then; 0: there was no answer at all."""
_NO_MORE = (401, 403, 429)
"""Statuses after which an entrant is none for now: its token is void, or its program asks more than an account may."""
_UNHEARD = "too-many-refusals"
"""The code of the problem of a seat that has had too much refused."""
SILENT = 3
"""So many games forfeited by an entrant that has never said a word anywhere, and the ladder ends."""


class NobodyPlays(RuntimeError):
    """An entrant's program does not seem to run."""


class _Unseated(Exception):
    """Entrants that do not take their seats, or have left them again: their names."""


@dataclass(frozen=True, slots=True)
class HostedPlan:
    """Games that differ in nothing but who sits where."""

    body: Mapping[str, Any]
    """What `POST /v1/games` is told of each of them."""
    games: int
    """How many each two play that meet."""
    at_once: int
    limits: Limits

    def meetings(self, bots: Sequence[str], entrants: Sequence[str]) -> Iterator[Sequence[str]]:
        """Who sits where in each game: every entrant with every bot, and at a table for two with every other entrant.

        At a larger table an entrant, which is one player and has one seat, is alone among seats of the bot.
        """
        seats: int = self.body["seats"]
        pairs = [(entrant, bot) for entrant in entrants for bot in bots]
        if seats == 2:
            pairs += combinations(entrants, 2)
        for number in range(self.games):
            for one, other in pairs:
                place = number % seats
                yield [one if seat == place else other for seat in range(seats)]


class Tables:
    """All of them. The games are made by the host's account, which sits in none."""

    def __init__(
        self,
        line: Line,
        host: Account,
        plan: HostedPlan,
        entrants: Sequence[Entrant],
        thinking: frozenset[str] = frozenset(),
    ) -> None:
        """``thinking``: the bots that another may have to answer for."""
        self._line, self._host, self._plan, self._thinking = line, host, plan, thinking
        self._entrants = {each.name: each.account for each in entrants}
        self._running: dict[str, Watched] = {}
        self._unended: dict[str, Watched] = {}
        self._made = 0
        self._away = AWAY
        self._silent: Counter[str] = Counter()
        self._spoke: set[str] = set()

    def play(self, sittings: Iterator[Sequence[str]], now: Callable[[], float] = time.monotonic) -> Iterator[Result]:
        """What each game counts as, as they come to their end; raises `ApiError`, and `NobodyPlays` where it is in vain."""
        waiting = True
        while waiting or self._running:
            while waiting and len(self._running) < self._plan.at_once:
                sitting = next(sittings, None)
                waiting = sitting is not None
                if sitting is not None:
                    try:
                        self._open(sitting, now())
                    except _Unseated as error:
                        yield forfeited_before(self._made, sitting, error.args)
                        self._made += 1
            for game in [*self._running.values()]:
                summary = self._summary(game.id)
                result = game.look(summary, now(), self._plan.limits, self._said(game, summary))
                if result is not None:
                    self._end(game)
                    yield replace(result, counts=self._stood_in(game))
                    self._notice(game, result)
            if self._running:
                time.sleep(LOOKS)

    def clear(self) -> None:
        """End the games that are still under way, if the service is there."""
        self._away = 0.0
        for game in [*self._running.values(), *self._unended.values()]:
            self._end(game)

    @property
    def unended(self) -> Sequence[Watched]:
        """The games that go on, because their entrants may not say that they are to end."""
        return [*self._unended.values()]

    def _notice(self, game: Watched, result: Result) -> None:
        """Count the games of who has never said a word; raises `NobodyPlays` where they are too many."""
        absent = result.clause.split(", ") if result.reason == ABSENT else []
        self._spoke.update(game.sitting[seat - 1] for seat in game.heard)
        for name in absent:
            self._silent[name] += name not in self._spoke
            if self._silent[name] >= SILENT:
                raise NobodyPlays(
                    f"{name} has sent no command in {SILENT} games. Is its program running? It must look for its games"
                    " in GET /v1/me/turns."
                )

    def _open(self, sitting: Sequence[str], now: float) -> None:
        """Make a game and start it; what could not be started goes with the host's account. Raises `_Unseated`."""
        made = self._made_of("POST", "/v1/games", self._host, dict(self._plan.body))
        path = f"/v1/games/{made['id']}"
        self._stand_up(f"{path}/seats/1")
        try:
            self._seat(path, made["invitation"], sitting)
        except _Unseated:
            self._made_of("DELETE", path, self._host)  # of games that have not started an account has only so many
            raise
        own = {Seat(seat) for seat, name in enumerate(sitting, 1) if name in self._entrants}
        self._running[made["id"]] = Watched(self._made, made["id"], sitting, own, now)
        self._made += 1

    def _seat(self, path: str, invitation: str, sitting: Sequence[str]) -> None:
        """Seat everybody and start the game; raises `_Unseated`."""
        for seat, name in enumerate(sitting, 1):
            account = self._entrants.get(name)
            if account is None:
                self._made_of("POST", f"{path}/seats", self._host, {"bot": name, "seat": seat})
                continue
            try:
                self._made_of("POST", f"{path}/seats", account, {"invitation": invitation, "seat": seat})
            except ApiError as error:
                if error.status not in _NO_MORE:
                    raise
                raise _Unseated(name) from error
        try:
            self._made_of("POST", f"{path}/start", self._host)
        except ApiError as error:
            if error.code != "seats-open":
                raise
            rows = self._summary(path.rpartition("/")[2])["seats"]
            left = {sitting[row["seat"] - 1] for row in rows if row["player"] is None and row["bot"] is None}
            raise _Unseated(*sorted(left)) from error

    def _stand_up(self, path: str) -> None:
        """Leave the host's seat; that it is left already says an answer after one that was lost."""
        try:
            self._made_of("DELETE", path, self._host)
        except ApiError as error:
            if error.code != "not-seated":
                raise

    def _end(self, game: Watched) -> None:
        """Let go of a game; where it is not over, its entrants vote for its end, so that it asks them no more."""
        self._running.pop(game.id, None)
        self._unended.pop(game.id, None)
        said: Mapping[str, Any] = {"type": "call_vote", "kind": "abort"}
        for seat in sorted(game.entrants):
            if self._summary(game.id)["status"] == "over":
                return
            if not self._may_say(f"/v1/games/{game.id}", self._entrants[game.sitting[seat - 1]], said):
                self._unended[game.id] = game
                return
            said = {"type": "cast_vote", "agree": True}

    def _may_say(self, path: str, account: Account, command: Mapping[str, Any]) -> bool:
        """Send a command of an entrant's; False if it is not listened to, because too much of what it said was refused."""
        headers = {"Idempotency-Key": secrets.token_hex(16), "Prefer": "wait=10"}
        for later in (_GONE, LATER):  # that lasts for minutes, and is not waited for
            try:
                answer = self._ask("request", "POST", f"{path}/commands", account.token, command, headers, later)
            except ApiError as error:
                if error.status not in _NO_MORE:
                    raise
                return False
            if answer.code == _UNHEARD or answer.status in (401, 403):
                return False
            if answer.status not in LATER:
                break
        return True

    def _stood_in(self, game: Watched) -> Mapping[str, int]:
        """For each bot of the table that thinks, how often another has answered for it."""
        if self._thinking.isdisjoint(game.sitting):
            return {}
        lines = [line for entry in self._entries(game.id, 0, self._host) for line in entry["lines"]]
        return Counter(line["instead_of"] for line in lines if line["type"] == STOOD_IN)

    def _said(self, game: Watched, summary: Mapping[str, Any]) -> Mapping[Seat, bool]:
        """See `Watched.look`: as each of them reads it, since only they are told of what was refused."""
        said: dict[Seat, bool] = {}
        for seat in game.unclear(summary):
            try:
                for entry in self._entries(game.id, game.seen, self._entrants[game.sitting[seat - 1]]):
                    if entry["seat"] == seat and entry["seq"] <= summary["seq"]:
                        said[seat] = said.get(seat, False) or "refusal" not in entry
            except ApiError as error:
                if error.status not in _NO_MORE:
                    raise  # else nothing is known of it, and its time goes on
        return said

    def _entries(self, game_id: str, after: int, reader: Account) -> Iterator[Mapping[str, Any]]:
        """What has happened in a game after a commit, as somebody may read it."""
        more = True
        while more:
            page = _good(self._ask("events", "GET", f"/v1/games/{game_id}/events?after={after}", reader.token))
            yield from page["events"]
            after, more = page["after"], page["more"]

    def _summary(self, game_id: str) -> Mapping[str, Any]:
        told: Mapping[str, Any] = _good(self._ask("game", "GET", f"/v1/games/{game_id}", self._host.token))
        return told

    def _made_of(self, method: str, path: str, account: Account, body: Any = None) -> Any:
        key = {"Idempotency-Key": secrets.token_hex(16)} if method == "POST" else {}
        return _good(self._ask("request", method, path, account.token, body, key))

    def _ask(
        self,
        what: str,
        method: str,
        path: str,
        token: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        later: Container[int] = LATER,
    ) -> Answer:
        """The answer. A service that is away is waited for, by which nobody's time runs out; raises `ApiError` where it does not come back."""
        began, was_away = time.monotonic(), False
        while True:
            try:
                answer = self._line.ask(what, method, path, token, body, headers, later)
            except ApiError as error:
                if error.status not in _GONE or time.monotonic() - began >= self._away:
                    raise
                was_away = True
                time.sleep(_PAUSE)
                continue
            if was_away:
                for game in self._running.values():
                    game.put_off(time.monotonic() - began)
            return answer


def _good(answer: Answer) -> Any:
    """What an answer says; raises `ApiError` for a problem."""
    if answer.status not in (200, 201, 202, 204):
        raise ApiError(answer.status, answer.json)
    return answer.json
