"""A service's published transparency log, read over HTTP. All hashes are recomputed, so nothing is trusted."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import requests
from urllib3.exceptions import HTTPError

from service.audit.anchors import PublishedLog
from service.store.transparency.leaves import Leaf, NoEntries, unbundled
from service.store.transparency.notes import (
    LONGEST,
    BadNote,
    Checkpoint,
    Key,
    Note,
    checkpoint_in,
    is_signed,
    key_in,
    note_in,
)
from service.store.transparency.proofs import NotProved, Proved, cover
from service.store.transparency.tiles import HASH, WIDTH, LogTile, TiledTree, grown, width_at
from service.store.transparency.tree import EMPTY, folded, root

SECONDS = 30
"""Maximum seconds per response."""

_LARGEST = 1 << 20
"""Maximum bytes of a tile or bundle."""

Said = Callable[[int, int], None]
"""Called with the number of entries read and the total."""


class BadLog(ValueError):
    """The log cannot be read or is inconsistent. The message says why."""


class Unreachable(BadLog):
    """The log cannot be reached now."""


class Rewritten(BadLog):
    """The log does not extend its earlier state."""


@dataclass(frozen=True, slots=True)
class Source:
    """The address of a published log."""

    url: str

    @property
    def prefix(self) -> str:
        stem = self.url.rstrip("/")
        return stem if stem.endswith("/v1/log") else stem + "/v1/log"

    def checkpoint(self) -> tuple[Note, Checkpoint]:
        """The newest checkpoint. Raises `BadLog`."""
        return checkpoint_on(self._get("checkpoint", LONGEST), self.prefix)

    def tile(self, level: int, place: int, width: int) -> bytes:
        """The first ``width`` hashes of a tile. Raises `BadLog`."""
        data = self._get("tile/" + LogTile(level, place, width).path, _LARGEST)
        if len(data) != width * HASH:
            raise BadLog(f"{self.prefix}: a tile has the wrong length")
        return data

    def signing_keys(self) -> list[Key]:
        """The checkpoint keys that the service names. Raises `BadLog`."""
        try:
            return [key_in(line) for line in self._get("key", LONGEST).decode().splitlines()]
        except (BadNote, UnicodeDecodeError) as error:
            raise BadLog(f"{self.prefix}/key contains no keys: {error}") from error

    def leaves(self, size: int, said: Said) -> list[Leaf]:
        """The first ``size`` leaves. Raises `BadLog`."""
        found: list[Leaf] = []
        while len(found) < size:
            place = len(found) // WIDTH
            width = width_at(size, 0, place)
            try:
                bundle = list(unbundled(self._get("tile/" + LogTile(None, place, width).path, _LARGEST)))
            except NoEntries as error:
                raise BadLog(f"{self.prefix}: {error}") from error
            if len(bundle) != width:
                raise BadLog(f"{self.prefix}: it has fewer entries than the checkpoint says")
            found += bundle
            said(len(found), size)
        return found

    def _get(self, name: str, most: int) -> bytes:
        try:
            with requests.get(f"{self.prefix}/{name}", timeout=SECONDS, stream=True, allow_redirects=False) as answer:
                if answer.status_code != requests.codes.ok:
                    raise Unreachable(f"{self.prefix}/{name} returned {answer.status_code}")
                data, until = bytearray(), time.monotonic() + SECONDS
                # Read the bytes as they arrive: waiting for a full block would let the other side stall without limit.
                while piece := answer.raw.read1(65536, decode_content=True):
                    data += piece
                    if len(data) > most:
                        raise BadLog(f"{self.prefix}/{name} is larger than any valid file of a log")
                    if time.monotonic() > until:
                        raise Unreachable(f"{self.prefix}/{name} did not finish within {SECONDS} seconds")
        except (requests.RequestException, HTTPError) as error:
            raise Unreachable(f"{self.prefix}/{name} cannot be read: {error}") from error
        return bytes(data)


def checkpoint_on(data: bytes, where: str) -> tuple[Note, Checkpoint]:
    """The checkpoint in these bytes. Raises `BadLog`."""
    try:
        note = note_in(data)
        return note, checkpoint_in(note)
    except BadNote as error:
        raise BadLog(f"{where} is not a checkpoint: {error}") from error


def by_one_of(note: Note, keys: Iterable[str]) -> bool:
    """Whether one of these public keys (hex) signed the checkpoint."""
    name = checkpoint_in(note).origin
    return any(is_signed(note, Key(name, bytes.fromhex(key))) for key in keys)


def published(
    kept: Sequence[tuple[Note, Checkpoint]], source: Source | None, keys: Sequence[str], said: Said
) -> PublishedLog:
    """The log as known from stored checkpoints and, if there is a source, from its current state.

    Raises `BadLog` if the log does not match its own checkpoint, or if no given key signed a checkpoint. Also raises it
    if a stored checkpoint is not a prefix of the log, which means that the log was rewritten.
    """
    checkpoints = tuple(checkpoint for _, checkpoint in kept)
    for note, checkpoint in kept:
        if keys and not by_one_of(note, keys):
            raise BadLog(f"the checkpoint of {checkpoint.size} heads is signed by no key that was given")
    if source is None:
        return PublishedLog(checkpoints)
    note, newest = source.checkpoint()
    if keys and not by_one_of(note, keys):
        raise BadLog(f"{source.prefix}: the checkpoint is signed by no key that was given")
    leaves = source.leaves(newest.size, said)
    roots = Roots([leaf.hash for leaf in leaves])
    if roots(newest.size) != newest.root:
        raise BadLog(f"{source.prefix}: the entries are not those that the checkpoint is of")
    for checkpoint in checkpoints:
        if checkpoint.origin != newest.origin:
            raise BadLog(
                f"{source.prefix} is {newest.origin}, and the checkpoint that was kept is of {checkpoint.origin}"
            )
        if checkpoint.size > newest.size or roots(checkpoint.size) != checkpoint.root:
            raise Rewritten(
                f"{source.prefix} WAS REWRITTEN: the checkpoint of {checkpoint.size} heads that was kept is not its beginning"
            )
    entries: defaultdict[str, list[tuple[int, Leaf]]] = defaultdict(list)
    for place, leaf in enumerate(leaves):
        entries[leaf.name].append((place, leaf))
    trusted = newest.size if keys else max((checkpoint.size for checkpoint in checkpoints), default=0)
    return PublishedLog(checkpoints, entries, newest.size, roots, trusted)


def must_continue(source: Source, kept: Checkpoint, newest: Checkpoint) -> None:
    """Check that the newest checkpoint extends a stored one. Reads only the tiles needed for the proof.

    Raises `Rewritten`, and `BadLog` if the log cannot be read.
    """
    rewritten = f"{source.prefix} WAS REWRITTEN"
    if newest.origin != kept.origin:
        raise Rewritten(f"{rewritten}: it is called {newest.origin} now, and was {kept.origin}")
    if newest.size < kept.size:
        raise Rewritten(f"{rewritten}: it has {newest.size} heads now, and had {kept.size}")
    if newest.size == kept.size:
        if newest.root != kept.root:
            raise Rewritten(f"{rewritten}: two checkpoints of {kept.size} heads have different roots")
        return
    tree = TiledTree(newest.size, source.tile)
    proved = Proved({}, {node: tree.node(*node) for node in cover([kept.size, newest.size], [])})
    try:
        whole, before = proved.root(newest.size), proved.root(kept.size)
    except NotProved as error:  # a bug: the cover includes both sizes
        raise BadLog(f"{source.prefix}: {error}") from error
    if whole != newest.root:
        raise BadLog(f"{source.prefix}: the tiles are not those that the checkpoint is of")
    if before != kept.root:
        raise Rewritten(f"{rewritten}: the checkpoint of {kept.size} heads that was kept is not its beginning")


class Roots:
    """The root of the first n leaves, for any n."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._tiles = {(each.level, each.place): each.hashes for each in grown(0, {}, leaves)}

    def __call__(self, size: int) -> bytes:
        return root(size, self._node) if size else EMPTY

    def _node(self, level: int, place: int) -> bytes:
        floor, above = divmod(level, 8)
        first = place << above
        hashes = self._tiles[floor, first // WIDTH]
        at = first % WIDTH
        return folded([hashes[HASH * n : HASH * (n + 1)] for n in range(at, at + (1 << above))])
