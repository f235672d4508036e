"""Bodies are parsed only when they are replayed; a malformed file still gets the report of an eager parser."""

from __future__ import annotations

import pytest

from service.audit.auditor import audit
from service.audit.parser import InvalidLine, parse_export, parse_outline
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
def test_an_outline_equals_the_fully_parsed_file(form):
    data = finished(form=form)

    assert parse_export(data) == parse_outline(data)


@pytest.mark.parametrize("what", CROOKED)
def test_a_malformed_body_is_reported_before_any_other_divergence(what):
    """An earlier commit diverges, and a later line is malformed."""
    forger = Forger(finished())
    forger.body(3)["drawn"] += 1
    data = lines(forger.file(), 8, *CROOKED[what])
    with pytest.raises(InvalidLine) as told:
        parse_export(data)

    for crooked in (data, lines(data, 9, b'"header":', b'"heading":')):
        (divergence,) = audit(crooked, games=GAMES).divergences

        assert ("AUD-01", 7, 8, told.value.what) == (
            divergence.check,
            divergence.seq,
            divergence.line,
            divergence.what,
        )


@pytest.mark.parametrize("what", CROOKED)
def test_a_malformed_body_is_reported_if_all_else_is_correct(what):
    data = lines(finished(), 8, *CROOKED[what])

    assert ["AUD-01"] == [divergence.check for divergence in audit(data, games=GAMES).divergences]
