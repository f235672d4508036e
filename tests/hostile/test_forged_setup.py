"""Files with a forged set-up and a genuine chain and signature: found in form 2, never authenticated in form 1."""

import pytest

from service.audit.auditor import audit
from tests.audit.forger import Forger
from tests.audit.games import GAMES, SIGNER, eventful, finished, running

FORGED = {
    "commitment": "ab" * 32,
    "controllers": ["player", "player", "bot:greedy"],
    "pace": {"mode": "per_question", "hours": 1},
    "options": {"points": 1},
    "modules": ["more"],
    "ruleset": "pennies_v2",
    "sandbox": True,
    "started": 1,
}


class Cutter(Forger):
    """Cuts a file, and keeps every header and the genuine signature of the new last head."""

    def __init__(self, data, upto):
        super().__init__(data)
        self.genuine = self.origin()
        self.running(upto)

    def origin(self):
        return getattr(self, "genuine", None) or super().origin()

    def signed(self, of, end):
        return super().signed("head", end)


def cut(form=2, upto=9):
    return Cutter(finished(form=form), upto)


def verdict(forger):
    return audit(forger.file(), games=GAMES, keys=[SIGNER.public.hex()])


def test_finished_file_cut_to_running_is_reported_as_a_prefix():
    report = verdict(cut())

    assert report.is_ok
    assert report.is_authenticated
    assert "authenticated as far as a running game can be checked: a prefix up to seq 9" == report.verdict


@pytest.mark.parametrize("name", FORGED)
def test_forged_setup_of_a_running_file_is_found_at_its_first_head(name):
    forger = cut()
    forger.setup[name] = FORGED[name]
    report = verdict(forger)

    assert [("AUD-03", 1)] == [(d.check, d.seq) for d in report.divergences]
    assert "the digest of the set-up line" in report.verdict
    assert not report.is_authenticated


@pytest.mark.parametrize("name", FORGED)
def test_forged_setup_of_a_finished_file_is_found_at_its_first_head(name):
    forger = Cutter(finished(), 9)
    whole = Forger(finished())
    whole.origin = forger.origin
    whole.setup[name] = FORGED[name]

    assert ("AUD-03", 1) == (verdict(whole).divergences[0].check, verdict(whole).divergences[0].seq)


def test_verdict_for_form_1_says_that_the_setup_is_not_bound():
    for data in (running(form=1), finished(form=1)):
        report = audit(data, games=GAMES, keys=[SIGNER.public.hex()])

        assert report.is_authenticated
        assert report.verdict.endswith("; set-up not bound")


def test_forged_setup_of_form_1_passes_with_the_verdict_set_up_not_bound():
    forger = cut(form=1)
    forger.setup["commitment"] = "ab" * 32

    assert verdict(forger).verdict.endswith("; set-up not bound")


def test_form_2_game_presented_as_form_1_is_found():
    """Its first head is not 64 zeros."""
    data = eventful().export(SIGNER)
    forger = Forger(data)
    genuine = forger.origin()
    forger.origin = lambda: genuine
    del forger.setup["started"]
    forger.setup |= {"number": 1, "status": "running", "sandbox": None}
    del forger.end["status"]

    assert ("AUD-03", 1) == (verdict(forger).divergences[0].check, verdict(forger).divergences[0].seq)
