"""The games of a ladder at a running service: created, polled until they are over, and ended if they never are."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from domain.kernel.terms import Seat
from service.cli.terminal.client import ApiError
from tools.ladder.entrants import Entrant
from tools.ladder.watching import ABSENT, Limits, Watched, forfeited_before
from tools.load.accounts import Account
from tools.load.line import LATER, Answer, Line
from tools.simulation.figures import Result

LOOKS = 0.3
"""Seconds between two polls of the running games."""
STOOD_IN = "stand_in_answered"
"""Line type in the history of an answer that a fallback bot gave for a search bot."""
AWAY = 300.0
"""Seconds to wait for a service that is away."""
_PAUSE = 1.0
_GONE = (0, 502, 503, 504)
"""`ApiError.status` while the service is away; 0: no response."""
_NO_MORE = (401, 403, 429)
"""Statuses after which an entrant cannot play for now: its token is void, or its program exceeds the rate limit."""
_UNHEARD = "too-many-refusals"
"""Problem code of a seat with too many refusals."""
SILENT = 3
"""Number of games forfeited by an entrant without any command ever, after which the ladder ends."""


class NobodyPlays(RuntimeError):
    """An entrant's program does not seem to run."""


class _Unseated(Exception):
    """Names of entrants that did not take their seats, or left them."""


@dataclass(frozen=True, slots=True)
class HostedPlan:
    """Games that differ only in their seating."""

    body: Mapping[str, Any]
    """The body of `POST /v1/games`."""
    games: int
    """Number of games for each pair."""
    at_once: int
    limits: Limits

    def meetings(self, bots: Sequence[str], entrants: Sequence[str]) -> Iterator[Sequence[str]]:
        """The seating of each game: every entrant with every bot, and at a table for two with every other entrant.

        At a larger table an entrant, which is one player with one seat, plays against several seats of the bot.
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
    """All games of the ladder. The host's account creates them and plays in none."""

    def __init__(
        self,
        line: Line,
        host: Account,
        plan: HostedPlan,
        entrants: Sequence[Entrant],
        thinking: frozenset[str] = frozenset(),
    ) -> None:
        """``thinking``: the search bots, for which fallback bots may answer."""
        self._line, self._host, self._plan, self._thinking = line, host, plan, thinking
        self._entrants = {each.name: each.account for each in entrants}
        self._running: dict[str, Watched] = {}
        self._unended: dict[str, Watched] = {}
        self._made = 0
        self._away = AWAY
        self._silent: Counter[str] = Counter()
        self._spoke: set[str] = set()

    def play(self, sittings: Iterator[Sequence[str]], now: Callable[[], float] = time.monotonic) -> Iterator[Result]:
        """Yield the result of each game when it is over; raises `ApiError`, and `NobodyPlays` if an entrant never plays."""
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
        """End the running games, if the service is available."""
        self._away = 0.0
        for game in [*self._running.values(), *self._unended.values()]:
            self._end(game)

    @property
    def unended(self) -> Sequence[Watched]:
        """The games that continue, because their entrants can no longer vote to end them."""
        return [*self._unended.values()]

    def _notice(self, game: Watched, result: Result) -> None:
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
        """Create and start a game; one that did not start is deleted with the host's account. Raises `_Unseated`."""
        made = self._made_of("POST", "/v1/games", self._host, dict(self._plan.body))
        path = f"/v1/games/{made['id']}"
        self._stand_up(f"{path}/seats/1")
        try:
            self._seat(path, made["invitation"], sitting)
        except _Unseated:
            self._made_of("DELETE", path, self._host)  # an account may have only a limited number of unstarted games
            raise
        own = {Seat(seat) for seat, name in enumerate(sitting, 1) if name in self._entrants}
        self._running[made["id"]] = Watched(self._made, made["id"], sitting, own, now)
        self._made += 1

    def _seat(self, path: str, invitation: str, sitting: Sequence[str]) -> None:
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
        """Leave the host's seat; it may have been left by an earlier request whose response was lost."""
        try:
            self._made_of("DELETE", path, self._host)
        except ApiError as error:
            if error.code != "not-seated":
                raise

    def _end(self, game: Watched) -> None:
        """Stop watching a game; if it is not over, its entrants vote to end it, so that it asks them nothing more."""
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
        """Send an entrant's command; False if it is rejected because of too many refusals or an invalid token."""
        headers = {"Idempotency-Key": secrets.token_hex(16), "Prefer": "wait=10"}
        for later in (_GONE, LATER):  # too many refusals last for minutes, which is too long to wait
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
        if self._thinking.isdisjoint(game.sitting):
            return {}
        lines = [line for entry in self._entries(game.id, 0, self._host) for line in entry["lines"]]
        return Counter(line["instead_of"] for line in lines if line["type"] == STOOD_IN)

    def _said(self, game: Watched, summary: Mapping[str, Any]) -> Mapping[Seat, bool]:
        """See `Watched.look`. Reads the history as each seat, because only the seat sees its refused commands."""
        said: dict[Seat, bool] = {}
        for seat in game.unclear(summary):
            try:
                for entry in self._entries(game.id, game.seen, self._entrants[game.sitting[seat - 1]]):
                    if entry["seat"] == seat and entry["seq"] <= summary["seq"]:
                        said[seat] = said.get(seat, False) or "refusal" not in entry
            except ApiError as error:
                if error.status not in _NO_MORE:
                    raise  # otherwise unknown: its time continues
        return said

    def _entries(self, game_id: str, after: int, reader: Account) -> Iterator[Mapping[str, Any]]:
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
        """The response.

        Waits for a service that is away, without counting the time; raises `ApiError` if it does not return.
        """
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
    if answer.status not in (200, 201, 202, 204):
        raise ApiError(answer.status, answer.json)
    return answer.json
