"""Golden files of the narration: no sentence changes without a review, and none is missing."""

from __future__ import annotations

import pytest

from domain.registry import GAMES
from tests.golden import telling
from tests.golden.made_up import ASKED, UNTOLD

each_kind = pytest.mark.parametrize("kind", telling.KINDS)


@each_kind
def test_narration_matches_the_golden_file(kind):
    assert telling.told(kind) == (telling.FOLDER / f"{kind}.txt").read_text(encoding="utf-8"), "python -m tests.golden"


@pytest.mark.soak
@each_kind
def test_every_template_has_a_sentence_in_the_golden_file(kind):
    assert [] == telling.missing(kind)


@each_kind
def test_every_readable_event_and_every_question_has_a_sentence(kind):
    game = GAMES[kind]
    told = {name.partition(".")[0] for name in game.presentation.sentences}

    assert set(UNTOLD.get(kind, ())) == set(game.rules.events) - told
    assert set(game.presentation.asks) == set(ASKED[kind])
