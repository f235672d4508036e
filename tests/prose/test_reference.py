"""The generated reference names every setting, route, problem code and command exactly once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import click
import yaml

from domain.kernel.errors import RuleViolation
from domain.registry import GAMES
from service.cli import main
from tests.prose.surfaces import ROOT
from tests.reference import commands, descendants, problems, refusals, routes, settings


def once(names):
    return dict.fromkeys(names, 1)


def test_every_setting_of_the_example_file_has_one_heading():
    example = re.findall(r"^#? ?(ORACLEWHEEL_\w+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert once(example) == Counter(re.findall(r"^## (ORACLEWHEEL_\w+)$", settings(), re.MULTILINE))


def test_every_problem_code_that_an_operation_declares_has_one_heading():
    contract = yaml.load((ROOT / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    operations = [each for path in contract["paths"].values() for each in path.values() if "responses" in each]
    declared = {code for each in operations for code in each.get("x-problem-codes", ())}
    listed = Counter(re.findall(r"^### ([\w-]+)$", problems(), re.MULTILINE))
    assert len(declared) > 90
    assert once(listed) == listed
    assert declared - {"refusal"} <= listed.keys()  # "refusal" represents the codes of a game's rules


def test_every_refusal_of_a_game_has_one_heading():
    rows = Counter(re.findall(r"^(?:## (.+)|### ([\w-]+)\n\n(.+))$", refusals(), re.MULTILINE))
    games, title = defaultdict(list), ""
    for heading, code, meaning in rows.elements():
        title = heading or title
        if code:
            games[title].append((code, meaning))
    assert ["All games", *(game.title for game in GAMES.values())] == list(games)
    for found in games.values():
        assert len(found) == len(dict(found))
    assert {cls.code for cls in descendants(RuleViolation)} == {code for found in games.values() for code, _ in found}


def test_every_operation_of_the_contract_has_one_row():
    contract = yaml.load((ROOT / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    operations = [
        (method.upper(), path) for path, item in contract["paths"].items() for method in item if method != "parameters"
    ]
    assert once(operations) == Counter(re.findall(r"^\| `(\w+)` \| `(\S+)` \|", routes(), re.MULTILINE))


def test_every_command_has_one_heading():
    names = main.list_commands(click.Context(main))
    assert once(names) == Counter(re.findall(r"^## ([\w-]+)$", commands(), re.MULTILINE))
