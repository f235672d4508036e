"""Every registered game obeys every law; a new game is tested as soon as it is registered."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path

import pytest

from domain.kernel.shape import snake
from domain.registry import GAMES
from domain.table.features import EVENTS
from service.audit.auditor import audit
from service.audit.parser import parse_export
from service.core.history.narration import Narrator
from service.store.codec import decode_commit
from tests.games import law, laws, setups
from tests.pennies import PENNIES
from tests.soaking import chosen

KNOWN = {**GAMES, PENNIES.key: PENNIES}
CASES = [case for game in KNOWN.values() for case in setups.cases(game)]
USUAL = [case for game in KNOWN.values() for case in setups.cases(game)[: len(game.rules.rulesets)]]
"""Every ruleset with its usual setup."""
FIRST = [setups.cases(game)[0] for game in KNOWN.values()]
"""The usual setup of each game. The gate plays these; the soak tests play all."""
RECORDINGS = Path(__file__).parent.parent / "recordings"

each_game = pytest.mark.parametrize("game", KNOWN.values(), ids=lambda game: game.key)


@each_game
def test_declarations_of_a_game_are_consistent(game):
    setups.described(game)


@each_game
def test_setup_is_completed_or_refused_by_field(game):
    setups.set_up(game)


@each_game
@pytest.mark.parametrize("said", [1_930_996_800_000, "word", (), {}], ids=repr)
def test_condensing_history_leaves_table_events_unchanged(game, said):
    """`condense` must ignore table events, even if their fields have names or values that the game uses."""
    for kind, event in EVENTS.items():
        line = {"type": kind, **{each.name: said for each in dataclasses.fields(event)}}

        assert [line] == list(game.presentation.condense([line]))


@pytest.mark.parametrize("case", chosen(CASES, *FIRST, max(CASES, key=lambda case: len(str(case)))), ids=str)
def test_random_game_obeys_every_law(case):
    laws.opening(case)


@pytest.mark.parametrize("case", chosen(USUAL, FIRST[0], FIRST[-1]), ids=str)
def test_game_reaches_its_end(case):
    play = laws.finished(case)

    assert play.told


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_many_random_games_obey_every_law(case, seed):
    laws.opening(case, commits=1500, every=10, seed=10 + seed)


@each_game
def test_every_recorded_event_can_be_narrated(game):
    told, untold = set(), set()
    for export in map(parse_export, recordings(game)):
        narrator = Narrator(game, {})
        for line in export.commits:
            commit = decode_commit(game, line.header.seq, line.header.at, line.header.release, line.body)
            for event in (each for each in commit.events if type(each) not in EVENTS.values()):
                type_ = snake(type(event).__name__)
                if type_ not in told:
                    shown = [game.knowledge.reveal(event, seat) for seat in (None, 1, 2, 3, 4)]
                    (told if any(shown) else untold).add(type_)
                    for document in filter(None, shown):
                        law.narrated(game, narrator, document)

    assert set(game.rules.events) - untold - told <= set(game.presentation.sentences)
    assert told <= set(game.presentation.sentences)


@each_game
def test_every_game_has_a_finished_recording_that_passes_the_audit(game):
    assert recordings(game)
    report = audit(min(recordings(game), key=len), games=KNOWN)
    assert report.is_ok, report.verdict
    assert "over" == report.facts["status"]


@cache
def _kinds():
    files = [path.read_bytes() for path in sorted(RECORDINGS.glob("*.ndjson"))]
    return [(json.loads(file.partition(b"\n")[0])["kind"], file) for file in files]


def recordings(game):
    return [file for kind, file in _kinds() if kind == game.key]
