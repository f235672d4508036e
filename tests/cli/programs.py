"""Programs of bot authors: they know a token, find their pending turns in the inbox, and play over REST."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import requests

from domain.kernel.dice import Aside
from domain.kernel.options import from_json, pick

Say = Callable[[list[dict[str, Any]], int], dict[str, Any] | None]
"""From the options and the number of earlier answers to a command, or to None for no answer."""


class Ended(Exception):
    """Raised to end a program in the middle of a game."""


def by_chance(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Pick a random option."""
    return pick([from_json(option) for option in options], Aside(b"program %d" % number))


def resigns(_options: list[dict[str, Any]], _number: int) -> dict[str, Any]:
    """Resign at once."""
    return {"type": "resign"}


def falls_silent(options: list[dict[str, Any]], number: int) -> dict[str, Any] | None:
    """Send one command and nothing more."""
    return None if number else by_chance(options, number)


def babbles(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Send one legal command, then only commands that the rules refuse."""
    return {"type": "take", "heap": 1, "objects": 99} if number else by_chance(options, number)


def breaks_off(_options: list[dict[str, Any]], _number: int) -> dict[str, Any]:
    """Call a vote to abort the game."""
    return {"type": "call_vote", "kind": "abort"}


def takes_back(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Play at random and request an undo after every command."""
    return {"type": "request_undo", "seq": 2} if number % 2 else by_chance(options, number)


def ends_turns(_options: list[dict[str, Any]], _number: int) -> dict[str, Any]:
    """End every turn, so that a game of Battalia lasts long."""
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
    """Run these programs, each with its token."""
    stopped = threading.Event()
    with ExitStack() as stack:
        for token, say in programs:
            thread = threading.Thread(target=_run, args=(url, token, say, stopped), daemon=True)
            thread.start()
            stack.callback(thread.join)
        stack.callback(stopped.set)
        yield
