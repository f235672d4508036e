"""Rules are frozen to the byte, lie in a folder of the operator's, and are loaded under a name of their own."""

from __future__ import annotations

import errno
import sys
import zipfile
from pathlib import Path

import pytest

import domain
from domain.dice import Dice
from domain.errors import RuleViolation
from domain.game import Setup
from domain.nim.game import NIM, Take
from domain.registry import GAMES
from service.process.frozen.bundle import BadRules, Bundle, of_file, of_tree
from service.process.frozen.loading import KERNEL, load
from service.process.frozen.shelf import Shelf
from tests.releases.before import RELEASE, TREE, older

DICE = Dice(bytes(32))


def test_rules_are_the_same_however_they_were_packed(tmp_path):
    tree = of_tree(TREE)
    file = tree.write(tmp_path / "new" / "folder")
    wheel = tmp_path / "oraclewheel-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("service/__init__.py", "nothing of the rules")
        for path in sorted(tree.files, reverse=True):
            packed.writestr(path, tree.files[path])

    assert f"rules-{domain.RELEASE}.zip" == file.name
    assert {tree.digest} == {of_file(each).digest for each in (file, wheel)}
    assert tree.files == of_file(file).files == of_file(wheel).files
    assert file.read_bytes() == tree.write(tmp_path).read_bytes()
    assert tree.digest != older().digest


def test_rules_are_on_the_disk_before_they_have_their_name_and_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    tree = of_tree(TREE)
    file = tree.write(tmp_path)
    before, there = file.read_bytes(), []

    def full(_):
        there.extend(tmp_path.iterdir())
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("service.process.frozen.bundle.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        tree.write(tmp_path)
    assert 2 == len(there), "it lies beside until it is whole"
    assert [file] == list(tmp_path.iterdir())
    assert before == file.read_bytes()


def test_two_releases_play_side_by_side_and_each_names_itself():
    games = load(older(whole=True))
    nim, state = games["nim"], NIM.evolve(None, *NIM.begin(NIM.check(Setup(2, "")), DICE))
    frozen = nim.evolve(None, *nim.begin(nim.check(Setup(2, "")), DICE))

    assert [domain.RELEASE, RELEASE] == [NIM.release, nim.release]
    assert GAMES.keys() == games.keys()
    with pytest.raises(RuleViolation):
        NIM.decide(state, state.mover, Take(1, 9), DICE)
    (taken,) = nim.decide(frozen, frozen.mover, nim.commands["take"](1, 9), DICE)
    assert (1, 0) == (taken.objects, taken.left)
    assert type(taken) is nim.events["objects_taken"] is not NIM.events["objects_taken"]


def test_of_a_frozen_release_the_games_are_loaded_and_the_kernel_is_the_present_one():
    package = type(load(older(whole=True))["nim"]).__module__.partition(".")[0]
    loaded = {name.split(".")[1] for name in sys.modules if name.startswith(f"{package}.")}

    assert {"registry", *GAMES} == loaded
    assert {"registry", *GAMES} | KERNEL == {
        each.stem for each in Path(domain.__file__).parent.iterdir() if not each.name.startswith("__")
    }


def test_a_module_that_the_kernel_has_no_more_comes_from_the_frozen_release():
    files = dict(older("0.0.1").files)
    files["domain/play/gone.py"] = b"from domain.terms import Seat\nNOBODY = Seat(0)\n"
    files["domain/nim/game.py"] += b"from domain.play.gone import NOBODY\nfrom domain import terms\n"
    nim = load(Bundle("0.0.1", files, TREE))["nim"]
    module = sys.modules[type(nim).__module__]

    assert 0 == module.NOBODY
    assert module.terms is domain.terms


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"import domain.terms", "import domain.terms"),
        (b"from . import game", "from . import game"),
        (b"from domain import nim, terms", "games and the kernel"),
        (b"from domain.terms import Nothing", "Nothing"),
        (b"1 / 0", "division by zero"),
        (b"raise SystemExit", "SystemExit"),
    ],
)
def test_what_cannot_be_loaded_is_said_in_a_sentence(line, why):
    files = dict(older("0.0.2").files)
    files["domain/nim/game.py"] += line + b"\n"
    with pytest.raises(BadRules, match="of release 0") as told:
        load(Bundle("0.0.2", files, TREE))
    assert why in str(told.value)


def test_a_release_without_games_is_none():
    """What was packed by mistake is not kept as if old games could be decided by it."""
    with pytest.raises(BadRules, match=r"of release 0\..*no games"):
        load(Bundle("0.0.3", {**older("0.0.3").files, "domain/registry.py": b"GAMES = {}\n"}, TREE))


def test_a_shelf_holds_what_lies_in_its_folder_and_nothing_else(tmp_path):
    older().write(tmp_path)
    of_tree(TREE).write(tmp_path)
    (tmp_path / "note.txt").write_text("no rules")
    shelf = Shelf(tmp_path)

    assert {RELEASE} == shelf.bundles().keys(), "the present rules need no freezing to be played"
    assert RELEASE == shelf.rules("nim", RELEASE).release
    assert shelf.rules("nim", RELEASE) is shelf.rules("nim", RELEASE)
    assert [None, None, None] == [shelf.rules(*each) for each in (("nim", "0.0.8"), ("go", RELEASE), ("nim", "../x"))]
    assert {} == Shelf(tmp_path / "nowhere").bundles() == Shelf().bundles()


def test_two_files_of_one_release_that_differ_are_refused_and_two_alike_are_not(tmp_path):
    older().write(tmp_path).rename(tmp_path / "again.zip")
    older().write(tmp_path)
    assert {RELEASE} == Shelf(tmp_path).bundles().keys()

    files = {**older().files, "domain/nim/game.py": b""}
    Bundle(RELEASE, files, TREE).write(tmp_path)
    with pytest.raises(BadRules, match="differ"):
        Shelf(tmp_path).bundles()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"PK\x05\x06" + bytes(18)])
def test_a_file_without_rules_is_named(tmp_path, content):
    (tmp_path / "rules.zip").write_bytes(content)
    with pytest.raises(BadRules, match=r"rules\.zip"):
        Shelf(tmp_path).bundles()


def test_a_release_named_by_what_no_parser_can_read_is_none(tmp_path):
    with zipfile.ZipFile(tmp_path / "rules.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("domain/__init__.py", f"DEEP = {'-' * 200_000}1\nRELEASE = '0.0.4'\n")
    with pytest.raises(BadRules, match="There are no rules"):
        of_file(tmp_path / "rules.zip")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_module_that_stands_twice_in_a_file_is_refused(tmp_path):
    """Which of both is meant, two readers might see otherwise."""
    file = older().write(tmp_path)
    with zipfile.ZipFile(file, "a") as packed:
        packed.writestr("domain/__init__.py", "RELEASE = '0.0.5'\n")
    with pytest.raises(BadRules, match=r"domain/__init__\.py twice"):
        of_file(file)


def test_the_command_freezes_what_is_installed_once(oraclewheel, tmp_path):
    status, told = oraclewheel("freeze-rules")
    file = tmp_path / "data" / "rules" / f"rules-{domain.RELEASE}.zip"

    assert (0, True) == (status, of_tree(TREE).digest in told)
    assert of_tree(TREE).digest == of_file(file).digest
    assert (0, told) == oraclewheel("freeze-rules")


def test_the_command_freezes_a_tree_and_never_other_rules_over_those_of_a_release(oraclewheel, tmp_path):
    for path, source in older().files.items():
        place = tmp_path / "tree" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source)
    call = ("freeze-rules", tmp_path / "tree", "--into", tmp_path / "kept")
    assert 0 == oraclewheel(*call)[0]
    assert older().digest == of_file(tmp_path / "kept" / f"rules-{RELEASE}.zip").digest

    (tmp_path / "tree" / "domain" / "nim" / "game.py").write_bytes(older().files["domain/nim/game.py"] + b"# more\n")
    status, told = oraclewheel(*call)
    assert (1, True) == (status, "holds other rules" in told)
    assert (1, True) == ((found := oraclewheel("freeze-rules", tmp_path / "kept"))[0], "There are no rules" in found[1])
