"""Every script uses only the keys that it was given, so that it stays in one cluster slot."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.store import redis as room
from service.store.redis.conditional import execute_if

SCRIPTS = sorted((Path(room.__file__).parent / "lua").glob("*.lua"), key=lambda path: path.name)

CALL = re.compile(
    r"redis\.p?call\(\s*('?\w+'?(?: == '1' and '\w+' or '\w+')?|stuck == '1' and 'SADD' or 'SREM')\s*,?\s*([^,()]*(?:\([^()]*\))?[^,()]*)"
)
KEYLESS = {"TIME"}
CHANNELS = {"PUBLISH"}

STEMS = {("claim", "it.stem .. game .. ':commands'"), ("claim_owed", "ARGV[3] .. game .. ':told'")}
"""Key names that a script builds from an argument, because it cannot know in advance which games it will find.

The prefix has the hash tag of the partition of the script's other keys."""

GIVEN = {("conditional", "()")}
"""Commands that the script gets from its caller, with their keys."""


def code_of(script):
    return "\n".join(line.partition("--")[0] for line in script.read_text().splitlines())


def names_of_keys(code):
    """Return the variables of a script that contain keys: bound to ``KEYS``, or parameters that are given such a variable."""
    found = set()
    for names in re.findall(r"local ([\w, ]+?) = unpack\(KEYS[^)]*\)", code):
        found |= set(names.split(", "))
    for names, values in re.findall(r"local ([\w, ]+?) = (KEYS\[\d+\][^\n]*)", code):
        pairs = zip(names.split(", "), values.split(", "), strict=False)
        found |= {name for name, value in pairs if value.startswith("KEYS[")}
    for name, values in re.findall(r"for \w+, (\w+) in ipairs\(\{([^}]*)\}\)", code):
        if all(value in found or value.startswith("KEYS[") for value in values.split(", ")):
            found.add(name)
    for function, parameter in re.findall(r"local function (\w+)\((\w+)", code):
        given = re.findall(rf"(?<!function )\b{function}\((\w+)", code)
        if given and set(given) <= found:
            found.add(parameter)
    return found


def strange(name, code):
    """Yield the calls of a script with a key that it was not given."""
    known = names_of_keys(code)
    for command, argument in CALL.findall(code):
        word, key = command.strip("'"), argument.strip()
        if word in KEYLESS | CHANNELS:
            continue
        if one := re.fullmatch(r"\w+ and (\w+) or (\w+)", key):
            key = one[1] if one[2] in known else one[2]
        if not (key in known or re.fullmatch(r"KEYS\[\w+\]|unpack\(KEYS.*\)", key) or (name, key) in STEMS | GIVEN):
            yield command, key


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_uses_only_keys_that_it_was_given(script):
    code = code_of(script)

    assert [] == list(strange(script.stem, code))
    assert len(CALL.findall(code)) == len(re.findall(r"redis\.p?call", code)) > 0, "each call is looked at"


def test_conditional_change_names_the_keys_of_all_its_commands():
    calls = []
    wire = SimpleNamespace(call=lambda script, keys, arguments: calls.append((script.file, keys)))
    execute_if(wire, {("GET", "a"): None}, [("SET", "b", 1), ("DEL", "a"), ("PUBLISH", "channel", "x")])

    assert [("conditional", ["a", "b"])] == calls


def test_check_detects_a_key_that_was_not_given():
    code = "local meta = unpack(KEYS)\nredis.call('HGET', meta, 'x')\nredis.call('SET', 'oraclewheel:x', 1)\nredis.call('GET', ARGV[1])"

    assert [("'SET'", "'oraclewheel:x'"), ("'GET'", "ARGV[1]")] == list(strange("x", code))
