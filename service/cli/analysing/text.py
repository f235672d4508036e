"""The report of an analysis for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

WIDE = 100
"""Columns of text."""
COLUMNS = 60
"""Columns of the chart of chances."""
BARS = "▁▂▃▄▅▆▇█"
CAUSES: Mapping[str, str] = {
    "choice": "by its own choice",
    "luck": "by luck",
    "other": "by what {by} did",
    "course": "by the course of the game",
    "table": "by what was said at the table",
}
VALUED: Mapping[str, str] = {
    "fitted": "by a value function fitted to games between bots",
    "played-out": "by playing the game to the end with its own bot in every seat",
}

Document = Mapping[str, Any]


def text(document: Document, names: Mapping[int, str], outcome: Any) -> str:
    """The report of an analysis (`service.features.analysis.report`). ``names`` has the names of the seats."""
    return "\n".join(_lines(document, names, outcome))


def _lines(document: Document, names: Mapping[int, str], outcome: Any) -> Iterator[str]:
    yield (
        f"{document['kind']} {document['game']}: commits {document['from']} to {document['to']} of {document['commits']}, "
        f"analyzed at level {document['level']} by release {document['release']}"
    )
    if outcome:
        won = " and ".join(names[seat] for seat in outcome["winners"]) or "nobody"
        yield f"Ended by {outcome['reason']} ({outcome['clause']}), won by {won}"
    yield ""
    yield from _table(document, names)
    yield ""
    yield from _course(document, names)
    yield ""
    yield "Turning points"
    for point in document["turning_points"]:
        yield from _turn(point, names)
    if not document["turning_points"]:
        yield "  none: no commit changed a player's chances by five hundredths"
    yield ""
    yield "Mistakes"
    for each in document["mistakes"]:
        yield from _mistake(each, names)
    if not document["mistakes"]:
        yield "  none found that exceed chance"
    yield ""
    yield from _notes(document)


def _table(document: Document, names: Mapping[int, str]) -> Iterator[str]:
    wide = max(len(name) for name in names.values())
    yield f"{'':{wide}}  decisions  unbeaten  given away  luck"
    for each in document["seats"]:
        unbeaten = "-" if each["unbeaten"] is None else f"{100 * each['unbeaten']:.0f} %"
        luck = f"{100 * each['luck']:+.0f} ± {100 * each['luck_doubt']:.0f}"
        yield f"{names[each['seat']]:{wide}}  {each['judged']:9}  {unbeaten:>8}  {100 * each['lost']:10.0f}  {luck}"


def _course(document: Document, names: Mapping[int, str]) -> Iterator[str]:
    course = document["chances"]
    if not course:
        return
    yield "Chances of winning"
    wide = max(len(name) for name in names.values())
    picked = _picked(course)
    for seat, name in sorted(names.items()):
        line = "".join(BARS[min(len(BARS) - 1, int(each[seat] * len(BARS)))] for each in picked)
        yield f"{name:{wide}}  {line}  {100 * course[0][seat]:.0f} % → {100 * course[-1][seat]:.0f} %"


def _picked(course: Sequence[Sequence[float]]) -> Sequence[Sequence[float]]:
    """The values thinned to the number of columns, evenly spaced, including the last."""
    if len(course) <= COLUMNS:
        return course
    return [course[place * (len(course) - 1) // (COLUMNS - 1)] for place in range(COLUMNS)]


def _turn(point: Document, names: Mapping[int, str]) -> Iterator[str]:
    cause = CAUSES[point["cause"]].format(by=names.get(point["by"], "nobody"))
    more = [f"luck {100 * point['luck']:+.0f}"] if point["luck"] is not None else []
    more += [f"gave away {100 * point['loss']:.0f}"] if point["loss"] else []
    yield (
        f"  seq {point['seq']:<6}{names[point['seat']]}: {100 * point['before']:.0f} % → {100 * point['after']:.0f} %, "
        f"{cause}{' (' + ', '.join(more) + ')' if more else ''}"
    )
    yield from _wrapped(point["text"])


def _mistake(each: Document, names: Mapping[int, str]) -> Iterator[str]:
    yield (
        f"  seq {each['seq']:<6}{names[each['seat']]}: gave away {100 * each['loss']:.0f} ± {100 * each['doubt']:.0f}, "
        f"of {100 * (each['expected'] + each['loss']):.0f} % expected"
    )
    yield from _wrapped(each["text"])
    yield from _wrapped(f"Better: {each['better']}")


def _wrapped(said: str) -> Iterator[str]:
    yield from (f"            {line}" for line in wrap(said, WIDE))


def _notes(document: Document) -> Iterator[str]:
    others = [release for release in document["played_under"] if release != document["release"]]
    said = (
        f"All numbers are hundredths of a win. The chances are computed {VALUED[document['valued']]}, from the full state of the"
        ' game, including hidden information. Each choice is judged by simulations from what its seat could know. "Given away"'
        " counts only alternatives that were better by more than two standard errors. Luck is the effect of dice and draws on"
        " the chances, compared with their average effect."
    )
    notes = [said]
    if others:
        notes.append(f"Played with release {', '.join(others)}, and judged with the rules of {document['release']}.")
    if document["unjudged"]:
        notes.append(f"{document['unjudged']} decisions could not be judged: the current rules refuse the command.")
    for note in notes:
        yield from wrap(note, WIDE)
