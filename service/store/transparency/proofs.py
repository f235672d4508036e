"""Combined inclusion and consistency proofs: leaves are in a tree, and a smaller tree is a prefix of a larger one.

A proof contains the hashes of complete subtrees. Together with the leaves they make up the tree, split in such a way
that the root of every size in question can be computed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping

from service.store.transparency.tree import Node, Read, node_hash, peaks, root

HIGHEST = 63
"""The highest level of a subtree."""


class NotProved(ValueError):
    """The hashes do not make up the tree; the message says why."""


def cover(sizes: Collection[int], leaves: Collection[int]) -> Iterator[Node]:
    """The complete subtrees whose hashes prove these leaves, given by index, in the trees of these sizes."""
    largest, ends = max(sizes, default=0), sorted(set(sizes))
    stack = peaks(largest)[::-1]
    wanted = sorted(set(leaves))
    while stack:
        level, place = stack.pop()
        begin, end = place << level, (place + 1) << level
        within = bisect_left(wanted, begin) < bisect_left(wanted, end)
        if not within and not any(begin < size < end for size in ends):
            yield level, place
        elif level:
            stack += [(level - 1, 2 * place + 1), (level - 1, 2 * place)]


def proof(sizes: Collection[int], leaves: Collection[int], read: Read) -> dict[Node, bytes]:
    return {node: read(*node) for node in cover(sizes, leaves)}


class Proved:
    """The part of the tree that the given leaves and hashes determine, and its roots."""

    def __init__(self, leaves: Mapping[int, bytes], nodes: Mapping[Node, bytes]) -> None:
        """Raises `NotProved` if a subtree contains another one or a leaf: that hash would be trusted, not computed."""
        given: dict[Node, bytes] = {(0, place): hash_ for place, hash_ in leaves.items()}
        if given.keys() & nodes.keys():
            raise NotProved("a leaf is given twice")
        given.update(nodes)
        _must_stand_apart(given)
        self._known = dict(given)
        rows: dict[int, dict[int, bytes]] = {}
        for (level, place), hash_ in given.items():
            rows.setdefault(level, {})[place] = hash_
        for level in range(HIGHEST):
            row, above = rows.get(level, {}), rows.setdefault(level + 1, {})
            for place, left in row.items():
                if place % 2 == 0 and place + 1 in row:
                    above[place // 2] = self._known[level + 1, place // 2] = node_hash(left, row[place + 1])

    def root(self, size: int) -> bytes:
        """The root of the tree of the first ``size`` leaves; raises `NotProved` if the hashes do not suffice."""
        return root(size, self._read)

    def _read(self, level: int, place: int) -> bytes:
        try:
            return self._known[level, place]
        except KeyError as error:
            raise NotProved("the hashes do not reach this size of the log") from error


def _must_stand_apart(given: Collection[Node]) -> None:
    for level, place in given:
        if not (0 <= level <= HIGHEST and place >= 0):
            raise NotProved("a hash is given of no subtree")
        up = (level + 1, place // 2)
        while up[0] <= HIGHEST:
            if up in given:
                raise NotProved("a hash is given of what another one holds")
            up = (up[0] + 1, up[1] // 2)
