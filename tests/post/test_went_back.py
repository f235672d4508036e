"""The receiver of a webhook finds out that a log went back: a seq that it knows comes again, with another head."""

from __future__ import annotations

import pytest

from tests.hostile.test_log_went_back import dump, fail_over, rounds
from tests.post.hooked import Hooked


@pytest.fixture
def hooked(redis_store):
    hooked = Hooked(redis_store)
    yield hooked
    hooked.close()


def heads(words):
    return [(word.json["data"]["seq"], word.json["data"]["entry"]["head"]) for word in words]


def test_who_keeps_the_head_of_each_commit_sees_another_one_under_its_seq(hooked):
    game, ash, birk = hooked.table("Ash", "Birk", options={"points": 100})
    hooked.hook(ash, events=["commit"])
    rounds(game, (ash, birk))
    hooked.post_out()
    old = dump(hooked.store)
    rounds(game, (ash, birk), 2)
    hooked.post_out()
    before = dict(heads(hooked.receiver.got["/hook"]))
    count = len(hooked.receiver.got["/hook"])

    fail_over(hooked.store, old)
    rounds(game, (ash, birk), 3, pennies=1)
    hooked.post_out()
    came = heads(hooked.receiver.got["/hook"][count:])
    again = [seq for seq, head in came if seq in before]

    assert again, "what happens anew is told, though its seqs were told before"
    assert all(before[seq] != head for seq, head in came if seq in before)
    assert max(seq for seq, _ in came) > max(before)
