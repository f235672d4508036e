"""Questions, Options and views of whole games equal those of an earlier release, commit by commit.

``as_before.json`` was written by that release and is never rewritten: a faster implementation of the rules may change
nothing in it, not even an order. Later additions (new types of Options, new fields of views) are removed before comparing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from domain.games.fronela.game import FRONELA
from domain.kernel.dice import Dice
from domain.kernel.options import as_json, pick
from domain.kernel.record import Chance, Position, Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.table.settle import settle
from tests.fronela.whole import begin
from tests.soaking import sample

SEATS = (Seat(1), Seat(2), Seat(3), Seat(4))
EVERY = 40
"""Commits per digest. A digest that differs shows roughly where."""


def played(ruleset: str) -> Iterator[tuple[Position, Dice]]:
    """A game in which each answer is picked at random or the time runs out."""
    chance, luck = Chance(ruleset.ljust(32).encode()), Dice(ruleset.encode())
    position, seat, command = Position(), SYSTEM, begin(ruleset)
    while True:
        number = position.seq + 1
        commit, position = settle(FRONELA, position, Submission(str(number), seat, command, number), number, chance)
        assert commit.refusal is None, (commit.refusal, command, commit.fault)
        if position.over:
            return
        yield position, luck
        asked = position.asked[0]
        seat = asked.question.seat
        silent = seat == SYSTEM or luck.below(20) == 0
        command = {"type": "expire", "question": asked.id} if silent else answer(position, seat, luck)
        seat = SYSTEM if silent else seat


def answer(position: Position, seat: Seat, luck: Dice) -> dict[str, Any]:
    """An answer, or one time in six a standing order."""
    ordered = luck.below(6) == 0
    options = [one for one in FRONELA.rules.legal(position.state, seat) if one.type in TYPES]
    return dict(pick([one for one in options if (one.type in FRONELA.rules.unasked) == ordered], luck))


def shown(position: Position) -> Iterator[Any]:
    """Everything that players can read now, limited to what the earlier release had."""
    for asked in position.asked:
        question = asked.question
        yield [asked.id, question.kind, question.clause, dict(question.about)]
        if question.seat != SYSTEM:
            yield [
                as_json(option) for option in FRONELA.rules.legal(position.state, question.seat) if option.type in TYPES
            ]
    if position.seq % 3 == 0:
        yield then(FRONELA.knowledge.view(position.state))
    for seat in SEATS:
        yield then(FRONELA.knowledge.private(position.state, seat))


def then(value: Any) -> Any:
    """The document without the keys added since."""
    if isinstance(value, dict):
        return {key: then(part) for key, part in value.items() if key in NAMES}
    return [then(part) for part in value] if isinstance(value, list | tuple) else value


def digests(ruleset: str) -> Iterator[str]:
    """One digest for every `EVERY` commits."""
    digest = hashlib.sha256()
    for position, _ in played(ruleset):
        for document in shown(position):
            digest.update(orjson.dumps(document))
        if position.seq % EVERY == 0:
            yield digest.hexdigest()[:16]


BEFORE = json.loads(Path(__file__).with_name("as_before.json").read_text(encoding="utf-8"))
TYPES, NAMES = frozenset(BEFORE["options"]), frozenset(BEFORE["names"])


@pytest.mark.parametrize("ruleset", sample(BEFORE["games"], 3))
def test_questions_options_and_views_equal_those_of_an_earlier_release(ruleset):
    before = BEFORE["games"][ruleset]
    now = list(digests(ruleset))

    differ = next((place for place, pair in enumerate(zip(before, now, strict=False)) if pair[0] != pair[1]), None)
    assert differ is None, f"the first difference is in one of the {EVERY} commits up to {EVERY * (differ + 1)}"
    assert len(before) == len(now)
    assert sum(map(len, before)) > 16 * 10, "a game of few commits would prove little"
