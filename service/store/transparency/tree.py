"""The Merkle tree of RFC 6962 and 9162: hashes of leaves and nodes, and roots of any size.

A complete subtree has a level (0 is a leaf) and a place in that level, counted from the left. It has 2^level leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

Node = tuple[int, int]
"""Level and place of a complete subtree."""

Read = Callable[[int, int], bytes]
"""Returns the hash of the complete subtree at a level and place."""

EMPTY = hashlib.sha256(b"").digest()
"""The root of the tree without leaves."""


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def folded(hashes: Sequence[bytes]) -> bytes:
    """The hash of the subtree above these complete subtrees; their number is a power of two."""
    row = list(hashes)
    while len(row) > 1:
        row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=True)]
    return row[0]


def peaks(size: int) -> list[Node]:
    """The complete subtrees that make up a tree of this size, from the left, the largest first."""
    found, begin = [], 0
    for level in reversed(range(size.bit_length())):
        if size >> level & 1:
            found.append((level, begin >> level))
            begin += 1 << level
    return found


def root(size: int, read: Read) -> bytes:
    """The root of the tree of the first ``size`` leaves."""
    if size == 0:
        return EMPTY
    *others, last = peaks(size)
    hash_ = read(*last)
    for peak in reversed(others):
        hash_ = node_hash(read(*peak), hash_)
    return hash_
