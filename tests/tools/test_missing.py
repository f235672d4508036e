"""The command line without the extra ``tools``."""

import sys

import pytest

TOOLS = ("ladder", "load", "simulate")


@pytest.fixture
def without_extra(monkeypatch):
    """Pretend that numpy is not installed."""
    for name in [each for each in sys.modules if each.startswith("tools.commands")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("arguments", [(), ("--help",), ("--games", "3", "--seed", "x")])
def test_missing_tool_names_the_extra(oraclewheel, without_extra, name, arguments):
    status, output = oraclewheel(name, *arguments)

    assert 1 == status
    assert f"`oraclewheel {name}` is not installed. Run: pip install 'oraclewheel[tools]'" in output


def test_help_lists_missing_tools(oraclewheel, without_extra):
    status, output = oraclewheel("--help")

    assert 0 == status
    assert len(TOOLS) == output.count("Not installed: pip install 'oraclewheel[tools]'.")
    assert "serve " in output


@pytest.mark.parametrize("name", TOOLS)
def test_installed_tool_shows_its_help(oraclewheel, name):
    status, output = oraclewheel(name, "--help")

    assert 0 == status
    assert "--seed" in output or "--url" in output
