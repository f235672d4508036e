"""Pages of paragraphs read from the end of a history match those read from its beginning, for any page size."""

from __future__ import annotations

import random

import pytest

from service.core.history import turns
from service.core.history.paragraphs import Paragraphs
from service.core.history.turns import read_newest_turns


class Told:
    """A narrator whose lines are numbers; each number that ends in 0 begins a paragraph."""

    has_openings = True

    def find_heading(self, line):
        return f"Turn {line}" if line % 10 == 0 else None

    def write_paragraph(self, lines):
        return " ".join(map(str, lines))


def history(seed):
    """Random commits of zero or more lines; paragraphs often begin within a commit."""
    chance, line = random.Random(seed), 0
    commits = {}
    for seq in range(1, chance.randint(2, 60)):
        lines = []
        for _ in range(chance.choice((0, 1, 1, 2, 5))):
            line += 1 if chance.random() < 0.6 else 10 - line % 10
            lines.append(line)
        commits[seq] = {"seq": seq, "at": seq * 1000, "lines": lines}
    return commits


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("readings", [1, 8])
def test_pages_from_the_end_match_paragraphs_read_from_the_beginning(monkeypatch, seed, readings):
    chance, commits = random.Random(-seed), history(seed)
    monkeypatch.setattr(turns, "BATCH_SIZE", chance.randint(1, 9))
    monkeypatch.setattr(turns, "MAX_READS", readings)
    most, narrator = chance.randint(1, 4), Told()
    forward = Paragraphs(narrator, 0)
    forward.feed(commits.values(), 10**6)
    wanted = [(each.title, narrator.write_paragraph(each.lines), each.seqs) for each in forward.finished]
    if forward.unfinished is not None:
        wanted.append(
            (forward.unfinished.title, narrator.write_paragraph(forward.unfinished.lines), forward.unfinished.seqs)
        )

    def read(first, last):
        return [commits[seq] for seq in range(first, last + 1) if seq in commits and commits[seq]["lines"]]

    found, before = [], None
    while True:
        page = read_newest_turns(read, narrator, max(commits), most, before)
        found += page.turns
        if page.older is None:
            break
        assert before is None or page.older < before
        before = page.older

    assert [(title, text) for title, text, _ in wanted] == [(each.title, each.text) for each in reversed(found)]
    assert [(seqs[0], seqs[-1]) for *_, seqs in wanted] == [(each.first_seq, each.last_seq) for each in reversed(found)]
    assert [1000 * seqs[-1] for *_, seqs in wanted] == [each.last_at for each in reversed(found)]
    assert len({(each.first_seq, each.index) for each in found}) == len(found), "each has an id of its own"
