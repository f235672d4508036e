"""The views of recorded games have exactly the fields of their schemas: each kind, every seat and a spectator, many positions."""

from __future__ import annotations

import copy
from pathlib import Path

import jsonschema_rs
import orjson
import pytest

from domain.kernel.record import PastNotKept, Position
from domain.registry import GAMES
from domain.table.folding import fold
from service.audit.parser import parse_export
from service.core.http.responses import view_body
from service.core.http.schemas.views import view_components, view_name
from service.core.positions.rows import as_bytes, build_plan, build_private, build_public
from service.store.codec import decode_commit
from tests.core.http.test_declared import close, deepest

RECORDINGS = Path(__file__).parents[2] / "recordings"
FILES = sorted(path for path in RECORDINGS.glob("*.ndjson") if path.name.partition("-")[0] in GAMES)
EVERY = 17
"""The last position and every 17th are checked."""


def closed(components):
    """The components without additional properties."""
    schemas = copy.deepcopy(components)
    for schema in schemas.values():
        schema.pop("additionalProperties", None)
        close(schema)
    return schemas


def validator(key, components):
    schemas = closed(components)
    return jsonschema_rs.Draft202012Validator({**schemas[view_name(key)], "components": {"schemas": schemas}})


def positions(path):
    """Every 17th position of a recorded game, and the last."""
    recording = parse_export(path.read_bytes())
    game, position, known = GAMES[recording.setup.kind], Position(), Position()
    for place, line in enumerate(recording.commits):
        commit = decode_commit(game, line.header.seq, line.header.at, line.header.release, line.body)
        before, known = known, fold(game, known, commit)
        try:
            position = fold(game, position, commit)
        except PastNotKept:
            position = fold(game, before, commit)
        if place % EVERY == 0 or position.over:
            yield game, position


def views(game, position):
    """The view of a spectator, and that of each seat with its planning data."""
    for seat in (None, *range(1, len(position.table.controllers) + 1)):
        private = b"null" if seat is None else as_bytes(build_private(game.knowledge, position, seat))
        public, plan = (
            as_bytes(build_public(game.knowledge, position)),
            as_bytes(build_plan(game.knowledge, position, seat)),
        )
        yield orjson.loads(view_body(game.key, position.etag(seat), public, private, plan))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_views_of_a_recorded_game_have_exactly_the_declared_fields(path):
    key = path.name.partition("-")[0]
    check, seen = validator(key, view_components(GAMES)), 0
    for game, position in positions(path):
        for view in views(game, position):
            seen += 1
            assert [deepest(error) for error in check.iter_errors(view)] == []

    assert seen > 5


@pytest.mark.parametrize(
    ("key", "component", "field"),
    [
        ("battalia", "BattaliaHero", "steps"),
        ("battalia", "BattaliaPrivate", "deck"),
        ("battalia", "BattaliaPrices", "step"),
        ("battalia", "BattaliaNpcs", "keeper"),
        ("fronela", "FronelaNation", "pool"),
        ("fronela", "FronelaOrders", "stance"),
        ("nim", "NimPublic", "heaps"),
        ("nim", "TableView", "undo"),
    ],
)
def test_field_that_is_missing_from_its_schema_is_found(key, component, field):
    components = view_components(GAMES)
    components[component]["properties"].pop(field)
    components[component]["required"] = [name for name in components[component].get("required", ()) if name != field]
    check = validator(key, components)
    *_, (game, position), _ended = positions(RECORDINGS / RECORDED[key])
    faults = [deepest(error) for view in views(game, position) for error in check.iter_errors(view)]

    assert any(field in fault for fault in faults)


RECORDED = {
    "battalia": "battalia-3-keeper-weeks.ndjson",
    "fronela": "fronela-4-history.ndjson",
    "nim": "nim-2-undo.ndjson",
}
