"""Texts for a seat's choices: its question, the names of its options, and the things it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.hints import Called
from domain.kernel.game import AnyGame
from domain.kernel.record import Position
from domain.kernel.terms import Integer, Option, Seat
from domain.table.votes.voting import CHOICES
from service.store.codec import plain


def build_labels(
    game: AnyGame, position: Position, seat: Seat, options: Sequence[Option], ask: Callable[[Mapping[str, Any]], str]
) -> dict[str, Any]:
    """The texts that `GET options` adds for clients. ``position`` has a table, and a player has the seat.

    ``ask`` turns a public question into text.
    """
    asked = [each.question for each in position.asked if each.question.seat == seat]
    questions = [ask({"seat": seat, "kind": each.kind, "about": plain(each.about)}) for each in asked]
    held = {
        title: [str(thing) for thing in things]
        for title, things in game.presentation.holding(game.knowledge.private(position.state, seat)).items()
    }
    named = {*_list_texts(options), *(thing for things in held.values() for thing in things)}
    labels = {
        **dict(_label_choices(game, sorted(named))),
        **{kind: {"text": CHOICES[kind]} for kind in _list_vote_kinds(options)},
    }
    return {"question": " ".join(questions) or None, "holdings": held, "labels": labels}


def _label_choices(game: AnyGame, choices: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The choices whose display name differs from their key."""
    for choice in choices:
        called = game.presentation.called(choice)
        if called != Called(choice):
            more = {"kind": called.kind, "note": called.note, "colors": list(called.colours)}
            yield choice, {"text": called.text, **{name: value for name, value in more.items() if value}}


def _list_vote_kinds(options: Sequence[Option]) -> Iterator[str]:
    """The kinds of votes that can be called and have a display name."""
    kinds = (option.fixed.get("kind") for option in options if option.type == "call_vote")
    return (kind for kind in kinds if kind in CHOICES)


def _list_texts(options: Sequence[Option]) -> Iterator[str]:
    for option in options:
        for value in option.fixed.values():
            yield from _flatten(value)
        for part in option.open:
            if not isinstance(part, Integer):
                yield from _flatten(part.choices)


def _flatten(value: Any) -> Iterator[str]:
    """The texts in a value or in a list of values."""
    for each in value if isinstance(value, list | tuple) else (value,):
        if isinstance(each, str) and each:
            yield each
