"""Everything that a seat may say now, as Options: complete, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from domain.battalia.modules import registry
from domain.battalia.rulebook.actions import acquire, artefacts, build, march
from domain.battalia.rulebook.payment import lines
from domain.battalia.rulebook.turn import questions
from domain.battalia.state import Frame, State
from domain.options import MOST
from domain.terms import Option, Seat


def legal(state: State, seat: Seat) -> Sequence[Option]:
    """The advice that must agree with `questions.decide`."""
    if not state.asking or seat not in state.asking[-1].seats:
        return ()
    frame = state.asking[-1]
    if frame.npc:
        return list(registry.registered()[frame.npc].legal(state, seat, frame))
    if frame.kind != "turn":
        return questions.answer_options(state, seat, frame)
    return list(islice(_turn(state, seat, frame), MOST + 1))


def _turn(state: State, seat: Seat, frame: Frame) -> Iterator[Option]:
    held = lines.bag(state, seat)
    yield Option("end_turn")
    yield from acquire.fresh_options(state, seat)
    yield from acquire.acquiring_options(state, seat, held)
    yield from build.building_options(state, seat, held)
    yield from march.step_options(state, seat, held)
    yield from artefacts.artefact_options(state, seat, held)
    for module in registry.playing(state.modules):
        yield from module.legal(state, seat, frame)
