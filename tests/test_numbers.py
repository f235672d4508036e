"""The rule pages state the numbers of the current rules and those of older releases."""

import pytest

from domain.games.battalia.rulesets import RULESETS
from domain.games.fronela.scenarios import SCENARIOS
from tests import numbers


@pytest.mark.parametrize("page", numbers.TABLES)
def test_page_has_the_tables_that_make_rules_writes(page):
    text = (numbers.PAGES / f"{page}.md").read_text(encoding="utf-8")

    assert text == numbers.written(page, text), "make rules"


def test_changed_number_and_missing_table_are_detected():
    text = (numbers.PAGES / "battalia.md").read_text(encoding="utf-8")

    drifted = text.replace("| `hand` | 6 |", "| `hand` | 7 |")
    assert drifted != text == numbers.written("battalia", drifted)
    with pytest.raises(ValueError, match="battalia: 0 tables of older"):
        numbers.written("battalia", text.replace(numbers.begin("older"), ""))


def test_every_number_and_every_release_is_on_its_page():
    battalia, fronela = ((numbers.PAGES / f"{page}.md").read_text(encoding="utf-8") for page in ("battalia", "fronela"))

    assert [] == [name for rules in RULESETS.values() for name in rules.rulings if f"| `{name}` |" not in battalia]
    assert [] == [key for key in RULESETS if f"`{key}`" not in battalia]
    assert [] == [key for key in SCENARIOS if f"`{key}`" not in fronela]
    assert [] == [area.name for area in numbers.PLAYED.areas.values() if f"| {area.name} |" not in fronela]


def test_fronela_page_states_the_points_of_the_current_rules():
    fronela = (numbers.PAGES / "fronela.md").read_text(encoding="utf-8")
    played = numbers.PLAYED

    assert f"| Harrek is alone in Sog City | {played.episodes['harrek']['points']} |" in fronela
    assert "`harrek` has points 8" in fronela, "as the first scenario has it"
    for row in played.arrivals[13]:
        assert numbers.arriving(played, row) in fronela
