"""Lists of commands sent in one request: each is a commit of its own, one after the other, as far as the first refusal.

Of a list only the next command waits in the stream of its game, and says what follows it. When it is settled, its commit
puts the one after it at the end of the stream, in the same step: whatever has become due by then, and whatever others have
sent, comes first, as if each had been sent when the one before was settled. Besides it lets everything go before it that
SYSTEM has to say at once (`first_in_turn`): a day that turns, a bot's answer, and what these bring about in their turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from domain.terms import SYSTEM, Seat, Seq

Entry = tuple[str, Mapping[str, Any]]
"""A command that waits: its entry in the stream, and its submission document."""

MOST_IN_LIST = 64
"""Commands that a list may hold."""

LIST = "list"
"""The key of a submission document under which a command of a list says ``id`` (the list's), ``place`` (counted from 0),
``rest`` (the commands that follow it) and ``linked`` (whether each must stand on the news of the one before)."""

LEFT = "left"
"""What became of a command that was never tried, because one before it was refused."""


def place_id(list_id: str, place: int) -> str:
    """The id of the submission that a command of a list is."""
    return f"{list_id}.{place}"


def place_of(id_: str) -> tuple[str, int] | None:
    """The list and the place in it that the id of a submission names; None for an id that is of no list."""
    found = re.fullmatch(r"(.+)\.(0|[1-9][0-9]?)", id_)
    return None if found is None else (found[1], int(found[2]))


def first_of(
    list_id: str, seat: Seat, commands: Sequence[Mapping[str, Any]], expected: Seq | None, credential: str | None
) -> dict[str, Any]:
    """The submission document of a whole list, which is that of its first command.

    ``expected`` is what its sender had seen (If-Match); then each that follows expects what the one before it has shown.
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
    """What follows a command of a list that was not refused; None for the last one, and for one of no list.

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


def paused(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same command of a plan, to be played once others have decided: what its seat reads by then is no news to it."""
    return {**document, "expected": None}


def list_id(document: Mapping[str, Any]) -> str | None:
    """The id of the list that a command stands in; None for one of no list."""
    return document[LIST]["id"] if LIST in document else None


def left_in(document: Mapping[str, Any]) -> int:
    """How many commands of its list follow this one."""
    return len(document[LIST]["rest"]) if LIST in document else 0


def goes_on(document: Mapping[str, Any]) -> bool:
    """Whether a command is one of a list, and not its first."""
    return LIST in document and document[LIST]["place"] > 0


def first_in_turn(pending: Sequence[Entry]) -> int:
    """The place of the waiting command that is settled next: they go as they came, but a list goes on after all of SYSTEM's."""
    if not goes_on(pending[0][1]):
        return 0
    last = max((place for place, (_, document) in enumerate(pending) if document["seat"] == SYSTEM), default=0)
    return next((place for place in range(last + 1) if not goes_on(pending[place][1])), 0)


def is_sound(document: Mapping[str, Any]) -> bool:
    """Whether what a waiting command says of its list is what a release may have written."""
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
