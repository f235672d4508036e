"""The result of a load test, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tools.load.checking import Checked
from tools.load.plan import LoadPlan
from tools.load.playing import ACCEPTED, COMMITTED, SETTLED
from tools.load.tally import Tally, percentiles
from tools.load.watching import TOLD

ORDER = (SETTLED, ACCEPTED, TOLD, "view 200", "view 304", "options", "command", "game")
"""The listed times, in this order."""

WORDS = {
    SETTLED: "submit to settled",
    ACCEPTED: "submit to accepted",
    TOLD: "submit to stream event",
    "view 200": "GET view, 200",
    "view 304": "GET view, 304",
    "options": "GET options",
    "command": "POST command",
    "game": "GET game",
}

HINTS = {
    "too-many-requests": "The request limit was reached. Start the service with ORACLEWHEEL_RATE_REQUESTS=0, or use more --accounts.",
    "stream-429": "The stream limit was reached. Start the service with ORACLEWHEEL_STREAMS_ACCOUNT=0 and ORACLEWHEEL_STREAMS_ADDRESS=0.",
    "too-many-lobbies": "The limit of open games was reached. Start the service with ORACLEWHEEL_LOBBIES=0, or use more --accounts.",
}


@dataclass(frozen=True, slots=True)
class Report:
    plan: LoadPlan
    broken_off: bool
    """By Ctrl-C."""
    people: Tally
    """Times of creating and deleting the accounts."""
    making: Tally
    playing: Tally
    ending: Tally
    games: int
    """Number of created games."""
    over: int
    """Number of games that ended by themselves."""
    refused: int
    behind: float
    found: Checked
    kept: bool
    accounts_left: int
    cores: Mapping[str, float]
    """CPU seconds of the service by role during the play; empty if it is on another machine."""
    own: float
    """CPU seconds of this process during the play."""
    load: tuple[float, float]
    """The machine's load average of one minute, before and after."""

    @property
    def commands(self) -> int:
        return self.playing.count(SETTLED)

    @property
    def rate(self) -> float:
        """Settled commands per second."""
        return self.commands / max(self.playing.seconds, 1e-9)

    @property
    def requests(self) -> int:
        return sum(len(times.took) for what, times in self.playing.times.items() if _sent(what))

    @property
    def right(self) -> bool:
        return self.found.right

    def document(self) -> dict[str, Any]:
        """As JSON; all times in seconds."""
        took = {
            what: {"count": len(times.took), **percentiles(times.took)} for what, times in self.playing.times.items()
        }
        return {
            "plan": self.plan.document(),
            "broken_off": self.broken_off,
            "seconds": self.playing.seconds,
            "commands": self.commands,
            "commands_per_second": self.rate,
            "requests_per_second": self.requests / max(self.playing.seconds, 1e-9),
            "times": took,
            "making": {"games": self.making.count(COMMITTED), "seconds": self.making.seconds},
            "ending": {"seconds": self.ending.seconds},
            "games": self.games,
            "games_over": self.over,
            "refused": self.refused,
            "behind": self.behind,
            "errors": {name: dict(tally.faults) for name, tally in self._stages()},
            "checked": asdict(self.found),
            "right": self.right,
            "accounts_left": self.accounts_left,
            "core_seconds": dict(self.cores),
            "own_core_seconds": self.own,
            "load_average": list(self.load),
        }

    def text(self) -> str:
        """For a terminal."""
        rows = list(self._rows())
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:{width}}  {text}" for name, text in rows]
        return "\n".join([*lines, *self._remarks()])

    def _stages(self) -> tuple[tuple[str, Tally], ...]:
        return (
            ("signing up", self.people),
            ("making", self.making),
            ("playing", self.playing),
            ("ending", self.ending),
        )

    def _rows(self) -> Iterator[tuple[str, str]]:
        plan, seconds = self.plan, self.playing.seconds
        how = f"{plan.rate:g} commands/s" if plan.rate else "as fast as possible"
        yield "load", f"{plan.games} games in parallel of {', '.join(plan.kinds)}, {plan.clients} clients, {how}"
        yield "played for", f"{seconds:.1f} s" + (" (stopped early)" if self.broken_off else "")
        yield (
            "games",
            f"{self.making.count(COMMITTED)} created in {self.making.seconds:.1f} s, then played; {self.over} ended and were replaced",
        )
        yield (
            "commands",
            f"{self.commands} settled, {self.rate:.1f}/s; {self.refused} of them refused by the rules",
        )
        yield "requests", f"{self.requests / max(seconds, 1e-9):.1f}/s"
        for what in ORDER:
            if self.playing.count(what):
                found = percentiles(self.playing.times[what].took)
                text = ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in found.items())
                yield WORDS[what], f"{self.playing.count(what)}: {text}"
        for name, tally in self._stages():
            if tally.faults:
                yield f"errors while {name}", ", ".join(f"{code} {count}" for code, count in tally.faults.most_common())
        yield "checked", _told(self.found)
        if self.cores:
            spent = ", ".join(f"{name} {value / seconds:.2f}" for name, value in sorted(self.cores.items()))
            yield "cores in use", f"{spent}; these clients {self.own / seconds:.2f}"
        yield "load average", f"{self.load[0]:.1f} before, {self.load[1]:.1f} after"

    def _remarks(self) -> Iterator[str]:
        if self.behind > 1:
            yield f"The clients were up to {self.behind:.1f} s behind the rate. Use more --clients or a lower --rate."
        codes = {code for _, tally in self._stages() for code in tally.faults}
        yield from (hint for code, hint in HINTS.items() if code in codes)
        if self.kept:
            yield "Games and accounts were kept."
        elif self.accounts_left:
            yield f"{self.accounts_left} accounts could not be deleted."
        if not self.right:
            yield "FAILED: commands were lost or duplicated, or could not be checked."


def _told(found: Checked) -> str:
    return (
        f"{found.games} games with {found.acknowledged} acknowledged commands: {found.lost} lost, {found.twice} duplicated,"
        f" {found.strange} not sent by this test; {found.unanswered} never answered, {found.unchecked} games not checked"
    )


def _sent(what: str) -> bool:
    return what not in (SETTLED, ACCEPTED, TOLD, COMMITTED)
