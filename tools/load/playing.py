"""One game of a load test: created, played step by step by bots that know only the Options, and ended."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.kernel.options import from_json
from service.cli.terminal.bots import RandomBot
from tools.load.accounts import Account
from tools.load.line import WRONG_SHAPE, Answer, Line, Shape
from tools.load.shapes import Choices, NewGame, Outcome, Problem, Summary

WAIT = {"Prefer": "wait=10"}
SETTLED, ACCEPTED, COMMITTED = "settled", "accepted", "made"
"""Names in the tally: from sending a command to its outcome, to its acknowledgement, and for creating a game."""

UNSETTLED = 60.0
"""Seconds to wait for the outcome of a command."""


class Trouble(RuntimeError):
    """A request of this game got an unexpected response; the message is a code for the report."""


@dataclass(slots=True)
class LoadGame:
    """A game of the load test, and its commands."""

    id: str
    kind: str
    accounts: Sequence[Account]
    """The players, seat 1 first."""
    acknowledged: set[str] = field(default_factory=set)
    """The ids of commands answered with 200, 202, or a refusal."""
    unanswered: int = 0
    """Commands without any response: each may be in the history or not."""
    tags: dict[int, str] = field(default_factory=dict)
    sent_at: dict[int, float] = field(default_factory=dict)
    """When the command of a commit was sent, by `time.perf_counter`."""
    refused: Counter[str] = field(default_factory=Counter)
    over: bool = False

    @property
    def path(self) -> str:
        return f"/v1/games/{self.id}"


def opened(line: Line, kind: str, accounts: Sequence[Account]) -> LoadGame:
    """Create and start a private game of these players; raises `Trouble` and `ApiError`."""
    began = time.perf_counter()
    body = {"kind": kind, "seats": len(accounts), "visibility": "private"}
    made = _made(line.ask("request", "POST", "/v1/games", accounts[0].token, body, _key()), NewGame, 201)
    game = LoadGame(made.id, kind, accounts)
    for other in accounts[1:]:
        taken = {"invitation": made.invitation}
        _must_be(line.ask("request", "POST", f"{game.path}/seats", other.token, taken, _key()), 201)
    _must_be(line.ask("request", "POST", f"{game.path}/start", accounts[0].token), 200, 202)
    line.tally.took(COMMITTED, time.perf_counter() - began)
    return game


def step(line: Line, game: LoadGame, bot: RandomBot, *, wait: bool) -> bool:
    """Let a player with a pending question read the board, choose and send; whether a command was sent.

    Raises `Trouble` and `ApiError`.
    """
    summary = _summary(line, game)
    if summary.status == "over":
        game.over = True
        return False
    asked = [each.seat for each in summary.pending_questions if each.seat and each.kind != "vote"]
    if not asked:
        return False
    seat = asked[0]
    _look(line, game, seat)
    path = f"{game.path}/options?only=answers"
    told = _made(line.ask("options", "GET", path, game.accounts[seat - 1].token), Choices, 200)
    _look(line, game, seat)
    if not told.options[: told.answers]:
        return False
    send(line, game, seat, _chosen(bot, told), wait=wait)
    return True


def _summary(line: Line, game: LoadGame) -> Summary:
    """The game's summary; raises `Trouble` if a question is for a seat that does not exist."""
    summary = _made(line.ask("game", "GET", game.path, game.accounts[0].token), Summary, 200)
    if any(each.seat is not None and not 0 < each.seat <= len(game.accounts) for each in summary.pending_questions):
        raise Trouble(WRONG_SHAPE)
    return summary


def _chosen(bot: RandomBot, told: Choices) -> Mapping[str, Any]:
    """The bot's choice. It needs only the Options, so any error means that they are invalid."""
    try:
        return bot.choose([from_json(option) for option in told.options][: told.answers])
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Trouble(WRONG_SHAPE) from error


def _look(line: Line, game: LoadGame, seat: int) -> None:
    """Read the board as a polling page does: 304 if it is unchanged."""
    tag = game.tags.get(seat)
    headers = {"If-None-Match": tag} if tag else {}
    answer = line.ask("view", "GET", f"{game.path}/view", game.accounts[seat - 1].token, headers=headers)
    _must_be(answer, 200, 304)
    game.tags[seat] = answer.headers.get("ETag", "")


def send(line: Line, game: LoadGame, seat: int, command: Mapping[str, Any], *, wait: bool) -> None:
    """Send a command until it is acknowledged, always with the same key, and wait for its outcome."""
    token, began = game.accounts[seat - 1].token, time.perf_counter()
    game.unanswered += 1
    headers = {**_key(), **(WAIT if wait else {})}
    answer = line.ask("command", "POST", f"{game.path}/commands", token, command, headers)
    told = _acknowledged(game, answer)
    if answer.status == 202:
        line.tally.took(ACCEPTED, time.perf_counter() - began)
    while told.status == "pending":
        if time.perf_counter() - began > UNSETTLED:
            raise Trouble("never-settled")
        answer = line.ask("outcome", "GET", f"{game.path}/commands/{told.id}", token, headers=WAIT)
        told = _made(answer, Outcome, 200, 202)
    if told.status == "refused":
        game.refused[told.refusal.code if told.refusal else "refused"] += 1
    elif told.seq is None:
        raise Trouble(WRONG_SHAPE)
    else:
        game.sent_at[told.seq] = began
    line.tally.took(SETTLED, time.perf_counter() - began)


def _acknowledged(game: LoadGame, answer: Answer) -> Outcome:
    """The outcome in the response to a command; a refusal by the rules is an acknowledgement too."""
    if answer.status in (200, 202):
        told = answer.read(Outcome)
    else:
        problem = answer.read(Problem)
        if not (problem.id and problem.type.startswith("urn:oraclewheel:refusal:")):
            raise Trouble(answer.code)
        told = Outcome(problem.id, "refused", refusal=problem)
    game.unanswered -= 1
    game.acknowledged.add(told.id)
    return told


def end(line: Line, game: LoadGame) -> None:
    """Let all players vote to end the game; raises `Trouble` and `ApiError`."""
    until = time.monotonic() + UNSETTLED
    while time.monotonic() < until:
        summary = _summary(line, game)
        if summary.status == "over":
            game.over = True
            return
        voting = [each.seat for each in summary.pending_questions if each.seat and each.kind == "vote"]
        if voting:
            send(line, game, voting[0], {"type": "cast_vote", "agree": True}, wait=True)
        else:
            send(line, game, 1, {"type": "call_vote", "kind": "abort"}, wait=True)
    raise Trouble("not-ended")


def _must_be(answer: Answer, *wanted: int) -> None:
    if answer.status not in wanted:
        raise Trouble(answer.code)


def _made(answer: Answer, shape: type[Shape], *wanted: int) -> Shape:
    _must_be(answer, *wanted)
    return answer.read(shape)


def _key() -> dict[str, str]:
    return {"Idempotency-Key": secrets.token_hex(16)}
