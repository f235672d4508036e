"""A ladder at a running service, from checking what it offers to cleaning up."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.ladder.entrants import check_offer, entered, host, seatable
from tools.ladder.tables import HostedPlan, Tables
from tools.ladder.watching import Limits
from tools.load.accounts import erased
from tools.load.line import Line
from tools.load.tally import Tally
from tools.simulation.figures import Result


@dataclass(frozen=True, slots=True)
class Wanted:
    kind: str
    bots: Sequence[str]
    """Empty: the first bot that the service offers, except the random one."""
    seats: int | None
    options: Mapping[str, Any]
    modules: Sequence[str]
    ruleset: str
    games: int
    at_once: int
    limits: Limits


class Hosted:
    """The ladder. Creating it raises `NotEntered`, playing it `NobodyPlays`, and both `ApiError`."""

    def __init__(self, url: str, code: str | None, given: Sequence[tuple[str, Path]], wanted: Wanted) -> None:
        self._line, self._code = Line(url, Tally()), code
        offer = check_offer(self._line, wanted.kind, wanted.bots)
        bots = wanted.bots or [name for name in offer["bots"] if name != "random"][:1] or offer["bots"][:1]
        self._entrants = entered(self._line, given, seatable(offer))
        self._thinking = frozenset(offer.get("search_bots", ()))
        seats = wanted.seats or max(2, min(offer["seats"]))
        body = {
            "kind": wanted.kind,
            "seats": seats,
            "options": dict(wanted.options),
            "modules": list(wanted.modules),
            "visibility": "unlisted",
            # Bots agree to every undo, and another entrant would have to decide on it.
            "table": {"undo": "off"},
            **({"ruleset": wanted.ruleset} if wanted.ruleset else {}),
        }
        self._plan = HostedPlan(body, wanted.games, wanted.at_once, wanted.limits)
        entrants = [each.name for each in self._entrants]
        self._sittings = list(self._plan.meetings(bots, entrants))
        self._tables: Tables | None = None
        self.names = (*bots, *entrants)
        """All names on the ladder, the reference first."""
        self.count = len(self._sittings)
        """Number of games."""
        ruled = wanted.ruleset or offer["rulesets"][0]
        self.title = f"{offer['title']}, {', '.join((f'{seats} seats', ruled, *wanted.modules))}, at {url}"

    def remarks(self) -> list[str]:
        """Sentences for the report on games that could not be ended."""
        unended = () if self._tables is None else self._tables.unended
        return [
            f"{' and '.join(each.sitting[seat - 1] for seat in sorted(each.entrants))} cannot vote any longer to end game "
            f"{each.id}, so it continues."
            for each in unended
        ]

    def results(self) -> Generator[Result, None, None]:
        """Yield the result of each game; then end all running games and delete the account that created them."""
        account = host(self._line, self._code)
        tables = self._tables = Tables(self._line, account, self._plan, self._entrants, self._thinking)
        try:
            yield from tables.play(iter(self._sittings))
        finally:
            try:
                tables.clear()
            finally:
                erased(self._line, [account])
                self._line.close()
