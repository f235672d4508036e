"""The log of heads over HTTP: checkpoints, tiles, entries and keys, as C2SP tlog-tiles defines them."""

from __future__ import annotations

import pytest

from service.features.transparency.heads import publish
from service.store.transparency.leaves import Leaf, name_of, unbundled
from service.store.transparency.notes import checkpoint_in, is_signed, key_in, note_in
from service.store.transparency.tiles import TiledTree
from service.store.transparency.tree import root
from service.store.upkeep.log_growth import grow
from tests.store.pump import SIGNER

NAME = "games.example.org/v1/log"


def many(world, count):
    leaves = [Leaf(name_of(f"g{n}"), 1, name_of(f"h{n}")) for n in range(count)]
    assert grow(world.store.ledger, SIGNER, NAME, leaves, 0)
    return leaves


def test_the_whole_log_can_be_read_and_verified_with_its_key(world):
    world.store.log.add_key(SIGNER.key_id, SIGNER.public.hex())
    game, *_ = world.table()
    hidden, *_ = world.table(visibility="private")
    publish(world.store, SIGNER, NAME)

    answer = world.public.get("/v1/log/checkpoint", want=200)
    assert "text/plain; charset=utf-8" == answer.headers["Content-Type"]
    assert "public, max-age=2" == answer.headers["Cache-Control"]
    note = note_in(answer.body)
    checkpoint = checkpoint_in(note)
    keys = [key_in(line) for line in world.public.get("/v1/log/key", want=200).text.splitlines()]
    assert is_signed(note, keys[0])
    assert (NAME, 2) == (checkpoint.origin, checkpoint.size)

    def tile(level, place, width):
        return world.public.get(f"/v1/log/tile/{level}/{place:03}.p/{width}", want=200).body

    assert checkpoint.root == root(2, TiledTree(2, tile).node)
    bundle = world.public.get("/v1/log/tile/entries/000.p/2", want=200)
    assert "application/octet-stream" == bundle.headers["Content-Type"]
    assert {name_of(game), name_of(hidden)} == {leaf.name for leaf in unbundled(bundle.body)}
    assert hidden.encode() not in bundle.body


def test_tiles_never_change_and_are_cacheable_as_immutable(world):
    leaves = many(world, 300)
    answers = {
        name: world.public.get(f"/v1/log/tile/{name}", want=200)
        for name in ("0/000", "0/000.p/7", "0/001.p/44", "1/000.p/1", "entries/000", "entries/001.p/44")
    }

    assert {"public, max-age=31536000, immutable"} == {each.headers["Cache-Control"] for each in answers.values()}
    assert answers["0/000"].body[: 7 * 32] == answers["0/000.p/7"].body
    assert leaves[256:] == list(unbundled(answers["entries/001.p/44"].body))
    assert [256 * 32, 44 * 32, 32] == [len(answers[name].body) for name in ("0/000", "0/001.p/44", "1/000.p/1")]


@pytest.mark.parametrize(
    "name",
    [
        "0/001",
        "0/001.p/45",
        "1/000",
        "2/000.p/1",
        "entries/001",
        "entries/001.p/45",
        "0/1",
        "x",
        "63/x999/999",
        "0/000.p/0",
    ],
)
def test_a_tile_outside_the_log_is_404(world, name):
    many(world, 300)

    assert "not-found" == world.public.get(f"/v1/log/tile/{name}", want=404).json["code"]


def test_before_the_first_head_there_is_no_checkpoint(world):
    assert "no-checkpoint" == world.public.get("/v1/log/checkpoint", want=404).json["code"]
    assert "no-checkpoint" == world.public.get("/v1/log/key", want=404).json["code"]
