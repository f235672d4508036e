"""The table of the benchmarks: medians, verdicts, and rows that cannot be measured here."""

from bench.measure import Result, Row, compared, gathered, markdown, table

FAST = Row("fast", 10, "/s", at_least=True)
CHEAP = Row("cheap", 2, "ms", at_least=False)


def result(row, *values):
    return Result(row, tuple(row.got(value, f"of {value}") for value in values))


def test_result_shows_the_median_with_minimum_and_maximum():
    measured = result(FAST, 9, 30, 11, 12, 10.5)

    assert (11, "11.0 (9.00-30.0)", "of 11") == (measured.measured, measured.spread, measured.detail)


def test_detail_of_an_even_number_of_rounds_is_next_to_the_middle():
    assert result(CHEAP, 1, 2, 3, 9).detail in {"of 2", "of 3"}


def test_row_is_kept_at_its_limit_and_missed_beyond_it():
    assert (True, False) == (result(FAST, 10).kept, result(FAST, 9.99).kept)
    assert (True, False) == (result(CHEAP, 2).kept, result(CHEAP, 2.01).kept)


def test_row_that_cannot_be_measured_is_neither_kept_nor_missed():
    [absent] = gathered([FAST.absent("node is not here")])

    said = table([absent, result(CHEAP, 1)])

    assert absent.kept is None
    assert "every limit is kept" in said
    assert "not measured here: fast" in said
    assert "node is not here" in said


def test_missed_rows_are_named_at_the_end():
    assert table([result(FAST, 1), result(CHEAP, 1)]).endswith("missed: fast")


def test_samples_are_grouped_by_row_in_row_order():
    samples = [FAST.got(1), CHEAP.got(2), FAST.got(3), CHEAP.got(4)]

    assert [("fast", [1, 3]), ("cheap", [2, 4])] == [(each.row.name, each.values) for each in gathered(samples)]


def test_two_releases_are_compared_side_by_side():
    before, now = [result(FAST, 5), result(CHEAP, 1)], [result(FAST, 20), Result(CHEAP, (CHEAP.absent("why"),))]

    _, fast, cheap = compared(before, now).splitlines()
    assert fast.split()[-1] == "4.00"
    assert cheap.split()[-1] == "-"
    assert "| fast | 5.00 (5.00-5.00) | 20.0 (20.0-20.0) | ≥ 10 /s | kept | of 20 |" in markdown(now, before)
    assert "| cheap | - | ≤ 2 ms | absent | why |" in markdown(now)
