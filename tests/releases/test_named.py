"""Every file that names the release names the same one, and the changelog has it as its newest entry."""

import re

from domain import RELEASE
from tests.releases.building import ROOT, names


def test_every_file_names_the_same_release():
    told = names(ROOT)
    newest = told.pop("CHANGELOG.md")
    assert {RELEASE} == set(told.values()), told
    number = [int(part) for part in RELEASE.removesuffix(".dev0").split(".")]
    if RELEASE.endswith(".dev0"):
        assert [int(part) for part in newest.split(".")] < number, "the tree has moved on after the newest release"
    else:
        assert newest == RELEASE


def test_changelog_starts_with_unreleased_and_its_releases_are_dated_and_sorted():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    dated = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \((\d{4}-\d\d-\d\d)\)", heading) for heading in headings[1:]]

    assert "Unreleased" == headings[0]
    assert all(dated), headings
    told = [(*map(int, each.groups()[:3]), each[4]) for each in dated]
    assert sorted(told, reverse=True) == told
