"""The result of an audit: a status for each check, and the first divergence with its seq and clause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

CHECKS: Mapping[str, str] = {
    "AUD-01": "every line has the right format and is canonical",
    "AUD-02": "the last line has the right number of commits and the right digest",
    "AUD-03": "every commit header contains the head of the commit before it",
    "AUD-04": "every signature matches its key",
    "AUD-05": "the setup matches the first commit",
    "AUD-06": "the seed matches its commitment, and the dice key follows from it",
    "AUD-07": "every salt follows from the seed, and every digest from salt and body",
    "AUD-08": "dice and shuffles follow from the seed, and draws are counted",
    "AUD-09": "every command, decided again, gives the same events",
    "AUD-10": "the events lead to a valid position",
    "AUD-11": "stale commands were refused as stale, and no others",
    "AUD-12": "deadlines were recorded as requested, and none passed early",
    "AUD-13": "outcome and final score are right",
    "AUD-14": "a key or head you trust confirms the file",
    "AUD-15": "heads of the game are in the public log of heads",
    "AUD-16": "the given log of heads contains this game, and no other version of it",
}
"""Every check and its description, in the order of the report; docs/audit.md explains each."""

AFTER_THE_END = ("AUD-05", "AUD-06", "AUD-07", "AUD-08", "AUD-09", "AUD-10", "AUD-11", "AUD-12", "AUD-13")
"""The checks that need the bodies and the seed, which are secret until the game ends."""


def escape_control_characters(text: str) -> str:
    """The text with unprintable characters escaped, so that a file cannot control a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


Status = Literal["ok", "failed", "open", "skipped"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """A fault in a file."""

    check: str
    what: str
    seq: int | None = None
    line: int | None = None
    rule: str | None = None
    """The clause of the game's rules that the commit is about, if there is one."""

    def __str__(self) -> str:
        where = [f"seq {self.seq}"] if self.seq is not None else []
        where += [f"line {self.line}"] if self.line is not None and self.seq is None else []
        where += [f"rule {self.rule}"] if self.rule is not None else []
        return escape_control_characters(f"{self.check}: {', '.join(where) or 'the file'}: {self.what}")


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of an audit."""

    statuses: Mapping[str, Status]
    divergences: tuple[Divergence, ...] = ()
    """The first divergence of each check, in the order of discovery."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """A remark on a check, by its id."""
    is_authenticated: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    """About the game: ``game``, ``kind``, ``ruleset``, ``commits``, ``refusals``, ``faults``, ``draws``, ``outcome``.
    """
    unvouched: tuple[str, ...] = ()
    """The reason for each given anchor that does not vouch for the whole file."""

    @property
    def is_ok(self) -> bool:
        return not self.divergences

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        if self.divergences:
            return f"DIVERGES: {self.divergences[0]}"
        tail = ""
        if self.facts.get("status") != "over":
            tail = f" as far as a running game can be checked: a prefix up to seq {self.facts.get('commits')}"
        if self.facts.get("form") == 1:
            tail += "; set-up not bound"
        if self.facts.get("sandbox"):
            tail += "; a sandbox, which proves nothing"
        if self.statuses["AUD-12"] == "skipped":
            tail += "; deadlines not all checked"
        if self.statuses["AUD-16"] == "skipped" and "AUD-16" in self.notes:  # only the log can reveal a stolen key
            tail += "; the log of heads that was given does not vouch for it"
        if faults := self.facts.get("faults"):
            tail += f"; {faults} command{'s'[: faults > 1]} with rules-fault, not decided again"
        return ("authenticated" if self.is_authenticated else "self-consistent, not authenticated") + tail

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.is_ok,
            "authenticated": self.is_authenticated,
            "unvouched": list(self.unvouched),
            "verdict": self.verdict,
            "facts": dict(self.facts),
            "checks": [
                {"id": id_, "title": title, "status": self.statuses[id_], "note": self.notes.get(id_)}
                for id_, title in CHECKS.items()
            ],
            "divergences": [
                {"check": d.check, "seq": d.seq, "line": d.line, "rule": d.rule, "what": d.what}
                for d in self.divergences
            ],
        }
