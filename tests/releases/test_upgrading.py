"""Players agree that their game goes on by the present rules, though these would have decided a commit before otherwise."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from domain import RELEASE as PRESENT
from domain.play.parts.votes.ballot import Upgraded
from domain.registry import GAMES
from domain.terms import Seq
from service.audit.auditor import audit
from service.cli.checking.checked import check_export
from service.cli.commands import check_release
from service.cli.commands.check_release import check
from service.process.frozen import shelf
from service.projections.positions.cache import Positions
from service.store.chain import BrokenLog
from tests.releases.before import RELEASE, older
from workers import frozen
from workers.advance import Advance

TOO_MUCH = (1, 9)
YES = {"type": "cast_vote", "agree": True}


def propose(left=RELEASE, release=PRESENT, differs=2):
    return {"type": "propose_rules", "left": left, "release": release, "differs": differs}


@pytest.fixture
def otherwise(nim, kept):
    """A game with votes at its table, of which the present rules would have decided commit 2 otherwise."""
    game = nim.start(table={"votes": "on"})
    nim.settle(old=True)
    assert (RELEASE, False) == nim.turn(game, *TOO_MUCH, old=True)
    return game


def said(nim, game, seat, command, **how):
    nim.say(game, seat, command)
    nim.settle(**how)
    return nim.newest(game)


def agreed(nim, game):
    assert (RELEASE, False) == said(nim, game, 1, propose())
    assert (RELEASE, False) == said(nim, game, 2, YES)
    return game


def releases(nim, game):
    return [commit.release for commit in nim.store.log.commits(game)]


def test_from_then_on_the_present_rules_decide_and_the_log_says_why(nim, otherwise):
    agreed(nim, otherwise)
    (commit,) = nim.store.log.commits(otherwise, 4, 4)
    assert f'"left":"{RELEASE}","release":"{PRESENT}","type":"rules_upgraded"'.encode() in commit.body
    assert (PRESENT, True) == nim.turn(otherwise, 2, 9)
    assert (PRESENT, False) == nim.turn(otherwise, 2, 3)
    assert [RELEASE] * 4 + [PRESENT] * 2 == releases(nim, otherwise)
    assert {} == nim.store.log.marks()


def test_without_it_nothing_of_the_kind_happens(nim, otherwise):
    said(nim, otherwise, 1, propose())
    said(nim, otherwise, 2, {"type": "cast_vote", "agree": False})
    assert (RELEASE, False) == nim.turn(otherwise, 2, 9)


def test_what_waits_behind_the_last_voice_is_decided_by_the_present_rules(nim, otherwise):
    said(nim, otherwise, 1, propose())
    nim.say(otherwise, 2, YES)
    for _ in range(2):
        nim.take(otherwise, 2, 9)
    nim.settle()
    assert [RELEASE] * 4 + [PRESENT] * 2 == releases(nim, otherwise)


@pytest.mark.parametrize("command", [propose(release="9.9.9"), propose(left="0.0.1"), propose(left=PRESENT)])
def test_what_is_proposed_must_be_so_when_it_is_settled(nim, otherwise, command):
    assert (RELEASE, True) == said(nim, otherwise, 1, command)
    assert b'"other-rules"' in nim.last(otherwise)


def test_nobody_can_write_the_word_of_the_worker_himself(nim, otherwise):
    command = {**propose(release="9.9.9"), "decided_by": RELEASE, "present": "9.9.9"}
    assert (RELEASE, True) == said(nim, otherwise, 1, command)


def test_a_game_by_the_present_rules_has_nothing_to_vote_on(nim, kept):
    game = nim.start(table={"votes": "on"})
    nim.settle()
    assert (PRESENT, True) == said(nim, game, 1, propose())
    assert (PRESENT, True) == said(nim, game, 1, propose(left=PRESENT, release=PRESENT))


def test_an_audit_with_the_frozen_rules_finds_it_right_and_says_what_was_agreed(nim, otherwise):
    report = audit(ended(nim, agreed(nim, otherwise)))
    assert () == report.divergences
    assert f"in commit 4 the players left the rules of {RELEASE} for those of {PRESENT}" == report.notes["AUD-09"]


def test_an_audit_without_them_says_which_it_needs_and_what_was_agreed(nim, otherwise):
    data = ended(nim, agreed(nim, otherwise))
    shelf.use(Path("/nowhere"))
    report = audit(data)
    (divergence,) = report.divergences
    assert ("AUD-09", 2) == (divergence.check, divergence.seq)
    assert f"it needs rules {RELEASE}, which are not here" in divergence.what
    assert f"for those of {RELEASE} are not here; in commit 4 the players left" in report.notes["AUD-09"]


def test_an_upgrade_that_nobody_agreed_to_is_found(nim, otherwise, monkeypatch):
    said(nim, otherwise, 1, propose())
    with monkeypatch.context() as patched:
        patched.setattr("domain.play.parts.votes.ballot.Ballot.result", property(lambda _: True))
        said(nim, otherwise, 1, {"type": "cast_vote", "agree": False})
    (divergence,) = audit(ended(nim, otherwise)).divergences
    assert ("AUD-09", 4) == (divergence.check, divergence.seq)


def test_the_check_before_a_release_begins_after_it(nim, otherwise):
    assert (2, 1) == ((found := check(nim.store, otherwise, "nim")).divergence.seq, found.commits)
    agreed(nim, otherwise)
    assert (None, 4) == ((found := check(nim.store, otherwise, "nim")).divergence, found.commits)
    data = ended(nim, otherwise)
    (found,) = check_export(data, "here")
    assert (None, nim.store.log.head(otherwise)[0]) == (found.divergence, found.commits)


def test_it_is_not_begun_after_an_agreement_to_other_rules(nim, otherwise, monkeypatch):
    agreed(nim, otherwise)
    for place in ("service.cli.commands.check_release.RELEASE", "service.cli.checking.checked.RELEASE"):
        monkeypatch.setattr(place, "9.9.9")
    assert 2 == check(nim.store, otherwise, "nim").divergence.seq


def test_the_check_reads_of_agreements_from_the_beginning(nim, otherwise, monkeypatch):
    """A candidate whose rules were left before the commit that differs would set the game aside, whatever was agreed to since."""
    agreed(nim, otherwise)
    given = []
    monkeypatch.setattr(check_release, "agreed_upto", lambda commits, _: given.extend(commits) or Seq(0))
    assert 2 == check(nim.store, otherwise, "nim").divergence.seq
    assert [1, 2, 3, 4] == [seq for seq, _, _ in given]


def test_a_worker_that_has_just_started_finds_the_agreement_in_the_log(nim, otherwise, monkeypatch):
    said(nim, otherwise, 1, propose())
    with monkeypatch.context() as patched:
        patched.setattr(Positions, "go_on_by", _fails)
        said(nim, otherwise, 2, YES)
        assert (RELEASE, False) == nim.turn(otherwise, 2, 1), "it could not be read by the present rules"
    assert (PRESENT, True) == nim.turn(otherwise, 2, 9)


def _fails(*_):
    raise BrokenLog("game", 1, "it cannot be read")


def test_it_waits_for_a_moment_at_which_both_rules_ask_the_same(nim, otherwise, monkeypatch):
    said(nim, otherwise, 1, propose())
    with monkeypatch.context() as patched:
        moments = itertools.count()
        patched.setattr(frozen, "_asked", lambda _: [next(moments)])
        said(nim, otherwise, 2, YES)
        assert (RELEASE, False) == nim.turn(otherwise, 2, 1)
    assert (PRESENT, True) == nim.turn(otherwise, 2, 9)


def test_who_agreed_to_some_rules_does_not_get_others_that_came_meanwhile(nim, otherwise, monkeypatch):
    agreed(nim, otherwise)
    with monkeypatch.context() as patched:
        patched.setattr(frozen, "RELEASE", "9.9.9")
        assert (RELEASE, False) == nim.turn(otherwise, 2, 1)
    assert (PRESENT, True) == nim.turn(otherwise, 2, 9)


def test_a_later_release_compares_from_there_and_not_from_the_beginning(nim, otherwise, monkeypatch):
    agreed(nim, otherwise)
    nim.turn(otherwise, 2, 0)
    later = "0.0.10"
    older(PRESENT).write(shelf.shelf()._folder)  # what was the present release is a frozen one now
    monkeypatch.setattr(shelf, "RELEASE", later)
    shelf.use(shelf.shelf()._folder)
    monkeypatch.setattr(frozen, "RELEASE", later)
    monkeypatch.setattr("workers.aside.RELEASE", later)
    monkeypatch.setattr(GAMES["nim"], "release", later)
    assert (later, True) == nim.turn(otherwise, 2, 0)
    assert [RELEASE] * 4 + [PRESENT, later] == releases(nim, otherwise)


def test_the_rules_that_were_left_do_not_come_back_with_a_host_that_has_only_those(nim, otherwise, monkeypatch):
    agreed(nim, otherwise)
    old = Advance.in_process(nim.store)
    with monkeypatch.context() as patched:
        patched.setattr(frozen, "RELEASE", RELEASE)
        patched.setattr("workers.aside.RELEASE", RELEASE)
        shelf.use(Path("/nowhere"))
        nim.take(otherwise, 2, 1)
        nim.settle(old, old=True)
    assert 4 == nim.store.log.head(otherwise)[0]
    mark = nim.store.log.marked(otherwise)
    assert ("needs-release", True) == (mark.code, f"go on by those of {PRESENT}" in mark.why)


def test_nor_do_those_that_were_left_before_the_last_that_were_left(nim, otherwise, monkeypatch):
    agreed(nim, otherwise)
    monkeypatch.setattr(frozen, "upgrade_of", lambda _: Upgraded(Seq(4), PRESENT, "9.9.9", None, (RELEASE,)))
    old = Advance.in_process(nim.store)
    with monkeypatch.context() as patched:
        patched.setattr(frozen, "RELEASE", RELEASE)
        patched.setattr("workers.aside.RELEASE", RELEASE)
        shelf.use(Path("/nowhere"))
        nim.take(otherwise, 2, 1)
        nim.settle(old, old=True)
    assert (4, "needs-release") == (nim.store.log.head(otherwise)[0], nim.store.log.marked(otherwise).code)


def test_where_the_rules_that_were_left_are_not_here_the_last_commits_are_no_reason_to_stop(nim, otherwise):
    agreed(nim, otherwise)
    shelf.use(Path("/nowhere"))
    assert (PRESENT, True) == nim.turn(otherwise, 2, 9)
    assert (PRESENT, False) == nim.turn(otherwise, 2, 1)
    assert {} == nim.store.log.marks()


def ended(nim, game):
    while nim.store.lobbies.get(game).status == "running":
        heaps = Positions(nim.store).started(game)[1].position.state.heaps
        heap = next(number for number, size in enumerate(heaps, 1) if size)
        nim.turn(game, heap, 1)
    return nim.exported(game)
