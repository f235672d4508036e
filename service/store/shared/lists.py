"""Lists of commands sent in one request: each becomes a separate commit, in order, up to the first refusal.

Only the next command of a list waits in the game's stream; it contains those that follow. When it is settled, its
commit adds the next one at the end of the stream, in the same step: commands that are due by then, and those that
others have sent, come first, as if each had been sent when the one before was settled. In addition, all commands that
SYSTEM has to submit at once come first (`first_in_turn`): the end of a day, a bot's answer, and their consequences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.terms import SYSTEM, Seat, Seq

Entry = tuple[str, Mapping[str, Any]]
"""A waiting command: its entry in the stream, and its submission document."""

MOST_IN_LIST = 64
"""Maximum number of commands in a list."""

LIST = "list"
"""Key of a submission document for a command of a list.

Its fields: ``id`` (the list's), ``place`` (counted from 0), ``rest`` (the commands that follow) and ``linked`` (whether
each must have seen the result of the one before).
"""

LEFT = "left"
"""Outcome of a command that was never tried, because an earlier one was refused."""


def place_id(list_id: str, place: int) -> str:
    return f"{list_id}.{place}"


def place_of(id_: str) -> tuple[str, int] | None:
    """The list and the place in it from a submission's id; None if it is in no list."""
    found = re.fullmatch(r"(.+)\.(0|[1-9][0-9]?)", id_)
    return None if found is None else (found[1], int(found[2]))


def first_of(
    list_id: str, seat: Seat, commands: Sequence[Mapping[str, Any]], expected: Seq | None, credential: str | None
) -> dict[str, Any]:
    """The submission document of a whole list, which is that of its first command.

    ``expected`` is the ETag that its sender had seen (If-Match); then each later command expects the ETag after the one
    before it.
    """
    return {
        "id": place_id(list_id, 0),
        "seat": seat,
        "command": commands[0],
        "asked_at": 0,
        "expected": expected,
        "credential": credential,
        LIST: {"id": list_id, "place": 0, "rest": list(commands[1:]), "linked": expected is not None},
    }


def next_of(document: Mapping[str, Any], seen: Seq) -> dict[str, Any] | None:
    """The document of the next command after one that was not refused; None after the last one, and outside lists.

    ``seen`` is the ETag of its sender's view after it.
    """
    if not left_in(document):
        return None
    told = document[LIST]
    place, (command, *rest) = told["place"] + 1, told["rest"]
    return {
        **{name: value for name, value in document.items() if name != "asked_at"},
        "id": place_id(told["id"], place),
        "command": command,
        "expected": seen if told["linked"] else None,
        LIST: {**told, "place": place, "rest": rest},
    }


def rest_of(document: Mapping[str, Any], place: int) -> dict[str, Any]:
    """The document that submits the commands of a list from a place on; later ones expect no ETag."""
    if place == 0:
        return dict(document)
    told = document[LIST]
    command, *rest = told["rest"][place - 1 :]
    return {
        **document,
        "id": place_id(told["id"], place),
        "command": command,
        "expected": None,
        LIST: {**told, "place": place, "rest": rest},
    }


def list_id(document: Mapping[str, Any]) -> str | None:
    """The id of a command's list; None if it is in no list."""
    return document[LIST]["id"] if LIST in document else None


def left_in(document: Mapping[str, Any]) -> int:
    return len(document[LIST]["rest"]) if LIST in document else 0


def goes_on(document: Mapping[str, Any]) -> bool:
    """Whether a command is in a list, and not its first one."""
    return LIST in document and document[LIST]["place"] > 0


def first_in_turn(pending: Sequence[Entry]) -> int:
    """Index of the waiting command to settle next: in order of arrival, but a list continues after all of SYSTEM's."""
    if not goes_on(pending[0][1]):
        return 0
    last = max((place for place, (_, document) in enumerate(pending) if document["seat"] == SYSTEM), default=0)
    return next((place for place in range(last + 1) if not goes_on(pending[place][1])), 0)


def is_sound(document: Mapping[str, Any]) -> bool:
    """Whether a waiting command's list data is valid."""
    if LIST not in document:
        return True
    told = document[LIST]
    return (
        isinstance(told, dict)
        and told.keys() == {"id", "place", "rest", "linked"}
        and type(told["place"]) is int
        and document["id"] == place_id(told["id"], told["place"])
        and isinstance(told["rest"], list)
        and all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in told["rest"])
    )
