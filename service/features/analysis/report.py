"""Combines the results for all moments: the course of the chances, turning points, mistakes and luck."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

from domain import RELEASE
from domain.kernel.terms import SYSTEM, Seat
from domain.table.bots.chances import is_fitted
from service.features.analysis.evaluation import DECIMALS, MomentResult
from service.features.analysis.moments import AnalysisMoment, ReplayedGame

FORM = 1
TURNS = 12
"""Maximum number of turning points."""
TURNED = 0.05
"""Minimum change of a seat's chances at a turning point."""
MISTAKES = 5
"""Mistakes described per seat."""

NarrateCommit = Callable[[int], str]
"""Returns a description of the commit with this seq."""
DescribeCommand = Callable[[Mapping[str, Any]], str]
"""Returns a command in words."""


def build_report(
    walk: ReplayedGame, found: Sequence[MomentResult], level: int, narrate: NarrateCommit, describe: DescribeCommand
) -> dict[str, Any]:
    """The complete analysis as JSON, from the results for all moments in order."""
    moments = {moment.seq: moment for moment in walk.moments}
    course = [(each["seq"], each["chances"]) for each in found if "chances" in each]
    decisions = [
        {"seq": each["seq"], **each["decision"], "taken_back": moments[each["seq"]].is_undone}
        for each in found
        if "decision" in each
    ]
    lucky = [{"seq": each["seq"], **each["luck"]} for each in found if each.get("luck") is not None]
    counted = {moment.seq for moment in walk.moments if not moment.is_undone}
    first = walk.moments[0] if walk.moments else None
    return {
        "form": FORM,
        "game": walk.id,
        "kind": walk.game.key,
        "release": RELEASE,
        "played_under": list(walk.releases),
        "level": level,
        "commits": walk.last,
        "from": first.seq if first else None,
        "to": walk.moments[-1].seq if first else None,
        "valued": "fitted" if first and is_fitted(walk.game.bots, first.after, walk.seats[0]) else "played-out",
        "seats": [
            {"seat": seat, "side": _get_side(walk, seat), **_summarize_seat(seat, decisions, lucky, counted)}
            for seat in walk.seats
        ],
        "turning_points": [
            {**point, "text": narrate(point["seq"])}
            for point in _find_turning_points(found, moments, _find_swings(course))
        ],
        "mistakes": [
            _describe_mistake(each, narrate, describe)
            for seat in walk.seats
            for each in _list_mistakes(seat, decisions)
        ],
        "chances": [[seq, *each] for seq, each in course],
        "luck": lucky,
        "decisions": decisions,
        "unjudged": sum(each["loss"] is None for each in decisions),
    }


def _get_side(walk: ReplayedGame, seat: Seat) -> str:
    return walk.game.presentation.side(walk.game.knowledge.view(walk.moments[-1].after), seat) if walk.moments else ""


def _summarize_seat(
    seat: Seat, decisions: Iterable[MomentResult], lucky: Iterable[MomentResult], counted: set[Any]
) -> Mapping[str, Any]:
    own = [each["loss"] for each in decisions if each["seat"] == seat and not each["taken_back"]]
    judged = [loss for loss in own if loss is not None]
    lucks = [(each["by"][seat - 1], each["doubt"][seat - 1]) for each in lucky if each["seq"] in counted]
    return {
        "decisions": len(own),
        "judged": len(judged),
        "unbeaten": round(sum(loss == 0 for loss in judged) / len(judged), DECIMALS) if judged else None,
        "lost": round(sum(judged), DECIMALS),
        "luck": round(sum(each for each, _ in lucks), DECIMALS),
        "luck_doubt": round(sqrt(sum(doubt**2 for _, doubt in lucks)), DECIMALS),
    }


# -- turning points ----------------------------------------------------------------------------------------------------


def _find_swings(
    course: Sequence[tuple[int, Sequence[float]]],
) -> Mapping[int, tuple[Sequence[float], Sequence[float]]]:
    """The chances before and after each commit that changed a seat's chances by at least `TURNED`, largest change first."""
    moved = [
        (max(abs(one - other) for one, other in zip(after, before, strict=True)), seq, before, after)
        for (_, before), (seq, after) in pairwise(course)
    ]
    kept = sorted((each for each in moved if each[0] >= TURNED), key=lambda each: (-each[0], each[1]))
    return {seq: (before, after) for _, seq, before, after in kept}


def _find_turning_points(
    found: Sequence[MomentResult],
    moments: Mapping[Any, AnalysisMoment],
    moved: Mapping[int, tuple[Sequence[float], Sequence[float]]],
) -> Sequence[Mapping[str, Any]]:
    known = {each["seq"]: each for each in found}
    points = []
    for seq, (before, after) in moved.items():
        moment = moments[seq]
        if moment.is_undone or moment.first_undone is not None:
            continue
        points.append(_build_turning_point(moment, known[seq], before, after))
        if len(points) == TURNS:
            break
    return sorted(points, key=lambda point: point["seq"])


def _build_turning_point(
    moment: AnalysisMoment, found: MomentResult, before: Sequence[float], after: Sequence[float]
) -> dict[str, Any]:
    """A turning point: the seat whose chances changed most (on a tie, the one that acted), the change and its cause."""
    moves = [one - other for one, other in zip(after, before, strict=True)]
    most = max(map(abs, moves))
    movers = [Seat(number) for number, move in enumerate(moves, 1) if abs(move) > most - 10**-DECIMALS]
    seat = moment.seat if moment.seat in movers else movers[0]
    luck = found.get("luck")
    share = 0.0 if luck is None else luck["by"][seat - 1]
    decision = found.get("decision")
    return {
        "seq": moment.seq,
        "seat": seat,
        "by": moment.seat,
        "before": before[seat - 1],
        "after": after[seat - 1],
        "cause": _find_cause(moment, seat, moves[seat - 1], share),
        "luck": share if luck is not None else None,
        "loss": None if decision is None else decision["loss"],
    }


def _find_cause(moment: AnalysisMoment, seat: Seat, move: float, luck: float) -> str:
    """``luck`` if it explains at least half of the change, otherwise ``choice`` (the seat's own), ``other``, ``course`` or ``table``."""
    if moment.command is None:
        return "table"
    if luck * move > 0 and 2 * abs(luck) >= abs(move):
        return "luck"
    if moment.seat == SYSTEM:
        return "course"
    return "choice" if moment.seat == seat else "other"


# -- better alternatives -----------------------------------------------------------------------------------------------


def _list_mistakes(seat: Seat, decisions: Iterable[MomentResult]) -> Iterator[MomentResult]:
    own = [each for each in decisions if each["seat"] == seat and each["loss"] and not each["taken_back"]]
    yield from sorted(own, key=lambda each: (-each["loss"], each["seq"]))[:MISTAKES]


def _describe_mistake(decision: MomentResult, narrate: NarrateCommit, describe: DescribeCommand) -> Mapping[str, Any]:
    better = max((each for each in decision["tried"] if each["surely_ahead"]), key=lambda each: each["ahead"])
    return {
        "seq": decision["seq"],
        "seat": decision["seat"],
        "loss": decision["loss"],
        "doubt": better["doubt"],
        "expected": decision["played"]["expected"],
        "text": narrate(decision["seq"]) or f"{describe(decision['played']['command'])}.",
        "better": describe(better["command"]),
    }
