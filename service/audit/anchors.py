"""Evidence from outside of a file: trusted keys and heads, and the public log of heads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from service.audit.lines import Export, LogLine
from service.store.transparency.leaves import Leaf, name_of
from service.store.transparency.notes import BadNote, Checkpoint, Key, checkpoint_in, is_signed, note_in
from service.store.transparency.proofs import NotProved, Proved

AnchorFinding = tuple[str, str, int | None]
"""Check, fault, and seq."""


@dataclass(frozen=True, slots=True)
class PublishedLog:
    """The log of heads from an independent source: checkpoints that the caller kept, or the full current log."""

    checkpoints: tuple[Checkpoint, ...] = ()
    entries: Mapping[str, Sequence[tuple[int, Leaf]]] | None = None
    """The leaves of each game with their places, in order, by the log's name of the game.

    None if only checkpoints are known.
    """
    size: int = 0
    root: Callable[[int], bytes] | None = None
    """The root of the tree with this many leaves."""
    trusted: int = 0
    """Number of leaves confirmed by an independent source: a key that signed the log, or a kept checkpoint."""


@dataclass(frozen=True, slots=True)
class TrustAnchors:
    """Independent evidence of the caller."""

    keys: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    log: PublishedLog | None = None


@dataclass(slots=True)
class AnchorResult:
    """The result."""

    divergences: list[AnchorFinding] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    authenticated: bool = False
    unvouched: list[str] = field(default_factory=list)
    """The reason for each given anchor that does not cover the whole file. ``--strict`` fails such a file."""


def verify_anchors(export: Export, heads: Sequence[str], trust: TrustAnchors) -> AnchorResult:
    """AUD-14 to AUD-16; ``heads`` are those of the file's chain."""
    found = AnchorResult()
    signed = any(each.public in trust.keys for each in export.end.signatures)
    if trust.keys and not signed:
        found.divergences.append(("AUD-14", "nothing in the file is signed with a key that was given", None))
    for head in trust.heads - set(heads):
        found.divergences.append(("AUD-14", f"the head {head[:80]} that was given is not in the chain", None))
    proof = _verify_log_line(export, heads, trust.keys, found)
    upto = max((heads.index(head) + 1 for head in trust.heads if head in heads), default=0)
    if trust.log is None:
        found.skipped.add("AUD-16")
    else:
        logged = _compare_log(export, heads, proof, trust.log, found)
        if logged < len(heads) and not found.unvouched:
            what = f"vouches for commits 1 to {logged} only" if logged else "does not vouch for this game"
            found.unvouched.append(f"the log that was given {what}")
        upto = max(upto, logged)
    found.authenticated = signed or upto == len(heads)
    if not found.authenticated:
        given = trust.keys or trust.heads or trust.log is not None
        nothing = "nothing that was given vouches for the file" if given else "no key and no head was given"
        found.notes["AUD-14"] = f"only commits 1 to {upto} are vouched for" if upto else nothing
        found.skipped.add("AUD-14")
    return found


# -- AUD-15: the log's proof in the file ---------------------------------------------------------------------------


def _verify_log_line(export: Export, heads: Sequence[str], keys: frozenset[str], found: AnchorResult) -> Proved | None:
    """The part of the tree that the file proves. None without a proof, or with a wrong one."""
    log = export.log
    if log is None:
        found.skipped.add("AUD-15")
        return None
    for _, seq in log.leaves:
        if not 1 <= seq <= len(heads):
            found.divergences.append(("AUD-15", f"the log line names commit {seq}, which the file does not have", None))
            return None
    name = name_of(export.setup.game)
    hashes = {place: Leaf(name, seq, heads[seq - 1]).hash for place, seq in log.leaves}
    try:
        proved = Proved(hashes, {(level, place): bytes.fromhex(hash_) for level, place, hash_ in log.nodes})
        for checkpoint in _read_checkpoints(log):
            if proved.root(checkpoint.size) != checkpoint.root:
                raise NotProved("its heads are not in the log that the checkpoint is of")
    except (BadNote, NotProved) as error:
        found.divergences.append(("AUD-15", f"the log line proves nothing: {error}", None))
        return None
    if not _is_signed(log, [*keys, *(each.public for each in export.end.signatures)]):
        found.notes["AUD-15"] = "its checkpoint is by none of the keys that are known here"
        found.skipped.add("AUD-15")
    return proved


def _read_checkpoints(log: LogLine) -> Iterator[Checkpoint]:
    newest = checkpoint_in(note_in(log.checkpoint.encode()))
    places = [place for place, _ in log.leaves]
    if not places or len({*places}) < len(places) or max(places) >= newest.size:
        raise NotProved("its leaves are no leaves of the log")
    yield newest
    for text in log.earlier:
        checkpoint = checkpoint_in(note_in(text.encode()))
        if checkpoint.origin != newest.origin or not 0 < checkpoint.size <= newest.size:
            raise NotProved("an earlier checkpoint is not of this log")
        yield checkpoint


def _is_signed(log: LogLine, keys: Sequence[str]) -> bool:
    note = note_in(log.checkpoint.encode())
    name = checkpoint_in(note).origin
    return any(is_signed(note, Key(name, bytes.fromhex(key))) for key in keys)


# -- AUD-16: the independent log ---------------------------------------------------------------------------------


def _compare_log(
    export: Export, heads: Sequence[str], proof: Proved | None, log: PublishedLog, found: AnchorResult
) -> int:
    """Compares the file with the log. Returns the seq up to which the log confirms the file."""
    upto = 0
    if log.entries is not None:
        upto = _compare_entries(export, heads, log, found)
    for kept in log.checkpoints:
        upto = max(upto, _compare_checkpoint(export, proof, kept, log, found))
    if not upto and log.entries is None:
        found.skipped.add("AUD-16")
    elif 0 < upto < len(heads):
        found.notes["AUD-16"] = f"it holds commits 1 to {upto}"
    return upto


def _compare_entries(export: Export, heads: Sequence[str], log: PublishedLog, found: AnchorResult) -> int:
    assert log.entries is not None
    assert log.root is not None
    upto, known = 0, False
    for place, leaf in log.entries.get(name_of(export.setup.game), ()):
        known = True
        if leaf.seq > len(heads):
            if export.seed is not None:
                found.divergences.append(
                    ("AUD-16", f"the log holds commit {leaf.seq}, which the file ends before", None)
                )
            break
        if leaf.seq < 1 or heads[leaf.seq - 1] != leaf.head:
            found.divergences.append(("AUD-16", "the log holds another head after this commit", leaf.seq))
            break
        upto = leaf.seq if place < log.trusted else upto
    if not known:
        found.divergences.append(("AUD-16", "the log holds no head of this game", None))
    if export.log is not None and not any(check == "AUD-15" for check, _, _ in found.divergences):
        for checkpoint in _read_checkpoints(export.log):
            if checkpoint.size <= log.size and log.root(checkpoint.size) != checkpoint.root:
                found.divergences.append(("AUD-16", "the file's checkpoint is not one of the log that was given", None))
                break
    return upto


def _compare_checkpoint(
    export: Export, proof: Proved | None, kept: Checkpoint, log: PublishedLog, found: AnchorResult
) -> int:
    if proof is None or export.log is None:
        found.notes.setdefault("AUD-16", "the file proves nothing of the log")
        if log.entries is None:
            found.unvouched.append(f"the file has no proof for the kept checkpoint of {kept.size} heads")
        return 0
    try:
        same = proof.root(kept.size) == kept.root
    except NotProved:
        if log.entries is None:
            again = f"export it again with ?checkpoint={kept.size}"
            found.notes["AUD-16"] = f"the file's proof does not reach the checkpoint of {kept.size} heads: {again}"
            found.unvouched.append(found.notes["AUD-16"])
        return 0
    if not same:
        found.divergences.append(("AUD-16", "the checkpoint that was kept is of another log than the file's", None))
        return 0
    upto = max((seq for place, seq in export.log.leaves if place < kept.size), default=0)
    if not upto:
        found.notes["AUD-16"] = (
            "the checkpoint that was kept is older than every head of this game that the file proves"
        )
    return upto
