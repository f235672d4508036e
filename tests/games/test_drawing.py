"""The default picture and text of a view, for games without a picture of their own."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from domain.drawing import chart, sheet, terminal
from domain.drawing.chart import Course, ScoreSample
from tests.games import law

SVG = "{http://www.w3.org/2000/svg}"
SEATS = {"1": "Ash", "2": "Birk <&>"}
OVER = {"outcome": {"reason": "points", "clause": "X-01", "winners": [2], "scores": {"1": 0, "2": 3}}}


def drawn(**view):
    document = sheet.board("Anything", view, SEATS)
    law.picture(document)
    return ET.fromstring(document)


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def shapes(root, name):
    return list(root.iter(f"{SVG}{name}"))


def test_each_seat_has_a_row_with_its_values_in_the_view():
    root = drawn(points={"1": 3, "2": 14}, seats={"1": {"hand": 5}, "2": {"hand": 6}})

    assert ["Anything", "Points", "Hand", "Ash", "3", "5", "Birk <&>", "14", "6"] == texts(root)


@pytest.mark.parametrize(("table", "marked"), [({}, 1), ({"table": {"outcome": None}}, 1), ({"table": OVER}, 0)])
def test_the_seat_on_turn_is_marked_until_the_game_is_over(table, marked):
    root = drawn(turn={"seat": 2}, **table)

    assert marked == len([shape for shape in shapes(root, "rect") if shape.get("stroke-width") == "4"])
    assert "Turn" not in texts(root)


def test_picture_of_a_finished_game_names_the_winner():
    root = drawn(table=OVER)

    assert ["Birk <&> has won, with 3 points.", "The game is over: points."] == texts(root)[1:3]
    assert root.find(f"{SVG}desc").text.endswith("Birk <&> has won, with 3 points. The game is over: points.")


def test_small_numbers_are_dots_and_large_ones_are_written():
    seats = len(SEATS)

    assert 6 == len(shapes(drawn(heaps=[1, 0, 5]), "circle")) - seats
    assert [] == shapes(drawn(heaps=[1, 2000]), "circle")[seats:]
    assert "1, 2000" in texts(drawn(heaps=[1, 2000]))


def test_rows_of_equal_length_are_a_grid():
    grid = [["X", None, ""], ["", "O", "X"]]
    root = drawn(board=grid)

    assert 6 == len([shape for shape in shapes(root, "rect") if shape.get("width") == shape.get("height") == "52"])
    assert ["X", "", "", "", "O", "X"] == [text or "" for text in texts(root)[-6:]]
    assert "X, -, , , O, X" not in texts(root)
    assert [] == [s for s in shapes(drawn(board=[["X"], ["O", "X"]]), "rect") if s.get("width") == "52"]


def test_other_values_are_lines_and_long_text_is_truncated():
    root = drawn(deep={"a": {"b": "x" * 70}}, empty=[], flag=True, many=[{"n": n} for n in range(100)])

    assert {"a:", "-", "True", "n 0", "…"} <= set(texts(root))
    assert "n 99" not in texts(root)


def test_fields_of_the_summary_are_not_repeated():
    root = drawn(kind="x", ruleset="x_v1", options={"a": 1}, modules=["m"], goal=3)

    assert ["Anything", "Ash", "Birk <&>", "Goal", "3"] == texts(root)


def test_chart_assigns_colors_to_seats_if_the_game_has_none():
    course = Course("turn", lambda view: ScoreSample(view["n"], view["points"]), every_commit=True)
    samples = [course.sample({"n": n, "points": {"1": n, "2": 2 * n}}) for n in range(4)]
    document = chart.points(course, samples, SEATS)
    law.picture(document)
    lines = shapes(ET.fromstring(document), "polyline")

    assert 2 == len({line.get("stroke") for line in lines})
    assert "#123456" == ScoreSample(0, {"1": 0}, {"1": "#123456"}).colour("1")


def test_colored_text_uses_ansi_escape_codes():
    assert "\033[31m\033[1mAsh\033[0m" == terminal.coloured("Ash", "red", "bold")
    assert "\033[36m\033[22mAsh\033[0m" == terminal.coloured("Ash", "cyan")
