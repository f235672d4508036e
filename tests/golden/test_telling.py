"""No sentence changes unread, and none that can be told is missing."""

from __future__ import annotations

import pytest

from domain.registry import GAMES
from tests.golden import telling
from tests.golden.made_up import ASKED, UNTOLD

each_kind = pytest.mark.parametrize("kind", telling.KINDS)


@each_kind
def test_every_sentence_is_as_somebody_has_read_it(kind):
    assert telling.told(kind) == (telling.FOLDER / f"{kind}.txt").read_text(encoding="utf-8"), "python -m tests.golden"


@pytest.mark.soak
@each_kind
def test_every_template_has_a_sentence_in_the_file(kind):
    assert [] == telling.missing(kind)


@each_kind
def test_every_event_that_anybody_may_read_and_every_question_has_a_sentence(kind):
    game = GAMES[kind]
    told = {name.partition(".")[0] for name in game.sentences}

    assert set(UNTOLD.get(kind, ())) == set(game.events) - told
    assert set(game.asks) == set(ASKED[kind])
