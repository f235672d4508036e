"""Route for the timeline of a game: start of days and turns, scores, undone commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Blueprint, Response

from domain import RELEASE
from domain.drawing import chart
from domain.drawing.svg import Tone
from domain.kernel.record import Commit, PastNotKept, Position
from domain.kernel.terms import GameId
from domain.table.undo import UNDO, UndoMemory, find_undoing_commit
from service.core.accounts.scopes import GAMES_READ
from service.core.history.lines import reveal_events
from service.core.history.narration import Narrator
from service.core.http.access.auth import GameAccess, authorize, optional_caller
from service.core.http.context.offload import ReadContext
from service.core.http.reference.parameters import FURTHEST
from service.core.http.reference.routes import documented
from service.core.http.responses import head_header, json_response, not_modified, query_number, revalidation_headers
from service.core.positions.cache import replay
from service.core.positions.game_config import GameConfig
from service.features.score_timeline.schemas import ScoreTimeline

blueprint = Blueprint("score_timeline", __name__)


@blueprint.get("/v1/games/<game>/course")
@documented(
    "Get the score timeline",
    operation="getScoreTimeline",
    scope=GAMES_READ,
    text="Data that a replay needs in addition to boards and history: the commits at which days, rounds and "
    "turns begin, the scores of the chart, and the undone commands. It contains only public information, "
    "for every reader. `?after=` omits times and turns up to that commit.",
    gives={200: ScoreTimeline, 304: None},
    problems=("unknown-game", "not-started", "log-diverged", "too-much-work"),
    parameters=("after", "If-None-Match"),
    answer="The timeline.",
    headers=("ETag", "Game-Head"),
)
def course(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    rows = access.rows_without_views()
    access.require_visible(rows.status)
    after, seq = query_number("after", 0, 0, FURTHEST), rows.seen[0]
    if after > rows.seq:
        raise access.context.diverged_problem(game_id, after, "", rows.seq, rows.head)
    etag = f'"{seq}-{RELEASE}-{after}"'
    headers = {
        **revalidation_headers(None if access.lobby.visibility != "private" else 0),
        **head_header(rows.seq, rows.head),
    }
    known = not_modified(etag, headers)
    if known is not None:
        return known
    found = access.compute(lambda reads, facts: _gathered(reads, facts, access.narrator, after, seq))
    return json_response(_told(access, found, after, seq), headers={**headers, "ETag": etag})


@dataclass(slots=True)
class _Timeline:
    """Data collected from the log, including undone commits."""

    memory: UndoMemory | None = None
    """The undone ranges at the end."""
    samples: list[tuple[int, chart.ScoreSample]] = field(default_factory=list)
    """The points after commits that may have advanced the game's time, and at the end; by commit."""
    turns: list[tuple[int, str]] = field(default_factory=list)

    def stands(self, seq: int) -> bool:
        """Whether a commit was not undone."""
        return self.memory is None or find_undoing_commit(self.memory, seq) is None

    def times(self) -> list[tuple[int, chart.ScoreSample]]:
        """The samples at which a time begins, without undone ones."""
        begun: list[tuple[int, chart.ScoreSample]] = []
        for seq, sample in self.samples:
            if self.stands(seq) and (not begun or begun[-1][1].time != sample.time):
                begun.append((seq, sample))
        return begun


def _gathered(reads: ReadContext, facts: GameConfig, narrator: Narrator, after: int, last: int) -> _Timeline:
    """The timeline up to a commit, starting from another one if the log before it is not needed."""
    if after >= last:
        return _walk(reads, facts, narrator, reads.positions.read_at(facts, last), last)
    try:
        start = reads.positions.read_at(facts, after) if after else facts.initial_position()
        return _walk(reads, facts, narrator, start, last)
    except PastNotKept:  # an undo reaches further back
        return _walk(reads, facts, narrator, facts.initial_position(), last)


def _walk(reads: ReadContext, facts: GameConfig, narrator: Narrator, start: Position, last: int) -> _Timeline:
    found, position = _Timeline(), start
    _sample(facts, found, position, position.seq)
    for _, commit, position in replay(facts.game, start, reads.store.log.commits(facts.id, start.seq + 1, last)):
        if _may_move_on(facts, commit) or commit.seq == last:
            _sample(facts, found, position, commit.seq)
        headings = (narrator.find_heading(line) for line in reveal_events(facts.game.knowledge, commit, None))
        found.turns += [(commit.seq, heading) for heading in headings if heading is not None]
    found.memory = UNDO.memory_at(position.table)
    return found


def _may_move_on(facts: GameConfig, commit: Commit) -> bool:
    """Whether the commit may have advanced the game's time."""
    return facts.game.presentation.course is not None and (
        facts.game.presentation.course.every_commit or commit.by == "system"
    )


def _sample(facts: GameConfig, found: _Timeline, position: Position, seq: int) -> None:
    if facts.game.presentation.course is not None and position.state is not None:
        found.samples.append((seq, facts.game.presentation.course.sample(facts.game.knowledge.view(position.state))))


def _told(access: GameAccess, found: _Timeline, after: int, seq: int) -> Mapping[str, Any]:
    newest = found.samples[-1][1] if found.samples else None
    names = access.seated.names()
    return {
        "seq": seq,
        "unit": access.game.presentation.course.unit if access.game.presentation.course is not None else None,
        "seats": [
            {"seat": seat, "name": name, "color": None if newest is None else _colour(newest.colour(str(seat)))}
            for seat, name in sorted(names.items())
        ],
        "times": [
            {"seq": begun, "time": sample.time, "points": sample.seats}
            for begun, sample in found.times()
            if begun > after
        ],
        "turns": [{"seq": begun, "title": title} for begun, title in found.turns if begun > after],
        "undone": [
            {"first": first, "last": by - 1, "by": by} for first, by in (found.memory.undone if found.memory else ())
        ],
        "points": None if newest is None else newest.seats,
    }


def _colour(colour: str) -> Mapping[str, str]:
    return {"light": str(colour), "dark": colour.dark if isinstance(colour, Tone) else str(colour)}
