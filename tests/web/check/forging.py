"""Forgeries of whole games of every kind, made by the audit tests' forger, which makes the rest of the file consistent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from domain.registry import GAMES
from service.core.catalog.draws import build_draw_documents
from tests.audit.forger import Forger

ELSEWHERE = "ab" * 32
Forge = Callable[[Forger], Any]


def another(value: Any) -> Any:
    """A different value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, dict):
        return {name: another(held) for name, held in value.items()}
    return [*value[1:], value[0]] if len(value) > 1 else [*value, "x"]


def changed(event: dict[str, Any], path: list[str]) -> bool:
    """Change the value to which a row of the table of draws points. Returns whether there is one."""
    step, *rest = path
    name = step.removesuffix("[]")
    held = event.get(name)
    if not held and held != 0:
        return False
    if rest:
        each = held[0] if step.endswith("[]") else held
        return changed(each, rest)
    if isinstance(held, dict):
        first = next(iter(held))
        held[first] = another(held[first])
    else:
        event[name] = another(held)
    return True


def drawn_otherwise(whole: Forger, type_: str, row: dict[str, Any]) -> bool:
    """Change the game's first value for this row of the table of draws. Returns whether there is one."""
    for commit in whole.commits:
        for event in commit["body"].get("events", ()):
            chosen = "where `answers` is 0" in row.get("text", "") and event.get("answers") != 0
            if event["type"] == type_ and not chosen and not (row["how"] == "choice" and event.get("by") != "lot"):
                if type_ == "battalia_begun" and row["field"] == "factions" and len(event["decks"]) > 2:
                    return False  # with more than two seats nothing is drawn
                return changed(event, row["field"].split("."))
    return False


def chances(kind: str) -> Iterator[tuple[str, Forge]]:
    """A forgery of each randomly drawn field."""
    for type_, rows in build_draw_documents(GAMES[kind].rules).items():
        for row in rows:
            yield f"{type_}.{row['field']}", lambda whole, type_=type_, row=row: drawn_otherwise(whole, type_, row)


def middle(whole: Forger) -> int:
    return len(whole.commits) // 2


def drew(whole: Forger) -> dict[str, Any]:
    """The body of a commit in the second half that has draws, if there is one."""
    bodies = [whole.body(seq) for seq in range(middle(whole), len(whole.commits) + 1)]
    return next((body for before, body in pairwise(bodies) if body["drawn"] > before["drawn"]), bodies[0])


def count(body: dict[str, Any], by: int) -> None:
    """Change the count of draws."""
    body["drawn"] += by


def both(whole: Forger, name: str, value: Any) -> None:
    """Change a value in the setup and in commit 1."""
    whole.setup[name] = value
    whole.body(1)["events"][0][name] = value


REST: dict[str, Forge] = {
    "a draw more": lambda w: count(drew(w), 1),
    "a draw less": lambda w: count(drew(w), -1),
    "scripted rolls of no sandbox": lambda w: w.body(middle(w)).update(rolled=1),
    "a commit left out": lambda w: w.commits.pop(middle(w)),
    "two commits in another order": lambda w: w.commits.insert(middle(w), w.commits.pop(middle(w) + 1)),
    "a commit twice": lambda w: w.commits.insert(middle(w), json.loads(json.dumps(w.commits[middle(w)]))),
    "a number in a header": lambda w: w.headers.update({middle(w): {"seq": 1}}),
    "an instant in a header": lambda w: w.headers.update({middle(w): {"at": 1}}),
    "a game in a header": lambda w: w.headers.update({middle(w): {"game": "other"}}),
    "a head in a header": lambda w: w.headers.update({middle(w): {"previous": ELSEWHERE}}),
    "a digest in a header": lambda w: w.headers.update({middle(w): {"digest": ELSEWHERE}}),
    "a salt": lambda w: w.salts.update({middle(w): ELSEWHERE}),
    "the first salt": lambda w: w.salts.update({1: ELSEWHERE}),
    "the seed early": lambda w: w.body(middle(w)).update(seed=w.seed["seed"]),
    "no seed at the end": lambda w: w.body(len(w.commits)).pop("seed"),
    "another seed at the end": lambda w: w.body(len(w.commits)).update(seed=ELSEWHERE),
    "another seed": lambda w: w.seed.update(seed=ELSEWHERE),
    "another key": lambda w: w.seed.update(key=ELSEWHERE),
    "another entropy": lambda w: w.seed["entropy"][0].__setitem__(1, "c0ffee"),
    "another commitment": lambda w: both(w, "commitment", ELSEWHERE),
    "other options": lambda w: w.setup["options"].update(more=1),
    "other modules": lambda w: w.setup["modules"].append("more"),
    "another pace": lambda w: w.setup.update(pace={"mode": "per_question", "hours": 1}),
    "other controllers": lambda w: w.setup["controllers"].reverse() or w.setup["controllers"].append("player"),
    "another head at the end": lambda w: w.ends.update(head=ELSEWHERE),
    "another digest at the end": lambda w: w.ends.update(sha256=ELSEWHERE),
    "another count at the end": lambda w: w.ends.update(commits=1),
    "no beginning": lambda w: w.body(1)["events"].pop(0),
    "a position that was set": lambda w: w.body(1)["events"].append({"type": "position_set", "state": {}}),
    "a field too many": lambda w: w.setup.update(more=1),
    "a field too few": lambda w: w.seed.pop("key"),
    "a number that is not whole": lambda w: w.body(middle(w)).update(drawn=0.5),
    "a seed line of more seats": lambda w: w.seed["entropy"].append([9, ""]),
}


def forged(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Every forgery of a file, by name; those that do not apply to the game are left out."""
    kind = json.loads(data.partition(b"\n")[0])["kind"]
    for name, forge in [*chances(kind), *REST.items()]:
        whole = Forger(data)
        if forge(whole) is not False:
            yield name, whole.file()


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "a mark of byte order": lambda data: b"\xef\xbb\xbf" + data,
    "lines that end in two characters": lambda data: data.replace(b"\n", b"\r\n"),
    "no last newline": lambda data: data[:-1],
    "something behind the end": lambda data: data + b"x",
    "an empty line behind the end": lambda data: data + b"\n",
    "cut in the middle of a line": lambda data: data[: len(data) // 2],
    "cut after a line": lambda data: data[: data.rindex(b"\n", 0, len(data) // 2) + 1],
    "a key twice": lambda data: data.replace(b'"seq":2', b'"seq":2,"seq":2', 1),
    "a space": lambda data: data.replace(b'"seq":2', b'"seq": 2', 1),
    "minus nothing": lambda data: data.replace(b'"drawn":', b'"a":-0,"drawn":', 1),
    "a power": lambda data: data.replace(b'"seq":2', b'"seq":2e0', 1),
    "an escape that need not be": lambda data: data.replace(b'"line":"commit"', b'"line":"\\u0063ommit"', 1),
    "half a character": lambda data: data.replace(b'"line":"commit"', b'"line":"\\ud800"', 1),
    "no UTF-8": lambda data: data.replace(b'"line":"commit"', b'"line":"\xff"', 1),
    "lists without end": lambda data: data.replace(b'"drawn":', b'"a":' + b"[" * 5000 + b"]" * 5000 + b',"drawn":', 1),
    "nothing": lambda _: b"",
    "a newline": lambda _: b"\n",
    "one line": lambda data: data.partition(b"\n")[0] + b"\n",
    "a list": lambda data: b"[]\n" + data,
    "null": lambda _: b"null\n" * 5,
    "a key of everything": lambda data: data.replace(b'{"body"', b'{"__proto__":{"a":1},"body"', 1),
}
"""Bytes that are not an export."""


def lengthened(data: bytes, most: int) -> bytes:
    """The game with a commit from the middle repeated that drew nothing. Only replaying the rules detects it."""
    whole = Forger(data)
    first = next(
        seq
        for seq in range(len(whole.commits) // 2, len(whole.commits))
        if whole.body(seq)["drawn"] == whole.body(seq + 1)["drawn"]
    )
    again = json.dumps(whole.commits[first])
    whole.commits[first:first] = [json.loads(again) for _ in range(most - len(whole.commits))]
    return whole.file()
