"""The Merkle tree, checked against the reference vectors of Certificate Transparency and an independent implementation."""

from __future__ import annotations

import hashlib

import pytest
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion

from service.store.transparency.proofs import NotProved, Proved, cover, proof
from service.store.transparency.tiles import HASH, LogTile, NoTile, TiledTree, edge, grown, tile_at, width_at
from service.store.transparency.tree import EMPTY, folded, leaf_hash, node_hash, peaks, root

REFERENCE = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
"""The leaves of the reference tree of Certificate Transparency, hex."""
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def reader(hashes):
    return lambda level, place: folded(hashes[place << level : (place + 1) << level])


def entries(count):
    return [b"entry %d" % n for n in range(count)]


def test_roots_equal_those_of_the_reference_tree():
    read = reader([leaf_hash(bytes.fromhex(leaf)) for leaf in REFERENCE])

    assert ROOTS == [root(size, read).hex() for size in range(9)]
    assert hashlib.sha256().digest() == EMPTY


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 255, 256, 257, 700])
def test_independent_implementation_computes_the_same_roots_and_valid_proofs(count):
    judge, hashes = InmemoryTree(algorithm="sha256"), []
    for entry in entries(count):
        judge.append(entry)
        hashes.append(leaf_hash(entry))
    ours = root(count, reader(hashes))

    assert judge.get_state() == ours
    for index in sorted({0, count // 2, count - 1}):
        verify_inclusion(hashes[index], ours, judge.prove_inclusion(index + 1, count))
    for size in sorted({1, count // 2 + 1, count}):
        verify_consistency(root(size, reader(hashes)), ours, judge.prove_consistency(size, count))


@pytest.mark.parametrize("steps", [[1] * 20, [255, 1, 1], [256], [300, 300, 65_000], [70_000], [65_535, 1, 65_536]])
def test_tree_grown_in_tiles_has_the_same_roots_as_the_plain_tree(steps):
    tiles, leaves, size = {}, [], 0
    for step in steps:
        more = [hashlib.sha256(b"%d" % n).digest() for n in range(size, size + step)]
        partial = {level: tiles[level, place] for level, place, _ in edge(size)}
        for added in grown(size, partial, more):
            tiles[added.level, added.place] = tiles.get((added.level, added.place), b"") + added.hashes
        leaves, size = leaves + more, size + step
        tree = TiledTree(size, lambda level, place, width: tiles[level, place][: width * HASH])
        assert root(size, tree.node) == root(size, reader(leaves)), size
    assert all(len(hashes) == width_at(size, *name) * HASH for name, hashes in tiles.items())


def test_tree_of_70_000_leaves_has_the_tiles_of_the_specification():
    assert [(0, 273, 112), (1, 1, 17), (2, 0, 1)] == edge(70_000)
    assert [(256, 256), (256, 17), (0, 0)] == [(width_at(70_000, 0, n), width_at(70_000, 1, n)) for n in (0, 1, 274)]
    assert [(1, 0, 1)] == edge(256)


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (LogTile(0, 1234067), "0/x001/x234/067"),
        (LogTile(63, 0, 1), "63/000.p/1"),
        (LogTile(None, 273, 112), "entries/273.p/112"),
        (LogTile(2, 1000, 255), "2/x001/000.p/255"),
    ],
)
def test_tiles_have_the_names_of_the_specification(tile, path):
    assert path == tile.path
    assert tile == tile_at(path)


@pytest.mark.parametrize(
    "path",
    [
        *("", "0", "0/", "0/1", "00/001", "64/001", "-1/001", "0/0001", "0/x000/001", "0/001.p/256", "0/001.p/0"),
        *(
            "0/001.p/01",
            "0/001.p/",
            "0/x001",
            "entries/x1/001",
            "leaves/001",
            "0/001/002",
            "0/\u0660\u0660\u0661",
            "0/001\n",
        ),
        "0/" + "x001/" * 9 + "001",
    ],
)
def test_malformed_tile_name_is_rejected(path):
    with pytest.raises(NoTile):
        tile_at(path)


def test_proof_holds_for_any_two_sizes_and_any_leaf_and_for_no_other_leaf():
    hashes = [leaf_hash(entry) for entry in entries(40)]
    read = reader(hashes)
    for second in range(1, 41):
        for first in range(1, second + 1):
            for leaf in sorted({0, first // 2, second - 1}):
                nodes = proof([first, second], [leaf], read)
                proved = Proved({leaf: hashes[leaf]}, nodes)
                assert (root(first, read), root(second, read)) == (proved.root(first), proved.root(second))
                assert Proved({leaf: leaf_hash(b"forged")}, nodes).root(second) != root(second, read)


def test_proof_covers_only_the_nodes_it_needs():
    assert [] == list(cover([1], [0]))
    assert [(0, 1), (1, 1), (2, 1)] == list(cover([8], [0]))
    assert [(1, 0), (0, 2), (0, 3), (2, 1)] == list(cover([3, 8], [])), "cut where the smaller tree ends"
    assert [] == list(cover([], []))
    assert [(6, 0), (5, 2), (2, 24)] == peaks(100)


def test_proof_whose_nodes_hide_a_leaf_is_rejected():
    """Otherwise a root would be accepted that does not contain the leaf."""
    hashes = [leaf_hash(entry) for entry in entries(4)]
    above = node_hash(hashes[0], hashes[1])
    whole = root(4, reader(hashes))
    forged = {0: leaf_hash(b"forged")}
    for nodes in ({(1, 0): above, (1, 1): node_hash(hashes[2], hashes[3])}, {(2, 0): whole}, {(0, 0): hashes[0]}):
        with pytest.raises(NotProved):
            Proved(forged, nodes)
    with pytest.raises(NotProved):
        Proved({}, {(2, 0): whole, (0, 1): hashes[1]})
    with pytest.raises(NotProved):
        Proved({}, {(64, 0): whole})
    with pytest.raises(NotProved, match="reach"):
        Proved({}, {(2, 0): whole}).root(5)
