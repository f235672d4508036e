"""The public log of heads reveals changes that an operator with seed and key could otherwise make undetected."""

from __future__ import annotations

import json

import pytest

from service.audit.anchors import PublishedLog
from service.audit.auditor import audit
from service.audit.lines import write_line
from service.audit.log_proof import MAX_HEADS, build_log_line
from service.cli.published import Roots
from service.store.codec import canonical
from service.store.seal import Signer, head_of
from service.store.transparency.leaves import Leaf, name_of, unpacked
from service.store.transparency.notes import Checkpoint, Key, checkpoint_in, note_in, signed
from service.store.upkeep.log_growth import grow
from tests.audit.forger import Forger
from tests.audit.games import GAMES, SIGNER, finished, running
from tests.stores import new_store

NAME = "games.example.org/v1/log"
KEY = SIGNER.public.hex()
DAY = 86_400_000


def heads_of(data):
    return [
        head_of(canonical(line["header"])) for line in map(json.loads, data.splitlines()) if line["line"] == "commit"
    ]


def others(count, word="other"):
    return [Leaf(name_of(f"{word}{n}"), 1, name_of(f"{word} {n}")) for n in range(count)]


class Log:
    """A log that also contains heads of other games."""

    def __init__(self, data, *seqs, between=3):
        self.ledger = new_store().ledger
        heads = heads_of(data)
        for number, seq in enumerate(seqs):
            leaves = [*others(between, f"{number} "), Leaf(name_of("g7"), seq, heads[seq - 1])]
            assert grow(self.ledger, SIGNER, NAME, leaves, number * DAY)

    def add(self, *leaves, day=99):
        assert grow(self.ledger, SIGNER, NAME, leaves, day * DAY)
        return self

    @property
    def checkpoint(self):
        return checkpoint_in(note_in(self.ledger.checkpoint()[1]))

    def told(self, data, last=None, kept=0):
        """The export with its proof."""
        forger = Forger(data)
        line = build_log_line(self.ledger, "g7", last or len(forger.commits), kept)
        forger.log = None if line is None else json.loads(write_line(line))
        return forger

    def published(self, *kept, trusted=True):
        size, _ = self.ledger.checkpoint()
        leaves = [leaf for place in range(-(-size // 256)) for leaf in unpacked(self.ledger.leaves(place))]
        entries = {}
        for place, leaf in enumerate(leaves):
            entries.setdefault(leaf.name, []).append((place, leaf))
        return PublishedLog(kept, entries, size, Roots([leaf.hash for leaf in leaves]), size if trusted else 0)


def report(forger, **given):
    data = forger.file() if isinstance(forger, Forger) else forger
    return audit(data, games=GAMES, **given)


def found(forger, **given):
    return [(d.check, d.seq) for d in report(forger, **given).divergences]


LAST = len(heads_of(finished()))


# -- changes that an operator can make ---------------------------------------------------------------------------------


def later(whole):
    """Claims that a command was settled a moment later than it was."""
    whole.commits[-1]["header"]["at"] += 1


def somebody_else(whole):
    """Claims that a command was sent with another token."""
    whole.body(whole.find(lambda body: body["actor"]["by"] == "player"))["actor"]["credential"] = "c99"


def worded(whole):
    """Changes the message of a refusal."""
    whole.body(whole.find(lambda body: "refusal" in body))["refusal"]["message"] = "As you like it."


def named(whole):
    """Changes the id of a submission."""
    whole.body(whole.find(lambda body: body["actor"]["by"] == "player"))["submission"]["id"] = "another"


def released(whole):
    """Claims that another release settled it."""
    whole.commits[3]["header"]["release"] = "0.0.9"


def failed(whole):
    """Adds a command that no player sent, with a rules fault."""
    at = whole.find(lambda body: body["actor"]["by"] == "player" and "refusal" in body)
    copy = json.loads(json.dumps(whole.commits[at - 1]))
    body = copy["body"]
    body["submission"] |= {"id": "invented", "expected": None}
    body["refusal"] = {"code": "rules-fault", "message": "The rules failed.", "rule": "", "field": "", "facts": {}}
    copy["header"]["at"] = whole.commits[-1]["header"]["at"]
    body["drawn"] = whole.body(LAST - 1)["drawn"]
    body.pop("due", None)
    whole.commits.insert(LAST - 1, copy)


FORGERIES = [later, somebody_else, worded, named, released, failed]


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forgery_with_seed_and_key_is_found_by_the_published_heads(forge):
    log = Log(finished(), 2, LAST)
    whole = Forger(finished())
    forge(whole)
    assert [] == found(whole, keys=[KEY]), "it is one of those that nothing else shows"
    assert report(whole, keys=[KEY]).is_authenticated

    assert ["AUD-16"] == [check for check, _ in found(whole, keys=[KEY], log=log.published())]
    with_proof = log.told(finished())
    forge(with_proof)
    assert "AUD-15" in [check for check, _ in found(with_proof, keys=[KEY])], "the proof is of other heads"


@pytest.mark.parametrize("forge", FORGERIES)
def test_logging_the_forged_heads_is_found_by_reading_the_log(forge):
    log = Log(finished(), 2, LAST)
    kept = log.checkpoint
    whole = Forger(finished())
    forge(whole)
    forged = heads_of(whole.file())
    log.add(*others(5, "more "), Leaf(name_of("g7"), len(forged), forged[-1]))
    line = build_log_line(log.ledger, "g7", len(forged), kept.size)
    whole.log = json.loads(write_line(line)) | {"leaves": [list(line.leaves[-1])]}

    assert "AUD-16" in [check for check, _ in found(whole, keys=[KEY], log=log.published(kept))]
    alone = Forger(finished())
    forge(alone)
    assert not report(alone, log=PublishedLog((kept,))).is_authenticated, (
        "a kept checkpoint does not hold what came later"
    )


def test_a_rewritten_log_does_not_match_a_kept_checkpoint():
    kept = Log(finished(), 2, LAST).checkpoint
    whole = Forger(finished())
    later(whole)
    rewritten = Log(whole.file(), 2, LAST).add(*others(4))
    forged = rewritten.told(whole.file(), kept=kept.size)

    assert [] == found(forged, keys=[KEY], log=rewritten.published())
    assert [("AUD-16", None)] == found(forged, keys=[KEY], log=PublishedLog((kept,)))


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_proof_without_the_newest_head_does_not_authenticate_all_commits(forge):
    """The forger proves an earlier, unchanged head and leaves out the one that would differ."""
    log = Log(finished(), 2, LAST)
    kept = log.checkpoint
    honest = log.told(finished(), kept=kept.size)
    assert () == report(honest, keys=[KEY], log=PublishedLog((kept,))).unvouched
    whole = log.told(finished(), last=2, kept=kept.size)
    forge(whole)
    told = report(whole, keys=[KEY], log=PublishedLog((kept,)))

    assert told.unvouched or not told.is_ok
    if told.is_ok:
        assert ("the log that was given vouches for commits 1 to 2 only",) == told.unvouched


# -- valid proofs ------------------------------------------------------------------------------------------------------


def test_a_game_whose_heads_are_in_the_log_is_authenticated_by_it():
    log = Log(finished(), 2, 5, LAST).add(*others(300))
    told = report(log.told(finished()), keys=[KEY], log=log.published())

    assert told.is_ok
    assert {"ok"} == set(told.statuses.values())
    assert () == told.unvouched
    anonymous = report(log.told(finished()), log=log.published())
    assert anonymous.is_authenticated
    untrusted = report(log.told(finished()), log=log.published(trusted=False))
    assert not untrusted.is_authenticated
    assert 1 == len(untrusted.unvouched)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257])
def test_a_kept_checkpoint_authenticates_the_heads_it_contains(size):
    log = Log(finished(), 3, LAST, between=0)
    if size > 2:
        log.add(*others(size - 2))
    kept = log.checkpoint if size > 1 else checkpoint_in(note_in(min(log.ledger.days().items())[1]))
    log.add(*others(60, "later "))
    told = report(log.told(finished(), kept=size), log=PublishedLog((kept,)))

    assert told.is_ok
    assert (size > 1) == told.is_authenticated
    if size == 1:
        assert "it holds commits 1 to 3" == told.notes["AUD-16"]
        assert "only commits 1 to 3 are vouched for" == told.notes["AUD-14"]


def test_a_proof_that_does_not_reach_the_checkpoint_names_the_missing_query():
    log = Log(finished(), LAST, between=200).add(*others(9))
    kept = log.checkpoint
    log.add(*others(500, "later "))
    told = report(log.told(finished()), log=PublishedLog((kept,)))

    assert told.is_ok
    assert not told.is_authenticated
    assert f"?checkpoint={kept.size}" in told.notes["AUD-16"]
    assert [True] == [f"?checkpoint={kept.size}" in each for each in told.unvouched]
    assert list(told.unvouched) == told.to_json()["unvouched"]


def test_a_running_game_proves_its_heads():
    data = running()
    log = Log(data, 2, len(heads_of(data)))

    assert [] == found(log.told(data), keys=[KEY], log=log.published())
    earlier = Forger(finished()).running(4)
    assert [] == found(earlier, log=log.published()), "a prefix of what was logged"


def test_a_proof_of_a_long_game_has_a_limited_number_of_heads():
    ledger = new_store().ledger
    leaves = [Leaf(name_of("g7"), seq, name_of(f"h{seq}")) for seq in range(1, 1001)]
    assert grow(ledger, SIGNER, NAME, leaves, 0)
    line = build_log_line(ledger, "g7", 900, 333)

    assert [1, 900] == [line.leaves[0][1], line.leaves[-1][1]]
    assert MAX_HEADS <= len(line.leaves) <= MAX_HEADS + 1
    assert (332, 333) in line.leaves
    assert build_log_line(ledger, "g8", 900) is None
    assert build_log_line(new_store().ledger, "g7", 900) is None


# -- invalid proofs ----------------------------------------------------------------------------------------------------


def spoilt(log, **fields):
    forger = log.told(finished())
    forger.log |= fields
    return found(forger)


def test_a_proof_of_other_heads_is_rejected():
    log = Log(finished(), 2, LAST).add(*others(20))
    line = log.told(finished()).log
    level, place, hash_ = line["nodes"][0]
    elsewhere = Checkpoint("elsewhere", log.checkpoint.size, log.checkpoint.root)
    renamed = signed(elsewhere.text, Key("elsewhere", SIGNER.public), SIGNER.sign_text).written.decode()
    other = Log(finished(), 3, LAST).add(*others(20)).told(finished()).log["checkpoint"]

    for fields in (
        {"checkpoint": "no note"},
        {"checkpoint": other},
        {"earlier": [other]},
        {"earlier": [renamed]},
        {"earlier": [line["checkpoint"]], "checkpoint": line["earlier"][0]} if line["earlier"] else {"nodes": []},
        {"leaves": []},
        {"leaves": [[place, 1] for place, _ in line["leaves"]]},
        {"leaves": [[3, 99]]},
        {"leaves": line["leaves"][:1]},
        {"leaves": [*line["leaves"], [999, 2]]},
        {"nodes": []},
        {"nodes": [[level, place, "ab" * 32], *line["nodes"][1:]]},
        {"nodes": [*line["nodes"], [9, 0, hash_]]},
    ):
        assert [("AUD-15", None)] == spoilt(log, **fields), fields


def test_a_malformed_log_line_is_rejected():
    log = Log(finished(), 2, LAST).add(*others(20))
    for fields in (
        {"nodes": [[0, 1, "xy"]]},
        {"leaves": [[-1, 2]]},
        {"leaves": [[1 << 53, 2]]},
        {"more": 1},
        {"leaves": 7},
    ):
        assert ["AUD-01"] == [check for check, _ in spoilt(log, **fields)], fields
    older = Forger(finished(form=1))
    older.log = log.told(finished()).log
    assert ["AUD-01"] == [check for check, _ in found(older)], "there is none in form 1"


def test_a_checkpoint_by_an_unknown_key_is_skipped_with_a_note():
    log = Log(finished(), LAST)
    forger = log.told(finished())
    forger.signer = Signer(b"w" * 32)
    told = report(forger)

    assert told.is_ok
    assert "skipped" == told.statuses["AUD-15"]
    assert "none of the keys" in told.notes["AUD-15"]


def test_a_game_that_is_missing_from_the_log_is_found():
    empty = Log(finished()).add(*others(3))

    assert [("AUD-16", None)] == found(finished(), log=empty.published())


def test_a_game_with_more_heads_in_the_log_than_in_the_file_is_found():
    log = Log(finished(), LAST).add(Leaf(name_of("g7"), LAST + 1, name_of("more")))

    assert [("AUD-16", None)] == found(finished(), log=log.published())


def test_a_file_with_a_proof_of_another_log_is_found():
    log, other = Log(finished(), 2, LAST), Log(finished(), 2, LAST, between=4)

    assert [("AUD-16", None)] == found(other.told(finished()), log=log.add(*others(30)).published())
