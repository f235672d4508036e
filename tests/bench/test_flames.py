"""Flame graphs, and shares computed from their stacks."""

from bench.flames import shares, titled


def test_flame_graph_has_a_title_and_no_local_paths():
    drawn = (
        '<text id="title" x="50%">py-spy record -o /home/ada/api.svg</text>'
        "<title>send (/home/ada/.venv/lib/python3.11/site-packages/flask/app.py:9) (3 samples, 1%)</title>"
        "<title>dumps (/usr/lib/python3.11/json/__init__.py:1) (1 samples, 1%)</title>"
        "<title>act (workers/settle.py:7) (2 samples, 1%)</title>"
    )

    assert (
        '<text id="title" x="50%">one settle worker</text>'
        "<title>send (flask/app.py:9) (3 samples, 1%)</title>"
        "<title>dumps (json/__init__.py:1) (1 samples, 1%)</title>"
        "<title>act (workers/settle.py:7) (2 samples, 1%)</title>"
    ) == titled(drawn, "one settle worker")


def test_recursive_function_is_counted_once_per_sample(tmp_path):
    (tmp_path / "settle.stacks").write_text("main;walk;walk 3\nmain;walk;roll 2\nmain 1\n")

    own, within, total = shares(tmp_path / "settle.stacks")

    assert ({"walk": 3, "roll": 2, "main": 1}, {"main": 6, "walk": 5, "roll": 2}, 6) == (own, within, total)
