"""An author's program: it knows its token, finds the games that wait for it in the inbox, and plays them over REST."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import requests

from domain.dice import Aside
from domain.options import from_json, pick

Say = Callable[[list[dict[str, Any]], int], dict[str, Any] | None]
"""From the options, and how often it has answered before: what it says; None: nothing, now and for ever."""


class Ended(Exception):
    """A program ends in the middle of a game."""


def by_chance(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Any of the options."""
    return pick([from_json(option) for option in options], Aside(b"program %d" % number))


def resigns(_options: list[dict[str, Any]], _number: int) -> dict[str, Any]:
    """Gives up at once."""
    return {"type": "resign"}


def falls_silent(options: list[dict[str, Any]], number: int) -> dict[str, Any] | None:
    """Says one thing, and nothing more."""
    return None if number else by_chance(options, number)


def babbles(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Says one thing that is allowed, and from then on what the rules refuse."""
    return {"type": "take", "heap": 1, "objects": 99} if number else by_chance(options, number)


def breaks_off(_options: list[dict[str, Any]], _number: int) -> dict[str, Any]:
    """Would rather not have played."""
    return {"type": "call_vote", "kind": "abort"}


def takes_back(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Plays by chance, and thinks better of everything that it has said and others have answered."""
    return {"type": "request_undo", "seq": 2} if number % 2 else by_chance(options, number)


def ends_turns(_options: list[dict[str, Any]], _number: int) -> dict[str, Any]:
    """Lets a game of Battalia last."""
    return {"type": "end_turn"}


def _play(url: str, token: str, say: Say, stopped: threading.Event) -> None:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    said = 0
    while not stopped.wait(0.02):
        for turn in session.get(f"{url}/v1/me/turns", timeout=60).json()["turns"]:
            path = f"{url}/v1/games/{turn['game']}"
            told = session.get(f"{path}/options?only=answers", timeout=60).json()
            command = say(told["options"], said) if told.get("options") else None
            if command is not None:
                session.post(f"{path}/commands", json=command, headers={"Prefer": "wait=10"}, timeout=60)
                said += 1


def _run(url: str, token: str, say: Say, stopped: threading.Event) -> None:
    with suppress(Ended):
        _play(url, token, say, stopped)


@contextmanager
def running(url: str, *programs: tuple[str, Say]) -> Iterator[None]:
    """These programs at work, each with its token."""
    stopped = threading.Event()
    with ExitStack() as stack:
        for token, say in programs:
            thread = threading.Thread(target=_run, args=(url, token, say, stopped), daemon=True)
            thread.start()
            stack.callback(thread.join)
        stack.callback(stopped.set)
        yield
