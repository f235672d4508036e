"""The house: no circles, no crowded rooms, no long files, and a page about it that is true."""

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from domain.registry import GAMES
from tests import architecture
from tests.rooms import ROOT, entries, folders, graph, sentence

LISTS = {
    "domain/fronela/episodes": "history has fifteen episodes",
    "service/api/resources": "a file for each resource",
    "service/cli/commands": "a file for each subcommand",
    "service/store/redis/lua": "a file for each script",
}
"""Rooms that are lists of one kind, and may be as long as the list is."""

TABLES = {
    "domain/battalia/events.py": "every event there is",
    "domain/fronela/scenarios/fronela_v1.py": "the tables of a scenario",
}
"""Files that are catalogues or tables of data, and may be as long as the table is."""


def files():
    return sorted(file for folder in folders() for file in folder.glob("*.py"))


def named(path):
    return str(path.relative_to(ROOT))


def test_no_file_imports_itself_by_way_of_others():
    """Imports within functions and for types alone are counted."""
    imports = graph()
    arrows = {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}

    order = [*TopologicalSorter(arrows).static_order()]

    assert len(order) == len(imports.modules) > 300


def test_a_circle_would_be_seen():
    imports = graph()
    imports.add_import(importer="domain.terms", imported="domain.registry")
    arrows = {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}

    with pytest.raises(CycleError):
        [*TopologicalSorter(arrows).static_order()]


@pytest.mark.parametrize("room", sorted({named(folder) for folder in folders()} - LISTS.keys()))
def test_whoever_opens_a_room_sees_at_most_twelve_entries(room):
    """Games are counted as one: there may be any number of them."""
    seen = {"game" if name in GAMES else name for name in entries(ROOT / room)}

    assert len(seen) <= 12


@pytest.mark.parametrize("room", sorted(LISTS))
def test_no_room_is_excused_that_is_gone_or_small(room):
    assert len(entries(ROOT / room)) > 12


@pytest.mark.parametrize("room", [named(folder) for folder in folders()])
def test_a_room_says_what_it_is(room):
    assert sentence(ROOT / room / "__init__.py").endswith(".")


@pytest.mark.parametrize("file", sorted(set(map(named, files())) - TABLES.keys()))
def test_a_file_is_read_in_one_sitting(file):
    assert len((ROOT / file).read_text(encoding="utf-8").splitlines()) < 300


@pytest.mark.parametrize("file", sorted(TABLES))
def test_no_file_is_excused_that_is_gone_or_short(file):
    assert len((ROOT / file).read_text(encoding="utf-8").splitlines()) >= 300


def test_the_drawing_shows_the_imports_as_they_are():
    """Else: ``make architecture``."""
    assert architecture.DRAWING.read_text(encoding="utf-8") == architecture.drawing()


def test_the_page_shows_the_rooms_and_the_way_of_a_command_as_they_are():
    """Else: ``make architecture``."""
    text = architecture.PAGE.read_text(encoding="utf-8")

    assert text == architecture.anew()


def test_every_file_that_the_page_speaks_of_is_there():
    text = architecture.PAGE.read_text(encoding="utf-8")
    spoken = {
        word
        for word in text.split("`")[1::2]
        if word.startswith(("domain/", "service/", "workers/", "tests/", "docs/"))
    }

    assert spoken
    assert [] == [word for word in sorted(spoken) if not Path(ROOT / word).exists()]
