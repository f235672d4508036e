"""The short benchmark of a release."""

from __future__ import annotations

import pytest

from bench import short
from bench.measure import Row

FAST = Row("fast", 10, "/s", at_least=True)
CHEAP = Row("cheap", 2, "ms", at_least=False)


@pytest.mark.parametrize(
    ("samples", "status"),
    [
        ((FAST.got(10), CHEAP.got(2)), 0),
        ((FAST.got(8), CHEAP.got(2.5)), 0),
        ((FAST.got(7.9), CHEAP.got(2)), 1),
        ((FAST.got(10), CHEAP.got(2.6)), 1),
        ((FAST.absent("why"),), 0),
    ],
)
def test_short_benchmark_fails_if_a_row_misses_its_limit_by_more_than_the_margin(samples, status, monkeypatch, capsys):
    monkeypatch.setattr(short, "measure", lambda: iter(samples))
    with pytest.raises(SystemExit) as ended:
        short.main()

    assert status == ended.value.code
    assert ("missed: " in capsys.readouterr().out) == bool(status)


@pytest.mark.soak
def test_short_benchmark_audits_recorded_games():
    (name, row), *_ = short.RECORDED.items()
    sample = short._audited(name, row)

    assert sample.row == row
    assert sample.value > 0
