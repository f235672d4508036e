"""Dice: numbered draws from a key."""

import hashlib
import hmac
from collections import Counter

import pytest

from domain.kernel.dice import Aside, Dice, ScriptedDice, dice_key
from domain.kernel.errors import DiceExhausted

KEY = bytes(range(32))


def test_a_draw_is_the_hmac_of_its_number():
    number = int.from_bytes(hmac.digest(KEY, (7).to_bytes(8, "big"), "sha256")[:8], "big")

    assert number % 6 + 1 == Dice(KEY, 7).roll(6)


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 200])
def test_key_of_any_length_gives_the_draws_of_hmac(length):
    key = bytes(range(length))
    numbers = [int.from_bytes(hmac.digest(key, r.to_bytes(8, "big"), "sha256")[:8], "big") for r in range(3)]

    dice = Dice(key)

    assert numbers == [dice.below(1 << 64) for _ in numbers]


def test_the_next_draw_follows_where_the_last_one_ended():
    whole = Dice(KEY)
    faces = [whole.roll() for _ in range(20)]
    later = Dice(KEY, 10)

    assert faces[10:] == [later.roll() for _ in range(10)]
    assert whole.drawn == later.drawn == 20


def test_draw_above_the_largest_multiple_is_rejected_for_the_next_one():
    count = (1 << 63) + 1  # almost half of all numbers are above its largest multiple
    draws = [int.from_bytes(hmac.digest(KEY, r.to_bytes(8, "big"), "sha256")[:8], "big") for r in range(20)]
    first = next(r for r in range(20) if draws[r] < count)
    dice = Dice(KEY, 0)

    assert draws[first] == dice.below(count)
    assert first + 1 == dice.drawn
    assert any(draws[r] >= count for r in range(20)), "the case must occur"


def test_faces_are_about_equally_likely():
    dice = Dice(KEY)
    counts = Counter(dice.roll(6) for _ in range(60_000))

    assert {1, 2, 3, 4, 5, 6} == counts.keys()
    assert all(9_600 < n < 10_400 for n in counts.values())


def test_shuffle_keeps_all_items_and_draws_one_less_than_their_number():
    dice = Dice(KEY)
    order = dice.shuffle("abcdefgh")

    assert sorted("abcdefgh") == sorted(order)
    assert 7 == dice.drawn
    assert order == Dice(KEY).shuffle("abcdefgh")


def test_choosing_from_an_empty_sequence_raises_an_error():
    with pytest.raises(ValueError, match="nothing to draw from"):
        Dice(KEY).choose(())


def test_the_key_depends_on_seed_game_and_every_seats_entropy():
    keys = {
        dice_key(b"a" * 32, "g", [(1, ""), (2, "")]),
        dice_key(b"b" * 32, "g", [(1, ""), (2, "")]),
        dice_key(b"a" * 32, "h", [(1, ""), (2, "")]),
        dice_key(b"a" * 32, "g", [(1, "00"), (2, "")]),
        dice_key(b"a" * 32, "g", [(1, ""), (2, "00")]),
    }

    assert 5 == len(keys)
    setup = hashlib.sha256(b'["g",[[1,""],[2,"00"]]]').digest()
    expected = hmac.digest(b"a" * 32, b"oraclewheel/dice/1" + setup, "sha256")
    assert expected == dice_key(b"a" * 32, "g", [(1, ""), (2, "00")])
    setup = hashlib.sha256('["spiel-ä",[[1,""]]]'.encode()).digest()
    expected = hmac.digest(b"a" * 32, b"oraclewheel/dice/1" + setup, "sha256")
    assert expected == dice_key(b"a" * 32, "spiel-ä", [(1, "")]), "the bytes of canonical JSON"


def test_scripted_dice_replace_rolls_but_not_shuffles_and_choices():
    scripted, drawn = ScriptedDice(KEY, 0, (5, 4)), Dice(KEY)

    assert [5, 4] == [scripted.roll(), scripted.roll(4)]
    assert drawn.shuffle(range(9)) == scripted.shuffle(range(9))
    assert drawn.choose("xyz") == scripted.choose("xyz")
    assert 2 == scripted.rolled


@pytest.mark.parametrize(("script", "faces"), [((), 6), ((6,), 4), ((0,), 6)])
def test_script_that_has_ended_or_has_no_such_face_is_refused(script, faces):
    dice = ScriptedDice(KEY, script=(1, faces, *script))
    assert [1, faces] == [dice.roll(faces), dice.roll(faces)]
    with pytest.raises(DiceExhausted) as exhausted:
        dice.roll(faces)
    assert {"rolled": 2} == exhausted.value.facts
    assert (0, 2) == (dice.drawn, dice.rolled)


def test_aside_dice_are_fair_and_the_same_for_the_same_seed():
    one, other = Aside(KEY), Aside(KEY)
    counts = Counter(one.roll(6) for _ in range(60_000))

    assert all(9_600 < counts[face] < 10_400 for face in range(1, 7))
    assert [Aside(KEY).roll() for _ in range(3)] == [other.roll() for _ in range(1)] * 3
    assert sorted("abcdefgh") == sorted(one.shuffle("abcdefgh"))
    assert one.choose("x") == "x"
    assert 60_001 == one.drawn
    with pytest.raises(ValueError, match="nothing to draw from"):
        one.choose(())
