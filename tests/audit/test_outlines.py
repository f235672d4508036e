"""Bodies that are not looked into before they are decided again: a file that is not of the format is told as if they had been."""

from __future__ import annotations

import pytest

from service.audit.auditor import audit
from service.audit.form import BadLine, outlined, read
from tests.audit.forger import Forger
from tests.audit.games import GAMES, finished

CROOKED = {
    "a space": (b'"command":{', b'"command": {'),
    "a key twice": (b'"drawn":', b'"drawn":0,"drawn":'),
    "an escape": (b'"id":"', b'"id":"\\u0061'),
    "a fraction": (b'"command":{', b'"command":{"a":1.5,'),
    "a power": (b'"command":{', b'"command":{"a":1e5,'),
    "a number that no 64 bits hold": (b'"command":{', b'"command":{"a":18446744073709551616,'),
    "lists without end": (b'"command":{', b'"command":{"a":' + b"[" * 1500 + b"]" * 1500 + b","),
    "no UTF-8": (b'"command":{', b'"command":{"a":"\xff",'),
    "another key behind the body": (b',"header":', b',"c":{},"header":'),
    "a body that goes on": (b',"header":', b'},"c":{"d":1},"header":'),
    "no object": (b'{"body":{', b'{"body":[{'),
}


def lines(data, number, old, new):
    split = data.split(b"\n")
    assert old in split[number - 1]
    split[number - 1] = split[number - 1].replace(old, new, 1)
    return b"\n".join(split)


@pytest.mark.parametrize("form", [1, 2])
def test_an_outline_is_what_is_read_but_for_the_look_into_the_bodies(form):
    data = finished(form=form)

    assert read(data) == outlined(data)


@pytest.mark.parametrize("what", CROOKED)
def test_a_crooked_body_is_the_first_thing_told_whatever_diverges_before_and_behind(what):
    """The commit before it is decided otherwise, and a line behind it is not even outlined."""
    forger = Forger(finished())
    forger.body(3)["drawn"] += 1
    data = lines(forger.file(), 8, *CROOKED[what])
    with pytest.raises(BadLine) as told:
        read(data)

    for crooked in (data, lines(data, 9, b'"header":', b'"heading":')):
        (divergence,) = audit(crooked, games=GAMES).divergences

        assert ("AUD-01", 7, 8, told.value.what) == (
            divergence.check,
            divergence.seq,
            divergence.line,
            divergence.what,
        )


@pytest.mark.parametrize("what", CROOKED)
def test_a_crooked_body_that_nothing_else_is_wrong_with_is_told_too(what):
    data = lines(finished(), 8, *CROOKED[what])

    assert ["AUD-01"] == [divergence.check for divergence in audit(data, games=GAMES).divergences]
